import { CommanderError } from 'commander'
import { createProgram, type Invocation } from '../../src/cli/program.ts'

/** A command line parsed by commander; undefined for help or the version. Throws a Failure if it is invalid. */
export async function parseLine(line: readonly string[]): Promise<Invocation | undefined> {
  let found: Invocation | undefined
  const act = async (invocation: Invocation): Promise<void> => {
    found = invocation
  }
  const output = { writeOut: () => undefined, writeErr: () => undefined }
  try {
    await createProgram({ act, output }).parseAsync([...line], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
  }
  return found
}
