import { collisionKey } from './entry-collisions.ts'
import { MAX_COMPONENT_BYTES } from './entry-name.ts'

/** Gives every entry of a merged archive a name that collides with no other, on any file system. */
export interface MergeNames {
  /** Reserves a name that an input uses; call it for all inputs first. */
  readonly reserve: (name: string) => void
  /** A file's name with the first spelling of its directories. */
  readonly spelled: (name: string) => string
  /** The name for the first file of this name: its own, or a numbered one if it collides with a directory. */
  readonly first: (name: string) => string
  /** A numbered name for a later file of this name: ` (2)` before its extension, or the next number that is free. */
  readonly numbered: (name: string) => string
  /** The first spelling of a directory's name. */
  readonly folder: (name: string) => string
  /** What the caller knows of each file, by its `collisionKey`: its place in a list. */
  readonly places: Map<string, number | undefined>
}

export function createMergeNames(): MergeNames {
  // By the key of each file's name.
  const files: MergeNames['places'] = new Map()
  // By key, the first spelling of each directory.
  const folders = new Map<string, string>()
  let [lastFolder, lastSpelling] = ['', '']

  const folder = (name: string): string => {
    if (name === lastFolder) return lastSpelling
    let spelling = ''
    for (let start = 0; start < name.length; ) {
      const end = name.indexOf('/', start) + 1
      const own = spelling + name.slice(start, end)
      const key = collisionKey(own)
      const first = folders.get(key)
      if (first === undefined) folders.set(key, own)
      spelling = first ?? own
      start = end
    }
    lastFolder = name
    lastSpelling = spelling
    return spelling
  }
  const inFolder = (name: string): string => {
    const slash = name.lastIndexOf('/') + 1
    if (slash === 0) return name
    const own = name.slice(0, slash)
    const spelling = folder(own)
    return spelling === own ? name : spelling + name.slice(slash)
  }
  const numbered = (name: string): string => {
    const own = inFolder(name)
    const slash = own.lastIndexOf('/') + 1
    const dot = own.lastIndexOf('.')
    const [stem, extension] = dot > slash ? [own.slice(slash, dot), own.slice(dot)] : [own.slice(slash), '']
    for (let number = 2; ; number += 1) {
      const candidate = withSuffix(own.slice(0, slash), stem, ` (${number})${extension}`)
      const key = collisionKey(candidate)
      if (files.has(key) || folders.has(key)) continue
      files.set(key, undefined)
      return candidate
    }
  }
  return {
    reserve: (name) => {
      if (name.endsWith('/')) folder(name)
      else files.set(collisionKey(inFolder(name)), undefined)
    },
    first: (name) => {
      const own = inFolder(name)
      return folders.has(collisionKey(own)) ? numbered(name) : own
    },
    spelled: inFolder,
    numbered,
    folder,
    places: files,
  }
}

/** Shortens the stem when the name would be too long for a file system. */
function withSuffix(folder: string, stem: string, suffix: string): string {
  const characters = [...stem]
  while (Buffer.byteLength(characters.join('') + suffix) > MAX_COMPONENT_BYTES && characters.length > 1)
    characters.pop()
  return folder + characters.join('') + suffix
}
