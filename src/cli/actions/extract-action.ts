import { basename, join } from 'node:path'
import { extractArchive } from '../../archive/extract-archive.ts'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { formatBytes, plural } from '../../base/units.ts'
import { absolutePath } from '../../fs/output-target.ts'
import type { CommandRun } from '../context.ts'
import { jsonResult } from '../json.ts'
import { limitsOf, takeOperands } from '../operands.ts'

/** Extracts one archive and prints the directory. */
export const run: CommandRun = async ({ world, settings, terminal }) => {
  const [archive, folder] = takeOperands(settings)
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
