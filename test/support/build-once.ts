import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAll } from '../../scripts/build.mjs'

/**
 * Builds the program for this test run, for worker threads and spawned processes; see `builtPath`. The build and all temporary files are
 * in one directory. A process that tests have started there ends with the run, also when the run is killed.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'matdecl-run-'))
  // Apache and squid started by root read their files as another user.
  await chmod(folder, 0o711)
  const reaper = spawn(process.execPath, [join(import.meta.dirname, 'reaper.mjs'), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  await buildAll(join(folder, 'dist'))
  await cp('bin', join(folder, 'bin'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"type":"module"}\n')
  process.env.MATDECL_TEST_BUILD = folder
  process.env.TMPDIR = join(folder, 'tmp')
  await mkdir(process.env.TMPDIR)
  return async () => {
    const ended = once(reaper, 'exit')
    reaper.stdin.end('done')
    await ended
  }
}
