import { verifyArchive } from '../../archive/verify-archive.ts'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { formatBytes, plural } from '../../base/units.ts'
import type { CommandRun, Context } from '../context.ts'
import { errorObject, explain } from '../explain.ts'
import { jsonResult } from '../json.ts'
import { limitsOf, takeOperands } from '../operands.ts'

/** Verifies each archive; a bad one does not stop the others from being verified. */
export const run: CommandRun = async (context) => {
  const { settings, terminal, facts } = context
  const paths = takeOperands(settings)
  const results: Record<string, unknown>[] = []
  facts.archives = results
  const failures: Failure[] = []
  for (const path of paths) {
    const failure = await verifyOne(context, path, results)
    if (failure === undefined) continue
    failures.push(failure)
    if (paths.length > 1) explain(context.world, terminal, failure)
  }
  const [first] = failures
  if (first !== undefined) {
    if (paths.length === 1) throw first
    throw summaryOf(failures, paths.length)
  }
  if (terminal.choice.json) await terminal.write(jsonResult('verify', 'ok', facts))
  return 0
}

async function verifyOne(
  { world, settings, terminal }: Context,
  path: string,
  results: Record<string, unknown>[],
): Promise<Failure | undefined> {
  try {
    const archive = await verifyArchive(world, path, {
      limits: limitsOf(settings),
      reporter: terminal.reporter,
    })
    const { bytes, unpackedBytes, entries } = archive
    results.push({ path, status: 'ok', bytes, unpackedBytes, entries: entries.length })
    if (!terminal.choice.json && !terminal.choice.quiet) {
      const { out } = terminal
      await terminal.write(
        `${out.good(out.mark.good)} ${escapeUnsafe(path)}: ${plural(entries.length, 'entry', 'entries')}, ${formatBytes(unpackedBytes)} unpacked, every size and CRC-32 correct\n`,
      )
    }
    return undefined
  } catch (error) {
    if (!isFailure(error) || error.kind === 'interrupted') throw error
    results.push({ path, status: 'failed', error: errorObject(error) })
    if (!terminal.choice.json && !terminal.choice.quiet) {
      await terminal.write(
        `${terminal.out.bad(terminal.out.mark.bad)} ${escapeUnsafe(path)}: ${error.kind === 'archive' ? 'not safe to use' : 'could not be read'}\n`,
      )
    }
    return error
  }
}

// The most severe kind decides the exit code: a bad archive before one that could not be read.
function summaryOf(failures: readonly Failure[], count: number): Failure {
  const worst = failures.find(({ kind }) => kind === 'archive') ?? failures[0]!
  return new Failure(worst.kind, `${failures.length} of ${plural(count, 'archive')} did not pass`, {
    problems: failures.map(({ message }) => message),
    hint: 'see the hint of each archive above',
  })
}
