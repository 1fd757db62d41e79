import type {
  RejectedArchiveResult,
  VerifiedArchiveResult,
  VerifyResult,
} from '../../archive/archive-results.ts'
import { verifyArchive } from '../../archive/verify-archive.ts'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { formatBytes, plural } from '../../base/units.ts'
import type { CommandRun, Context } from '../context.ts'
import { errorObject, explain } from '../explain.ts'
import { jsonPieces } from '../json.ts'
import { limitsOf, takeOperands } from '../operands.ts'

/** An archive that was verified: its result, and its failure when it did not pass. */
export type Verified =
  | { readonly result: VerifiedArchiveResult; readonly failure?: undefined }
  | { readonly result: RejectedArchiveResult; readonly failure: Failure }

/** Verifies each archive and says what is wrong with which. */
export const run: CommandRun = async (context) => {
  const { world, terminal } = context
  const isAlone = takeOperands(context.settings).length === 1
  const outcomes: Verified[] = []
  for await (const outcome of verifyEach(context)) {
    outcomes.push(outcome)
    await print(context, outcome)
    if (outcome.failure !== undefined && !isAlone) explain(world, terminal, outcome.failure)
  }
  const result = verifyResult(context, outcomes)
  if (terminal.choice.json) for (const piece of jsonPieces(result)) await terminal.write(piece)
  return 0
}

/** Verifies the archives in the operands, one after the other; one that does not pass does not end it. */
export async function* verifyEach({ world, settings, terminal }: Context): AsyncGenerator<Verified> {
  const options = { limits: limitsOf(settings), reporter: terminal.reporter }
  for (const path of takeOperands(settings)) {
    try {
      const { bytes, unpackedBytes, entries } = await verifyArchive(world, path, options)
      yield { result: { path, status: 'ok', bytes, unpackedBytes, entries: entries.length } }
    } catch (failure) {
      if (!isFailure(failure) || failure.kind === 'interrupted') throw failure
      yield { result: { path, status: 'failed', error: errorObject(failure) }, failure }
    }
  }
}

/** The result when all archives passed; else throws, with the result of each archive beside the error. */
export function verifyResult({ facts }: Context, outcomes: readonly Verified[]): VerifyResult {
  const archives = outcomes.map(({ result }) => result)
  facts.archives = archives
  const failures = outcomes.flatMap(({ failure }) => failure ?? [])
  if (failures.length === 0) return { schema: 'matdecl.verify/1', status: 'ok', archives }
  throw outcomes.length === 1 ? failures[0]! : combinedFailure(failures, outcomes.length)
}

async function print({ terminal }: Context, { result, failure }: Verified): Promise<void> {
  if (terminal.choice.json || terminal.choice.quiet) return
  const { out } = terminal
  const path = escapeUnsafe(result.path)
  const line =
    failure === undefined
      ? `${out.good(out.mark.good)} ${path}: ${plural(result.entries, 'entry', 'entries')}, ${formatBytes(result.unpackedBytes)} unpacked, every size and CRC-32 matches`
      : `${out.bad(out.mark.bad)} ${path}: ${failure.kind === 'archive' ? 'not safe to use' : 'could not be read'}`
  await terminal.write(`${line}\n`)
}

// A bad archive decides the exit code before one that could not be read.
function combinedFailure(failures: readonly Failure[], count: number): Failure {
  const worst = failures.find(({ kind }) => kind === 'archive') ?? failures[0]!
  return new Failure(worst.kind, `${failures.length} of ${plural(count, 'archive')} did not pass`, {
    problems: failures.map(({ message }) => message),
    hint: 'see the hint of each',
  })
}
