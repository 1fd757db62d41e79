import { builtPath } from './built.ts'

/**
 * The command line that starts the tool: this test run's own build, or the standalone executable that
 * `MATDECL_TEST_EXECUTABLE` names, so that the same tests can be run on both.
 */
export function toolCommand(): { readonly program: string; readonly args: readonly string[] } {
  const executable = process.env.MATDECL_TEST_EXECUTABLE
  if (executable !== undefined && executable !== '') return { program: executable, args: [] }
  return { program: process.execPath, args: [builtPath('bin', 'matdecl.js')] }
}
