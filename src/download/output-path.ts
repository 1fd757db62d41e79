import { dirname, join, sep } from 'node:path'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import {
  absolutePath,
  checkDirectoryTarget,
  checkFileTarget,
  clash,
  extractTarget,
  followLink,
  isDirectory,
  type MadeDirectory,
  makeDirectories,
  type NamedPath,
  refuseSameFiles,
  removeEmptyDirectories,
  reportMadeDirectories,
} from '../fs/output-target.ts'
import { JOB_SUFFIX } from './job.ts'

/** The values of the placeholders in an output name. */
interface NameFacts {
  readonly supplier: string | undefined
  readonly format: string
  readonly formatClass: string | undefined
  readonly startDate: string | undefined
  /** The start of the run. */
  readonly nowMs: number
}

/** The output options of the user; names may contain placeholders. */
export interface OutputOptions {
  /** A file, an existing directory, or `-`; the default name unless given. */
  readonly output: string | undefined
  readonly overwrite: boolean
  readonly extract: string | true | undefined
  readonly manifest: string | true | undefined
  /** Further files that will be written, each with its name in messages. */
  readonly others: readonly { readonly what: string; readonly path: string }[]
  /** Files that the run reads, each with the option that names it: no result may replace one. */
  readonly inputs?: readonly { readonly what: string; readonly path: string }[]
}

/** The absolute path of each result, that of the archive without links, and `shown`: the archive's path in messages. */
export interface OutputPaths {
  /** `-` for standard output. */
  readonly shown: string
  /** Undefined for standard output. */
  readonly archivePath: string | undefined
  /** True when the name contains the time, so that it differs from that of an unfinished run. */
  readonly holdsTime: boolean
  readonly extractPath: string | undefined
  /** That path in messages. */
  readonly shownExtract: string | undefined
  readonly manifestPath: string | undefined
  readonly others: OutputOptions['others']
  readonly overwrite: boolean
  readonly options: OutputOptions
}

/** Resolves every output path from placeholders and the working directory. Mistakes are `usage`. */
export async function resolveOutput(
  world: World,
  options: OutputOptions,
  facts: NameFacts,
): Promise<OutputPaths> {
  refuseStdout(options)
  const template = options.output ?? DEFAULT_NAME
  if (template === '-') return outputPaths(world, options, template, false)
  const name = filled(template, facts)
  // A value of a placeholder does not choose standard output.
  const output = name === '-' ? `.${sep}-` : name
  const isInside = await isDirectory(world.disk, absolutePath(world.cwd, output))
  const shown = isInside ? join(output, filled(DEFAULT_NAME, facts)) : output
  return outputPaths(world, options, shown, /\{(?:date|time)\}/.test(isInside ? DEFAULT_NAME : template))
}

function refuseStdout({ manifest, others }: OutputOptions): void {
  const found = [{ what: 'manifest', path: manifest }, ...others].find(({ path }) => path === '-')
  if (found === undefined) return
  throw new Failure('usage', `${found.what}: only the archive can be written to standard output`, {
    hint: 'give a path, such as ./- for a file of that name',
    options: [found.what],
  })
}

/** The same output under another name, for an unfinished run of the same request. */
export function renameOutput(world: World, { options }: OutputPaths, shown: string): Promise<OutputPaths> {
  return outputPaths(world, options, shown, true)
}

/**
 * Checks that every result can be written, before anything is sent: names are free or replaceable, directories writable. `isPublished`:
 * an earlier run of the same request has published the archive.
 */
export async function checkOutput(
  { disk, cwd }: World,
  { archivePath, extractPath, manifestPath, others, overwrite, options }: OutputPaths,
  isPublished: boolean,
): Promise<void> {
  if (overwrite) {
    const inputs = (options.inputs ?? []).map(({ what, path }) => ({ what, path: absolutePath(cwd, path) }))
    await refuseSameFiles(disk, inputs, resultFiles({ archivePath, manifestPath, others }))
  }
  if (archivePath !== undefined && !isPublished) await checkFileTarget(disk, archivePath, 'output', overwrite)
  if (extractPath !== undefined) await checkDirectoryTarget(disk, extractPath, 'extract', overwrite)
  if (manifestPath !== undefined) await checkFileTarget(disk, manifestPath, 'manifest', overwrite)
  for (const { what, path } of others) await checkFileTarget(disk, path, what, overwrite)
}

function resultFiles(
  paths: Pick<OutputPaths, 'archivePath' | 'manifestPath' | 'others'>,
): readonly NamedPath[] {
  const { archivePath, manifestPath, others } = paths
  const own = [
    { what: 'output', path: archivePath },
    { what: 'manifest', path: manifestPath },
  ].flatMap(({ what, path }) => (path === undefined ? [] : { what, path }))
  return [...own, ...others]
}

