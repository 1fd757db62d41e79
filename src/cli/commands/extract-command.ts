import { basename } from 'node:path'
import type { ExtractResult } from '../../archive/archive-results.ts'
import { A_DIRECTORY } from '../../archive/entry.ts'
import type { AccountEntry } from '../../base/account-entry.ts'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { formatBytes, formatCount, plural } from '../../base/units.ts'
import type { CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { printResult } from '../json.ts'

export const extractCommand: CommandDefinition = {
  name: 'extract',
  summary: 'extract an archive safely, all or nothing',
  operands: [
    { name: 'ARCHIVE', required: true, offers: { kind: 'files', endings: ['.zip'] } },
    { name: 'DIR', required: false, offers: { kind: 'directories' } },
  ],
  description:
    'Extracts into a new directory that appears only when it is complete. The default is the name of the archive without `.zip`. Into a directory that exists, with `--overwrite`, files are moved one by one once all are verified: each is the old or the new one.',
  examples: [
    { line: 'matdecl extract bom.zip', does: 'extract into the directory bom' },
    { line: "matdecl extract bom.zip xml --include '*.xml'", does: 'extract only entries that match' },
  ],
  common: ['overwrite', 'include', 'exclude', 'flat'],
  run,
}

async function run(context: Context): Promise<number> {
  const { terminal } = context
  const result = await runExtract(context)
  const { path, files, bytes } = result.extracted
  const { named } = result.account.entries
  const leftOut = named.filter(({ reason }) => reason !== A_DIRECTORY)
  await printResult(terminal, result, terminal.choice.quiet ? '' : `${escapeUnsafe(path)}\n`)
  if (terminal.choice.json) return 0
  terminal.say(
    'extract.done',
    `extracted ${plural(files, 'file')}, ${formatBytes(bytes)}, from ${escapeUnsafe(result.archive)}${leftOutText(leftOut)}`,
    { files, bytes },
  )
  return 0
}

/** `; 3 entries not included, 1 excluded` */
function leftOutText(leftOut: AccountEntry['named']): string {
  const [first, ...others] = leftOut
  if (first === undefined) return ''
  const more = others.map(({ reason, count }) => `, ${formatCount(count)} ${reason}`)
  return `; ${plural(first.count, 'entry', 'entries')} ${first.reason}${more.join('')}`
}

/** Extracts the archive of the operands. Prints nothing. */
async function runExtract({ world, settings, terminal }: Context): Promise<ExtractResult> {
  const { extractArchive } = await import('../../archive/extract-archive.ts')
  const { absolutePath, extractTarget } = await import('../../fs/output-target.ts')
  const [archive, directory] = settings.operands as [string, string?]
  // By default in the working directory, not beside the archive.
  const path = directory ?? extractTarget(basename(archive))
  const { overwrite, include, exclude, flat } = settings.values
  const { files, bytes, entries } = await extractArchive(world, archive, absolutePath(world.cwd, path), {
    limits: settings.limits,
    overwrite,
    include,
    exclude,
    flat,
    reporter: terminal.reporter,
    signal: world.interrupt,
  })
  const extracted = { path, files, bytes }
  return { schema: 'matdecl.extract/1', status: 'ok', archive, extracted, account: { entries } }
}
