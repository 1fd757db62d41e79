import { jsonText } from '../base/visible-json.ts'

/** A name with Unicode form, case and invisible characters folded: names that collide on any file system have equal keys. */
export function collisionKey(name: string): string {
  const path = name.endsWith('/') ? name.slice(0, -1) : name
  if (ASCII.test(path)) return path.toLowerCase()
  // Upper case maps ß to SS, ſ to S and splits ligatures; ẞ becomes ß first.
  return path
    .normalize('NFD')
    .replace(IGNORABLE, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
}

const ASCII = /^[\0-\x7f]*$/

// Some file systems ignore these when they compare names.
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu

export interface CollisionCheck {
  /** Adds a name (a directory's ends with `/`); the reason when it collides with one added before, else undefined. */
  readonly add: (name: string) => string | undefined
}

/** Finds names that would collide on disk: equal, by case, by Unicode form, or a file where another needs a directory. */
export function createCollisionCheck(): CollisionCheck {
  const taken = new Map<string, string>()
  // Every parent directory of a name, with or without its own entry.
  const folders = new Map<string, string>()
  let lastFolder = ''
  const add = (name: string): string | undefined => {
    const slash = name.lastIndexOf('/', name.length - 2)
    if (slash + 1 !== lastFolder.length || !name.startsWith(lastFolder)) {
      const folder = name.slice(0, slash + 1)
      const problem = enter(folder)
      if (problem !== undefined) return problem
      lastFolder = folder
    }
    const key = collisionKey(name)
    const other = taken.get(key) ?? (name.endsWith('/') ? undefined : folders.get(key))
    if (other !== undefined) return collision(name, other)
    taken.set(key, name)
    return name.endsWith('/') ? enter(name) : undefined
  }
  /** Adds every parent of `folder`, and `folder`. */
  const enter = (folder: string): string | undefined => {
    for (let end = folder.indexOf('/'); end !== -1; end = folder.indexOf('/', end + 1)) {
      const path = folder.slice(0, end + 1)
      const key = collisionKey(path)
      const known = folders.get(key)
      if (known === undefined) folders.set(key, path)
      const other = known ?? taken.get(key)
      if (other !== undefined && other !== path) return collision(path, other)
    }
    return undefined
  }
  return { add }
}

function collision(name: string, other: string): string {
  if (name === other) return 'name occurs twice'
  if (name.endsWith('/') !== other.endsWith('/')) {
    const [here, elsewhere] = name.endsWith('/') ? ['directory', 'file'] : ['file', 'directory']
    return `${jsonText(name)} is a ${here} here and a ${elsewhere} elsewhere`
  }
  return `name differs from ${jsonText(other)} only by case or Unicode form`
}
