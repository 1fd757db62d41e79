import { basename, join } from 'node:path'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { formatBytes, plural } from '../../base/units.ts'
import { absolutePath } from '../../fs/output-target.ts'
import type { CommandDefinition } from '../command-definition.ts'
import type { Context } from '../context.ts'
import { jsonResult } from '../json.ts'
import { limitsOf } from '../limits-of.ts'

export const extractCommand: CommandDefinition = {
  name: 'extract',
  summary: 'extract an archive safely, all or nothing',
  operands: [
    { name: 'ARCHIVE', required: true, offers: { kind: 'files', endings: ['.zip'] } },
    { name: 'DIR', required: false, offers: { kind: 'folders' } },
  ],
  description:
    'Extracts into a new directory that appears only when it is complete. The default is the name of the archive without `.zip`.',
  examples: [
    { line: 'matdecl extract bom.zip', does: 'extract into the directory bom' },
    { line: "matdecl extract bom.zip xml --include '*.xml'", does: 'extract only entries that match' },
  ],
  action: { run },
}

/** Extracts one archive and prints the directory. */
async function run({ world, settings, terminal }: Context): Promise<number> {
  const { extractArchive } = await import('../../archive/extract-archive.ts')
  const [archive, folder] = settings.operands
  const shown = folder ?? defaultFolder(archive!)
  const { overwrite, include, exclude, flat } = settings.values
  const result = await extractArchive(world, archive!, absolutePath(world.cwd, shown), {
    limits: limitsOf(settings),
    overwrite,
    include,
    exclude,
    flat,
    reporter: terminal.reporter,
    signal: world.interrupt,
  })
  const { files, bytes } = result
  if (terminal.choice.json) {
    await terminal.write(jsonResult('extract', 'ok', { archive, extracted: { path: shown, files, bytes } }))
    return 0
  }
  if (!terminal.choice.quiet) await terminal.write(`${escapeUnsafe(shown)}\n`)
  terminal.say(
    'extract.done',
    `${plural(files, 'file')}, ${formatBytes(bytes)}, extracted from ${escapeUnsafe(archive!)}`,
    { files, bytes },
  )
  return 0
}

// In the working directory, not next to the archive, as unzip does.
function defaultFolder(archive: string): string {
  const name = basename(archive)
  const stem = name.replace(/\.zip$/i, '')
  return join('.', stem === name || stem === '' ? `${name}.extracted` : stem)
}
