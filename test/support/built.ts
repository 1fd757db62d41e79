import { join } from 'node:path'

/** The absolute path of a file in this test run's own build, such as `bin/matdecl.js` or `dist/workers/hash-worker.js`. */
export function builtPath(...parts: string[]): string {
  const folder = process.env.MATDECL_TEST_BUILD
  if (folder === undefined) throw new Error('no build for this test run: see test/support/build-once.ts')
  return join(folder, ...parts)
}