/** Creates the parent directories of all results; disposing removes those that are still empty. */
export async function makeOutputDirectories(
  world: World,
  output: OutputPaths,
  reporter: Reporter,
): Promise<AsyncDisposable> {
  const { archivePath, manifestPath, extractPath, others } = output
  const paths = [archivePath, manifestPath, ...others.map(({ path }) => path), extractPath]
  const made: MadeDirectory[] = []
  for (const directory of new Set(paths.flatMap((path) => (path === undefined ? [] : dirname(path)))))
    for (const one of await makeDirectories(world, directory)) made.push(one)
  reportMadeDirectories(made, reporter)
  return { [Symbol.asyncDispose]: async () => removeEmptyDirectories(world, made) }
}

async function outputPaths(
  world: World,
  options: OutputOptions,
  shown: string,
  holdsTime: boolean,
): Promise<OutputPaths> {
  const { extract, manifest, overwrite } = options
  const at = (path: string): string => absolutePath(world.cwd, path)
  // The job directory is beside the file that is replaced: there it can be renamed.
  const archivePath = options.output === '-' ? undefined : await followLink(world.disk, at(shown))
  if (archivePath === undefined) refuseUnnamed(world, options)
  const shownExtract = extract === true ? extractTarget(shown) : extract
  return distinct(world.host.platform, {
    shown,
    archivePath,
    holdsTime,
    extractPath: shownExtract && at(shownExtract),
    shownExtract,
    manifestPath: manifest === true ? at(`${shown}.manifest.json`) : manifest && at(manifest),
    others: options.others.map(({ what, path }) => ({ what, path: at(path) })),
    overwrite,
    options,
  })
}

/** Refuses standard output when it is a terminal, or when another result would be named after the archive. */
function refuseUnnamed({ stdout }: World, { extract, manifest }: OutputOptions): void {
  const refused = (message: string, hint = 'name it, or an output file'): Failure =>
    new Failure('usage', message, { hint, options: ['output'] })
  const mustBeNamed = (what: string): Failure =>
    refused(`the ${what} must be named when the output is standard output`)
  if (stdout.isTTY === true) {
    throw refused('an archive is not written to a terminal', 'redirect standard output, or name a file')
  }
  if (extract === true) throw mustBeNamed('extract directory')
  if (manifest === true) throw mustBeNamed('manifest')
}

/** The same paths, unless one result would replace or block another. Windows and macOS compare names without case. */
function distinct(platform: NodeJS.Platform, paths: OutputPaths): OutputPaths {
  const { archivePath, extractPath, overwrite } = paths
  const files = resultFiles(paths)
  const taken = archivePath === undefined ? [] : [{ what: 'output', path: `${archivePath}${JOB_SUFFIX}` }]
  const directory = extractPath === undefined ? [] : [{ what: 'extract', path: extractPath }]
  const all = [...taken, ...files, ...directory]
  const key = (path: string): string =>
    platform === 'win32' || platform === 'darwin' ? path.normalize().toLowerCase() : path
  for (const [index, one] of all.entries()) {
    const other = all.slice(0, index).find(({ path }) => key(path) === key(one.path))
    if (other !== undefined) throw clash(other.what, one.what, `need the same path: ${one.path}`)
  }
  // The directory must be new, so that it is complete or not there.
  const inside = files.find(({ path }) => !overwrite && key(path).startsWith(key(`${extractPath}${sep}`)))
  if (inside !== undefined)
    throw clash('extract', inside.what, `would share the new directory ${extractPath}`)
  return paths
}

const DEFAULT_NAME = '{supplier}_{format}_{date}T{time}Z.zip'
const LONGEST_VALUE_BYTES = 120

/**
 * Fills the placeholders: `{supplier}` (or `parts`), `{format}`, `{class}`, `{date}`, `{time}` (UTC, `HHMMSS`), `{start}`. Values
 * cannot add directories or invalid characters; undefined values are empty.
 */
function filled(template: string, facts: NameFacts): string {
  const iso = new Date(facts.nowMs).toISOString()
  const values: Record<string, string> = {
    supplier: facts.supplier === undefined ? 'parts' : safeComponent(facts.supplier),
    format: safeComponent(facts.format),
    class: facts.formatClass ?? '',
    date: iso.slice(0, 10),
    time: iso.slice(11, 19).replaceAll(':', ''),
    start: facts.startDate ?? '',
  }
  return template.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    if (Object.hasOwn(values, name)) return values[name]!
    const known = Object.keys(values)
      .map((one) => `{${one}}`)
      .join(' ')
    throw new Failure('usage', `output name: unknown placeholder ${escapeUnsafe(whole)}; expected ${known}`, {
      hint: 'fix the name',
      options: ['output'],
    })
  })
}

// A supplier ID can be any text, even a path.
function safeComponent(text: string): string {
  const safe = text.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, '-')
  const short = Buffer.from(safe).subarray(0, LONGEST_VALUE_BYTES)
  return short.toString('utf8').replace(/\ufffd+$/, '')
}
