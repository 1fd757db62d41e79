// Installs the locked dependencies unless they are installed already.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

if (!isInstalled()) {
  process.stderr.write('setup: installing the locked dependencies\n')
  // Without --no-dry-run, `npm pack --dry-run` would only pretend to install.
  const run = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--no-dry-run', '--loglevel=error'], {
    cwd: root,
    // Standard output belongs to the caller: that of `npm pack` is the name of the tarball.
    stdio: ['ignore', 2, 'inherit'],
    shell: process.platform === 'win32',
  })
  if (run.status !== 0) {
    process.stderr.write('setup: npm ci failed\n')
    process.exit(run.status ?? 1)
  }
}

// npm writes node_modules/.package-lock.json last; it lists what is installed.
function isInstalled() {
  const installed = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(installed)) return false
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages
  const want = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  return Object.entries(want).every(
    ([path, entry]) => path === '' || entry.optional || have[path]?.version === entry.version,
  )
}
