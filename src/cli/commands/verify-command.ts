import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { formatBytes, plural } from '../../base/units.ts'
import type { CommandDefinition } from '../command-definition.ts'
import type { Context } from '../context.ts'
import { errorObject, explain } from '../explain.ts'
import { jsonResult } from '../json.ts'
import { limitsOf } from '../limits-of.ts'

export const verifyCommand: CommandDefinition = {
  name: 'verify',
  summary: 'check structure, names, limits, and the size and CRC-32 of every entry',
  operands: [{ name: 'ARCHIVE', required: true, many: true, offers: { kind: 'files', endings: ['.zip'] } }],
  description:
    'Reports what is wrong and where; writes nothing. Exits 8 when an archive is damaged or unsafe.',
  examples: [
    { line: 'matdecl verify bom.zip', does: 'check one archive' },
    { line: 'matdecl verify *.zip --quiet', does: 'check many, with only the exit code' },
  ],
  action: { run },
}

/** Verifies each archive; a bad one does not stop the others from being verified. */
async function run(context: Context): Promise<number> {
  const { settings, terminal, facts } = context
  const paths = settings.operands
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
  const { verifyArchive } = await import('../../archive/verify-archive.ts')
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
