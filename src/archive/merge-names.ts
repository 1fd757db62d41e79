import { collisionKey } from './entry-collisions.ts'
import { MAX_COMPONENT_BYTES } from './entry-name.ts'

/** Gives every entry of a merged archive a name that meets no other, on any file system. */
export interface MergeNames {
  /** Takes note of a name that an input has, before any is given. */
  readonly reserve: (name: string) => void
  /** A file's name with its folders in the spelling that came first. */
  readonly spelled: (name: string) => string
  /** The name for the first file of this name: its own, or a numbered one where it would meet a folder. */
  readonly first: (name: string) => string
  /** A numbered name for a later file of this name: ` (2)` before its extension, or the next number that is free. */
  readonly numbered: (name: string) => string
  /** A folder's name, in the spelling that came first. */
  readonly folder: (name: string) => string
  /** What is kept about the files of one name, in whatever spelling; a value for the caller's own use. */
  readonly notes: Map<string, readonly number[] | undefined>
}

export function createMergeNames(): MergeNames {
  // The key of every file's name.
  const files: MergeNames['notes'] = new Map()
  // Each folder's key with the spelling that came first.
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
    notes: files,
  }
}

/** A stem that would make the name too long for a file system loses its last letters. */
function withSuffix(folder: string, stem: string, suffix: string): string {
  const letters = [...stem]
  while (Buffer.byteLength(letters.join('') + suffix) > MAX_COMPONENT_BYTES && letters.length > 1)
    letters.pop()
  return folder + letters.join('') + suffix
}
