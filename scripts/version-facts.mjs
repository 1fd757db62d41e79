// Version and commit, for the bundler to insert.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Definitions for the bundler: the package's version, and the commit in a git checkout. */
export function versionFacts(root) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return {
    __MATDECL_VERSION__: JSON.stringify(version),
    __MATDECL_COMMIT__: JSON.stringify(commitOf(root)),
  }
}

function commitOf(root) {
  if (!existsSync(join(root, '.git'))) return null
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}
