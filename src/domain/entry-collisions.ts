/** The one spelling of a name that every file system would give it: Unicode form, case and invisible characters folded. */
export function collisionKey(name: string): string {
  const path = name.endsWith('/') ? name.slice(0, -1) : name
  if (ASCII.test(path)) return path.toLowerCase()
  // Upper case first: it unfolds what lower case keeps apart (ß and ss, ſ and s, ligatures).
  return path.normalize('NFD').replace(IGNORABLE, '').toUpperCase().toLowerCase().normalize('NFC')
}

const ASCII = /^[\0-\x7f]*$/

// What some file systems leave out when they compare names.
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu

export interface CollisionCheck {
  /** Takes one name (`/` at the end of a folder); the reason when it can't stand beside those taken before, else undefined. */
  readonly add: (name: string) => string | undefined
}

/** Finds names that would meet on disk: the same, by case, by Unicode form, or a file where another needs a folder. */
export function createCollisionCheck(): CollisionCheck {
  // Each key with the spelling that took it; folders end with `/`.
  const taken = new Map<string, string>()
  let lastFolder = ''
  const add = (name: string): string | undefined => {
    const slash = name.lastIndexOf('/', name.length - 2)
    const folder = name.slice(0, slash + 1)
    if (folder !== lastFolder) {
      const problem = addFolders(taken, folder)
      if (problem !== undefined) return problem
      lastFolder = folder
    }
    const key = collisionKey(name)
    const other = taken.get(key)
    if (other === undefined) {
      taken.set(key, name)
      return undefined
    }
    if (other === `${name}\0`) {
      // The folder was only implied so far; now its own entry is here.
      taken.set(key, name)
      return undefined
    }
    return collision(name, other)
  }
  return { add }
}

/** Takes every folder on the way down to `folder`; a NUL at the end marks one that has no entry of its own yet. */
function addFolders(taken: Map<string, string>, folder: string): string | undefined {
  for (let end = folder.indexOf('/'); end !== -1; end = folder.indexOf('/', end + 1)) {
    const path = folder.slice(0, end + 1)
    const key = collisionKey(path)
    const other = taken.get(key)
    if (other === undefined) taken.set(key, `${path}\0`)
    else if (other !== path && other !== `${path}\0`) return collision(path, other)
  }
  return undefined
}

function collision(name: string, marked: string): string {
  const other = marked.endsWith('\0') ? marked.slice(0, -1) : marked
  if (name === other) return 'name is there twice'
  if (name.endsWith('/') !== other.endsWith('/')) {
    return `name is a ${name.endsWith('/') ? 'folder' : 'file'} here and a ${other.endsWith('/') ? 'folder' : 'file'} elsewhere`
  }
  return `name differs from ${JSON.stringify(other)} only by case or Unicode form`
}
