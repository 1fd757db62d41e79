import { basename, dirname, join } from 'node:path'
import { Failure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import {
  absolutePath,
  checkFileTarget,
  checkFolderTarget,
  isFolder,
  makeFolders,
  takeBackFolders,
} from '../fs/output-target.ts'
import { DEFAULT_NAME, fillName, holdsTime, type NameFacts } from './output-name.ts'

/** Where the user wants results to go; names may hold placeholders. */
export interface PlaceWish {
  /** A file, an existing folder, or `-`; the usual name unless given. */
  readonly output: string | undefined
  readonly overwrite: boolean
  readonly extract: string | true | undefined
  readonly manifest: string | true | undefined
  /** Further files that will be written: what they are called in messages, and where. */
  readonly others: readonly { readonly what: string; readonly path: string }[]
}

/** Where each result goes: absolute paths, with the archive's as the user would write it. */
export interface Place {
  /** `-` for standard output. */
  readonly shown: string
  /** Undefined for standard output. */
  readonly archivePath: string | undefined
  /** True when the name changes with the clock, so that an unfinished run has another name. */
  readonly holdsTime: boolean
  readonly extractPath: string | undefined
  readonly manifestPath: string | undefined
  /** Results may replace what stands at their names. */
  readonly overwrite: boolean
}

/** Settles where everything goes, from placeholders and the working directory. Mistakes are `usage`; nothing is touched. */
export async function settlePlace(world: World, wish: PlaceWish, facts: NameFacts): Promise<Place> {
  const template = wish.output ?? DEFAULT_NAME
  if (template === '-') return settleStdout(world, wish)
  const output = filled(template, facts)
  const inFolder = await isFolder(world.disk, absolutePath(world.cwd, output))
  const shown = inFolder ? join(output, filled(DEFAULT_NAME, facts)) : output
  return placeOf(world, wish, shown, holdsTime(inFolder ? DEFAULT_NAME : template))
}

/** The same place under another name of the archive, when an unfinished run of the same request is taken up. */
export function placeOf(world: World, wish: PlaceWish, shown: string, changesWithTime: boolean): Place {
  const archivePath = absolutePath(world.cwd, shown)
  return {
    shown,
    archivePath,
    holdsTime: changesWithTime,
    overwrite: wish.overwrite,
    extractPath: wish.extract === undefined ? undefined : extractFolder(world, wish.extract, archivePath),
    manifestPath:
      wish.manifest === undefined
        ? undefined
        : wish.manifest === true
          ? `${archivePath}.manifest.json`
          : absolutePath(world.cwd, wish.manifest),
  }
}

/**
 * Checks that every result can be written, before anything is sent: names free or replaceable, folders writable. `isPublished`
 * says that this very run's archive stands there already.
 */
export async function checkPlace(
  world: World,
  place: Place,
  wish: PlaceWish,
  isPublished: boolean,
): Promise<void> {
  const { disk } = world
  if (place.archivePath !== undefined && !isPublished) {
    await checkFileTarget(disk, place.archivePath, 'output', place.overwrite)
  }
  if (place.extractPath !== undefined) {
    await checkFolderTarget(disk, place.extractPath, 'extract', place.overwrite)
  }
  if (place.manifestPath !== undefined)
    await checkFileTarget(disk, place.manifestPath, 'manifest', place.overwrite)
  for (const { what, path } of wish.others) {
    await checkFileTarget(disk, absolutePath(world.cwd, path), what, place.overwrite)
  }
}

/** Makes the folders that results will stand in. The returned function takes back those that are still empty. */
export async function makePlace(world: World, place: Place, wish: PlaceWish): Promise<() => Promise<void>> {
  const files = [
    place.archivePath,
    place.manifestPath,
    ...wish.others.map(({ path }) => absolutePath(world.cwd, path)),
  ]
  const folders = [
    ...files.filter((path) => path !== undefined).map((path) => dirname(path)),
    ...(place.extractPath === undefined ? [] : [dirname(place.extractPath)]),
  ]
  const made: string[] = []
  for (const folder of new Set(folders)) made.push(...(await makeFolders(world.disk, folder)))
  return () => takeBackFolders(world.disk, made)
}

function settleStdout(world: World, wish: PlaceWish): Place {
  const hint = 'name them, or give --output a file'
  if (world.stdout.isTTY === true) {
    throw new Failure('usage', 'an archive is not written to a terminal', {
      hint: 'redirect standard output, or give --output a file',
    })
  }
  if (wish.extract === true) throw new Failure('usage', '--extract needs a folder with --output -', { hint })
  if (wish.manifest === true) throw new Failure('usage', '--manifest needs a file with --output -', { hint })
  return {
    shown: '-',
    archivePath: undefined,
    holdsTime: false,
    overwrite: wish.overwrite,
    extractPath: wish.extract === undefined ? undefined : absolutePath(world.cwd, wish.extract),
    manifestPath: wish.manifest === undefined ? undefined : absolutePath(world.cwd, wish.manifest),
  }
}

function filled(template: string, facts: NameFacts): string {
  const result = fillName(template, facts)
  if ('name' in result) return result.name
  throw new Failure('usage', `--output: ${result.reason}`, { hint: 'mend the name given with --output' })
}

// The archive's name without `.zip`; a name without it gets a suffix, since it can't be both file and folder.
function extractFolder(world: World, extract: string | true, archivePath: string): string {
  if (extract !== true) return absolutePath(world.cwd, extract)
  const name = basename(archivePath)
  const stem = name.replace(/\.zip$/i, '')
  return join(dirname(archivePath), stem === name || stem === '' ? `${name}.extracted` : stem)
}
