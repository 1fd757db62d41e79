import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAll } from '../../scripts/build.mjs'

/** Builds the program for this test run, for worker threads and spawned processes; see `builtPath`. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'matdecl-build-'))
  await buildAll(join(folder, 'dist'))
  await cp('bin', join(folder, 'bin'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"type":"module"}\n')
  process.env.MATDECL_TEST_BUILD = folder
  // Calls of the API inherit the environment.
  process.env.XDG_CACHE_HOME = join(folder, 'cache')
  return () => rm(folder, { recursive: true, force: true })
}
