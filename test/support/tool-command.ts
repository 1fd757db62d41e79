import { builtPath } from './built.ts'

/** The command that starts the tool: this test run's build, or the standalone executable in `MATDECL_TEST_EXECUTABLE`. */
export function toolCommand(): { readonly program: string; readonly args: readonly string[] } {
  const executable = process.env.MATDECL_TEST_EXECUTABLE
  if (executable !== undefined && executable !== '') return { program: executable, args: [] }
  return { program: process.execPath, args: [builtPath('bin', 'matdecl.js')] }
}
