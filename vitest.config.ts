import { defineConfig } from 'vitest/config'
import { textFiles } from './scripts/text-files.mjs'

const report = process.env.MATDECL_TEST_REPORT

export default defineConfig({
  plugins: [textFiles()],
  define: { __MATDECL_VERSION__: JSON.stringify('0.0.0-test'), __MATDECL_COMMIT__: 'null' },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build-once.ts'],
    // Programs that the tests compare with read file names in the encoding of the locale.
    env: { LC_ALL: 'C.UTF-8' },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    reporters: report === undefined ? ['default'] : ['default', 'json'],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
  },
})
