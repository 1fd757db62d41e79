import { isUtf8 } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Entry, fromBufferPromise } from 'yauzl'
import { extractArchive } from '../../src/archive/extract-archive.ts'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { verifyArchive } from '../../src/archive/verify-archive.ts'
import { isFailure } from '../../src/base/failure.ts'
import { SILENT } from '../../src/base/notice.ts'
import { needs } from '../support/programs.ts'
import { sweep } from '../support/soak.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { fuzzCase, fuzzSeeds } from '../support/zip-fuzz.ts'

const CASES = sweep(100, 5_000)
const OPTIONS = {
  limits: DEFAULT_ARCHIVE_LIMITS,
  overwrite: false,
  include: [],
  exclude: [],
  flat: false,
  reporter: SILENT,
}

interface Accepted {
  readonly index: number
  readonly path: string
  /** Each file's SHA-256 by its name as it was written. */
  readonly files: Readonly<Record<string, string>>
}

describe('mutations of good archives', () => {
  let folder: string
  let done: () => void
  const accepted: Accepted[] = []

  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      void withFolder((made) => {
        folder = made
        resolve()
        return new Promise<void>((end) => {
          done = end
        })
      })
    })
  })
  afterAll(() => done())

  it('are each accepted or refused, and nothing is written outside the target', async () => {
    const seeds = fuzzSeeds()
    const path = join(folder, 'a.zip')
    const target = join(folder, 'out')
    await mkdir(join(folder, 'kept'))
    let refused = 0
    for (let index = 0; index < CASES; index += 1) {
      const bytes = fuzzCase(seeds, index)
      await writeFile(path, bytes)
      const verifying = await verifyArchive(testWorld(), path, OPTIONS).catch((error: unknown) => error)
      const extracting = await extractArchive(testWorld(), path, target, OPTIONS).catch(
        (error: unknown) => error,
      )
      if (verifying instanceof Error) {
        refused += 1
        expect(isFailure(verifying) && verifying.kind, `case ${index}: ${verifying.stack}`).toBe('archive')
        expect(isFailure(extracting) && extracting.kind, `case ${index}`).toBe('archive')
        expect(await readdir(folder), `case ${index}`).toEqual(['a.zip', 'kept'])
        continue
      }
      expect(extracting instanceof Error && extracting.stack, `case ${index}`).toBe(false)
      expect((await readdir(folder)).toSorted(), `case ${index}`).toEqual(['a.zip', 'kept', 'out'])
      const files = await hashes(target)
      await rm(target, { recursive: true })
      const kept = join(folder, 'kept', `${index}.zip`)
      await writeFile(kept, bytes)
      accepted.push({ index, path: kept, files })
    }
    // Both must be common, or the mutations test nothing.
    expect(refused).toBeGreaterThan(CASES / 2)
    expect(accepted.length).toBeGreaterThan(CASES / 20)
  }, 600_000)

  it('agree with yauzl’s own names and streams on every name and byte where they are accepted', async () => {
    for (const { index, path, files } of accepted) {
      // yauzl refuses an entry `/`, which is the directory itself, and a directory that has a size and no data.
      const theirs = await readWithYauzl(path).catch((error: Error) => {
        if (!/^absolute path: \/$|^compressed\/uncompressed size mismatch .*: 0 != \d+$/.test(error.message))
          throw error
      })
      if (theirs !== undefined) expectSame(Object.entries(files), theirs, `case ${index}`)
    }
  }, 600_000)

  it.skipIf(!needs('python3'))(
    'agree with Python’s zipfile on every byte where they are accepted',
    async () => {
      const list = join(folder, 'list.json')
      await writeFile(list, JSON.stringify(accepted.map(({ path }) => path)))
      const output = execFileSync('python3', ['-c', READ_WITH_PYTHON, list], {
        encoding: 'utf8',
        maxBuffer: 1 << 28,
      })
      const read = JSON.parse(output) as PythonReading[]
      expect(read.length).toBe(accepted.length)
      for (const [position, { index, files }] of accepted.entries()) {
        const { error, entries } = read[position]!
        // It wants the same bytes there, although it writes others itself.
        if (error?.includes('File name in directory') === true) continue
        expect(error, `case ${index}`).toBeNull()
        expectSame(
          Object.entries(files),
          entries.filter(([name]) => !/[/\\]$/.test(name)),
          `case ${index}`,
        )
      }
    },
  )
})

/** A file as another reader has it; its name is `isOdd` where that reader is known to take it otherwise. */
type OtherFile = readonly [name: string, hash: string, isOdd: boolean]

/** Names and contents are the same; only the contents where a name is odd. */
function expectSame(
  own: readonly (readonly [string, string])[],
  theirs: readonly OtherFile[],
  what: string,
): void {
  if (theirs.some(([, , isOdd]) => isOdd)) {
    expect(own.map(([, hash]) => hash).toSorted(), what).toEqual(theirs.map(([, hash]) => hash).toSorted())
  } else {
    expect(own.toSorted(), what).toEqual(theirs.map(([name, hash]) => [name, hash]).toSorted())
  }
}

/** The SHA-256 of each file of an archive by its name, as yauzl reads it. */
async function readWithYauzl(path: string): Promise<OtherFile[]> {
  const bytes = await readFile(path)
  // yauzl takes no padding behind the end record.
  const end = bytes.lastIndexOf('PK\x05\x06')
  const archive = await fromBufferPromise(bytes.subarray(0, end + 22 + bytes.readUInt16LE(end + 20)), {
    lazyEntries: true,
  })
  const found: OtherFile[] = []
  for await (const entry of archive.eachEntry()) {
    if (entry.fileName.endsWith('/')) continue
    const hash = createHash('sha256')
    for await (const chunk of await archive.openReadStreamPromise(entry)) hash.update(chunk as Buffer)
    found.push([entry.fileName.replace(/^(\.\/)+/, ''), hash.digest('hex'), isUnflagged(entry)])
  }
  return found
}

/** yauzl reads names without the flag in code page 437 alone. */
function isUnflagged({ fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): boolean {
  const hasUnicodePath = extraFields.some(({ id }) => id === 0x7075)
  const isAscii = fileNameRaw.every((byte) => byte < 0x80)
  const isEastAsian = /[^\0-\x7f]\\/.test(fileNameRaw.toString('latin1'))
  return (
    (generalPurposeBitFlag & 0x800) === 0 &&
    !isAscii &&
    !hasUnicodePath &&
    (isUtf8(fileNameRaw) || isEastAsian)
  )
}

interface PythonReading {
  readonly error: string | null
  readonly entries: readonly OtherFile[]
}

const READ_WITH_PYTHON = `
import hashlib, json, sys, zipfile
def is_odd(info):
    name = info.orig_filename
    unflagged = not info.flag_bits & 0x800 and not name.isascii()
    return b'\\x75\\x70' in info.extra or unflagged or name.startswith('./') or '\\\\' in name
found = []
for path in json.load(open(sys.argv[1])):
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [[info.filename, hashlib.sha256(archive.read(info)).hexdigest(), is_odd(info)] for info in archive.infolist()]
        found.append({'error': None, 'entries': entries})
    except Exception as error:
        found.append({'error': repr(error), 'entries': []})
print(json.dumps(found))
`

async function hashes(target: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
    expect(entry.isFile() || entry.isDirectory()).toBe(true)
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    found[path.slice(target.length + 1)] = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
  }
  return found
}
