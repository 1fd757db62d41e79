// The whole job against the embedded sandbox: download, verify, list, extract. Leaves what it made in a folder and says where.
import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const bin = join(dirname(fileURLToPath(import.meta.url)), '..', 'bin', 'matdecl.js')
const folder = mkdtempSync(join(tmpdir(), 'matdecl-demo-'))

const steps = [
  {
    title:
      'Ask the sandbox for everything of one supplier, save one verified archive, list it, unpack it, keep the evidence',
    args: ['download', '--sandbox', '--supplier', '100200300', '-o', 'demo.zip', '-l', '-x', '--manifest'],
  },
  { title: 'Verify the archive again, as a pipeline would', args: ['verify', 'demo.zip'] },
  { title: 'What each part declares, as a table', args: ['report', 'demo.zip', '-o', 'demo.csv'] },
  { title: 'The same as a page for people', args: ['report', 'demo.zip', '-o', 'demo.html', '--quiet'] },
]

for (const step of steps) {
  process.stdout.write(`\n${step.title}\n$ matdecl ${step.args.join(' ')}\n`)
  const { MATDECL_TOKEN: _, ...env } = process.env
  const run = spawnSync(process.execPath, [bin, ...step.args], { cwd: folder, stdio: 'inherit', env })
  if (run.status !== 0) {
    process.stdout.write(`\ndemo: that ended with exit code ${run.status}\n`)
    process.exit(run.status ?? 1)
  }
}

process.stdout.write(`
Everything is in ${folder}

The same against a real service:
  export MATDECL_TOKEN=…            # or token-file in the settings: matdecl config init
  matdecl download --base-url https://api.example.com --supplier 123456789 -o demo.zip -l -x --manifest
`)
