import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { textFiles } from './scripts/text-files.mjs'
import { SkippedReporter } from './test/support/skipped-reporter.ts'

/** Tests that import it open pages in Chromium. */
const BROWSER = 'support/browser.ts'
const report = process.env.MATDECL_TEST_REPORT

// With `--mode soak`: the tests that are too long for the suite, those in a browser, and those of the suite that have more cases then.
export default defineConfig(({ mode }) => ({
  plugins: [textFiles()],
  define: { __MATDECL_VERSION__: JSON.stringify('0.0.0-test'), __MATDECL_COMMIT__: 'null' },
  test: {
    include: mode === 'soak' ? ['test/**/*.soak.ts', ...testsThatImport('support/soak.ts', 'meaning/cases.ts', "'./cases.ts", BROWSER)] : ['test/**/*.test.ts'],
    exclude: mode === 'soak' ? [] : testsThatImport(BROWSER),
    globalSetup: ['test/support/build-once.ts'],
    env: {
      // Programs that the tests compare with read file names in the encoding of the locale.
      LC_ALL: 'C.UTF-8',
      MATDECL_SOAK: mode === 'soak' ? '1' : '',
    },
    testTimeout: mode === 'soak' ? 600_000 : 60_000,
    hookTimeout: 120_000,
    // What comes soon comes late on a busy machine.
    expect: { poll: { timeout: 50_000 } },
    // A test file takes the modules that others have loaded: a process for each file takes as long again as the tests.
    isolate: false,
    // On two cores: a third of the time of a worker goes by waiting for a process, a disk or a server.
    maxWorkers: 3,
    // A page: what failed, what was skipped and why, counts, time.
    reporters: ['minimal', new SkippedReporter(), ...(report === undefined ? [] : ['json'])],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
  },
}))

function testsThatImport(...modules: readonly string[]): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => {
      const text = readFileSync(path, 'utf8')
      return modules.some((name) => text.includes(name))
    })
}
