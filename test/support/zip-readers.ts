import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What a reader makes of an archive: the SHA-256 of each file by its path (bytes as latin1), or undefined when it fails. */
export type Reading = ReadonlyMap<string, string> | undefined

/** The other readers, in the order in which they are asked. */
export const READERS = ['python3', 'bsdtar', 'unzip', '7zz'] as const
export type Reader = (typeof READERS)[number]

const COMMANDS: Readonly<Record<Exclude<Reader, 'python3'>, (path: string, out: string) => string[]>> = {
  bsdtar: (path, out) => ['-xf', path, '-C', out, '--passphrase', 'x'],
  unzip: (path, out) => ['-qq', '-o', '-P', 'x', path, '-d', out],
  '7zz': (path, out) => ['x', '-y', '-bso0', '-bsp0', '-bse0', '-px', `-o${out}`, path],
}

/** Extracts an archive with a program into the empty directory `out`, and empties it again. Exit code 1 is a warning. */
export async function readWith(
  reader: Exclude<Reader, 'python3'>,
  path: string,
  out: string,
): Promise<Reading> {
  const warnings = reader === 'bsdtar' ? [] : [1]
  try {
    const running = promisify(execFile)(reader, COMMANDS[reader](path, out), { timeout: 5_000 })
    // A question for a password or a new name has no answer.
    running.child.stdin?.end()
    await running.catch((error: { readonly code?: unknown }) => {
      if (!warnings.includes(error.code as number)) throw error
    })
    return await filesIn(out)
  } catch {
    return undefined
  } finally {
    for (const name of await readdir(out, { encoding: 'buffer' })) {
      await rm(Buffer.concat([Buffer.from(`${out}/`), name]), { recursive: true, force: true })
    }
  }
}

/** Reads many archives in one process of Python. */
export async function readWithPython(paths: readonly string[], folder: string): Promise<Reading[]> {
  const list = join(folder, 'list.json')
  await writeFile(list, JSON.stringify(paths))
  const { stdout } = await promisify(execFile)('python3', ['-c', PYTHON, list], { maxBuffer: 1 << 28 })
  await rm(list)
  const found = JSON.parse(stdout) as readonly (Readonly<Record<string, string>> | null)[]
  return found.map((files) => (files === null ? undefined : new Map(Object.entries(files))))
}

// Paths as `extractall` would have them.
const PYTHON = `
import hashlib, json, sys, zipfile
def path_of(name):
    return '/'.join(part for part in name.split('/') if part not in ('', '.', '..'))
def as_latin1(name):
    return name.encode('utf-8', 'surrogatepass').decode('latin-1')
found = []
for path in json.load(open(sys.argv[1])):
    try:
        with zipfile.ZipFile(path) as archive:
            found.append({as_latin1(path_of(info.filename)): hashlib.sha256(archive.read(info)).hexdigest()
                for info in archive.infolist() if not info.is_dir()})
    except Exception:
        found.append(None)
print(json.dumps(found))
`

/** The files below a directory, as a reading. Anything but a file or a directory is shown by its kind. */
export async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const walk = async (relative: Buffer): Promise<void> => {
    const here = Buffer.concat([Buffer.from(`${folder}/`), relative])
    for (const name of await readdir(here, { encoding: 'buffer' })) {
      const path = Buffer.concat([relative, name])
      const full = Buffer.concat([here, name])
      const facts = await lstat(full)
      if (facts.isDirectory()) await walk(Buffer.concat([path, Buffer.from('/')]))
      else if (!facts.isFile()) found.set(path.toString('latin1'), 'not a file')
      else {
        found.set(
          path.toString('latin1'),
          createHash('sha256')
            .update(await readFile(full))
            .digest('hex'),
        )
      }
    }
  }
  await walk(Buffer.alloc(0))
  return found
}

/** True when two readings have the same files with the same contents. */
export function isSameReading(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([path, hash]) => other.get(path) === hash)
}
