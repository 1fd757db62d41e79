import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { extractArchive } from '../../src/archive/extract-archive.ts'
import { MergeNames, mergeArchives, planMerge } from '../../src/archive/merge-archives.ts'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { type VerifiedArchive, verifyArchive } from '../../src/archive/verify-archive.ts'
import { SILENT } from '../../src/base/notice.ts'
import { failingDisks, watchedSyncDisk } from '../support/failing-sync-disk.ts'
import { sourcesOf } from '../support/merge-sources.ts'
import { needs, posixTest } from '../support/programs.ts'
import { snapshot } from '../support/snapshot.ts'
import { IS_SOAK, sweep } from '../support/soak.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { extraField, u16, u32, u64, unicodePathField, type ZipEntry, zip } from '../support/zip.ts'

interface Merged {
  readonly folder: string
  readonly path: string
  readonly bytes: Buffer
  readonly verified: VerifiedArchive
  /** Each file's text by its name. */
  readonly texts: Readonly<Record<string, string>>
}

/** Merges archives made of these entries, verifies the result and unpacks it. */
async function merged(
  inputs: readonly (readonly ZipEntry[] | Buffer)[],
  body: (result: Merged) => unknown,
): Promise<void> {
  await withFolder(async (folder) => {
    const paths = await writeInputs(folder, inputs)
    const path = join(folder, 'draft')
    await mergeArchives(testWorld(), sourcesOf(paths), path, { reporter: SILENT })
    const bytes = await readFile(path)
    const verified = await verifyArchive(testWorld(), path, {
      limits: DEFAULT_ARCHIVE_LIMITS,
      reporter: SILENT,
    })
    await extractArchive(testWorld(), path, join(folder, 'out'), {
      limits: DEFAULT_ARCHIVE_LIMITS,
      overwrite: false,
      include: [],
      exclude: [],
      flat: false,
      reporter: SILENT,
    })
    const found = await snapshot(join(folder, 'out'))
    const files = found.filter((one) => !one.path.endsWith('/'))
    const texts = Object.fromEntries(
      files.map((one) => [one.path, Buffer.from(one.content, 'latin1').toString()]),
    )
    await body({ folder, path, bytes, verified, texts })
  })
}

async function writeInputs(
  folder: string,
  inputs: readonly (readonly ZipEntry[] | Buffer)[],
): Promise<string[]> {
  const paths: string[] = []
  for (const [index, input] of inputs.entries()) {
    const path = join(folder, `${index}.zip`)
    await writeFile(path, Buffer.isBuffer(input) ? input : zip(input as readonly ZipEntry[]))
    paths.push(path)
  }
  return paths
}

const file = (name: string, data: string, more: Partial<ZipEntry> = {}): ZipEntry => ({ name, data, ...more })

describe('mergeArchives', () => {
  it('puts the entries one after the other, in the order of the inputs', async () => {
    await merged(
      [[file('b', '1'), file('d/', '')], [], [file('a', '2'), file('d/c', '3')]],
      ({ verified, texts }) => {
        expect(verified.entries.map(({ name }) => name)).toEqual(['b', 'd/', 'a', 'd/c'])
        expect(texts).toEqual({ b: '1', a: '2', 'd/c': '3' })
      },
    )
  })

  it('gives the same bytes for the same inputs', async () => {
    const inputs = [
      [file('a', '1'), file('x', 'same')],
      [file('x', 'same'), file('a', '2')],
    ]
    const results: Buffer[] = []
    for (let round = 0; round < 2; round += 1) await merged(inputs, ({ bytes }) => results.push(bytes))
    expect(results[0]!.equals(results[1]!)).toBe(true)
  })

  it('copies many small entries, of more bytes than a block', async () => {
    const names = Array.from(
      { length: sweep(1500, 6000) },
      (_, at) => `${`${at}`.padEnd(240, 'x')}/${'y'.repeat(250)}/${'z'.repeat(250)}`,
    )
    const inputs = [0, 1].map((half) =>
      names.filter((_, at) => at % 2 === half).map((name) => file(name, name)),
    )
    await merged(inputs, ({ verified, texts }) => {
      expect(verified.entries).toHaveLength(names.length)
      expect(texts).toEqual(Object.fromEntries(names.map((name) => [name, name])))
    })
  })

  it('makes an empty archive of nothing', async () => {
    await merged([], ({ bytes }) => expect(bytes.equals(zip([]))).toBe(true))
    await merged([[], []], ({ bytes }) => expect(bytes.equals(zip([]))).toBe(true))
  })

  it('copies a single archive as it is', async () => {
    const input = zip([file('a', 'text'), file('b', 'more', { method: 0 }), file('c/', '')])
    await merged([input], ({ bytes }) => expect(bytes.equals(input)).toBe(true))
  })

  it('copies packed data as it is, with its date, its comment and its extra fields, and needs no descriptor', async () => {
    const stamp = extraField(0x5455, Buffer.from([1, 0, 0xf1, 0x53, 0x65]))
    const entry = file('b', 'x'.repeat(500), {
      descriptor: 'signed',
      extra: stamp,
      central: { comment: 'kept', extra: stamp },
    })
    await merged([[file('a', 'x')], [entry]], ({ bytes, verified }) => {
      const [, b] = verified.entries
      expect(b!.modifiedMs).toBe(0x6553f100 * 1000)
      expect(bytes.subarray(b!.dataOffset, b!.endOffset).equals(deflateRawSync('x'.repeat(500)))).toBe(true)
      expect(bytes.includes('kept')).toBe(true)
      expect(bytes.readUInt16LE(b!.headerOffset + 6)).toBe(0)
      expect(bytes.readUInt32LE(b!.headerOffset + 22)).toBe(500)
    })
  })

  it('takes the entries of an archive whose directory has another order in that order', async () => {
    const input = zip([file('a', '1'), file('b', '2'), file('c', '3')], { reverseDirectory: true })
    await merged([input, [file('d', '4')]], ({ texts, verified }) => {
      expect(texts).toEqual({ a: '1', b: '2', c: '3', d: '4' })
      expect(verified.entries.map(({ name }) => name)).toEqual(['c', 'b', 'a', 'd'])
    })
  })

  it('reports progress', async () => {
    await withFolder(async (folder) => {
      const paths = await writeInputs(folder, [[file('a', '1')], [file('b', '2')]])
      const told: unknown[] = []
      await mergeArchives(testWorld(), sourcesOf(paths), join(folder, 'draft'), {
        reporter: { ...SILENT, progress: (progress) => told.push(progress) },
      })
      expect(told).toEqual([
        { phase: 'merging', bytes: expect.any(Number), totalBytes: expect.any(Number) },
        { phase: 'merging', bytes: expect.any(Number), totalBytes: expect.any(Number) },
      ])
    })
  })
})

/** Two texts of the same length with the same CRC-32. */
function crcTwins(): readonly [string, string] {
  const seen = new Map<number, string>()
  for (let index = 0; ; index += 1) {
    const text = `text-${String(Math.imul(index, 2654435761) >>> 0).padStart(10, '0')}`
    const sum = crc32(text)
    const other = seen.get(sum)
    if (other !== undefined && other !== text) return [other, text]
    seen.set(sum, text)
  }
}

describe('mergeArchives of files with the same name', () => {
  it('keeps one of the same content, and numbers the others before the extension', async () => {
    const inputs = ['1', '2', '1', '3', '2'].map((data) => [file('d/part.a.xml', data)])
    await merged(inputs, ({ texts, verified }) => {
      expect(texts).toEqual({ 'd/part.a.xml': '1', 'd/part.a (2).xml': '2', 'd/part.a (3).xml': '3' })
      expect(verified.entries.map(({ name }) => name)).toEqual([
        'd/part.a.xml',
        'd/part.a (2).xml',
        'd/part.a (3).xml',
      ])
    })
  })

  it.each([
    ['without extension', 'd/part', 'd/part (2)'],
    ['with a leading dot alone', 'd.x/.part', 'd.x/.part (2)'],
    ['in another alphabet', '部品.xml', '部品 (2).xml'],
    ['as long as may be', `${'x'.repeat(251)}.xml`, `${'x'.repeat(247)} (2).xml`],
  ])('numbers a name %s', async (_title, name, expected) => {
    await merged([[file(name, '1')], [file(name, '2')]], ({ texts }) =>
      expect(texts).toEqual({ [name]: '1', [expected]: '2' }),
    )
  })

  it('never takes a number that an input uses itself, before or after', async () => {
    const inputs = [
      [file('a.x', '1'), file('a (2).x', '2')],
      [file('a.x', '3')],
      [file('A (3).x', '4'), file('a (2).x', '5')],
    ]
    await merged(inputs, ({ texts }) => {
      expect(texts).toEqual({
        'a.x': '1',
        'a (2).x': '2',
        'a (4).x': '3',
        'A (3).x': '4',
        'a (2) (2).x': '5',
      })
    })
  })

  it('looks at the bytes where size and CRC-32 are the same', async () => {
    const [one, other] = crcTwins()
    await merged(
      [[file('a', one)], [file('a', other)], [file('a', one)], [file('a', other, { method: 0 })]],
      ({ texts }) => {
        expect(texts).toEqual({ a: one, 'a (2)': other })
      },
    )
  })

  it('sees the same content though it is packed otherwise, also when it is large', async () => {
    const data = 'abcdefg'.repeat(500_000)
    await merged(
      [[file('a', data)], [file('a', data, { method: 0 })], [file('a', data, { descriptor: 'signed' })]],
      ({ verified }) => {
        expect(verified.entries.map(({ name, method }) => [name, method])).toEqual([['a', 'deflate']])
      },
    )
  })

  it('keeps empty files once', async () => {
    await merged([[file('a', '')], [file('a', '', { method: 8 })]], ({ texts }) =>
      expect(texts).toEqual({ a: '' }),
    )
  })

  it('numbers names that differ only by case or Unicode form, whatever their content', async () => {
    await merged(
      [
        [file('Part.xml', '1')],
        [file('part.xml', '1')],
        [file('gr\u00f6sse', '2')],
        [file('gro\u0308sse', '2')],
      ],
      ({ texts }) => {
        expect(texts).toEqual({
          'Part.xml': '1',
          'part (2).xml': '1',
          'gr\u00f6sse': '2',
          'gro\u0308sse (2)': '2',
        })
      },
    )
  })

  it('spells a directory as it was spelt first', async () => {
    await merged(
      [
        [file('Reach/a', '1')],
        [file('REACH/', ''), file('REACH/b', '2')],
        [file('reach/A', '1'), file('reach/a (2)', '3')],
      ],
      ({ texts }) => {
        expect(texts).toEqual({ 'Reach/a': '1', 'Reach/b': '2', 'Reach/A (3)': '1', 'Reach/a (2)': '3' })
      },
    )
  })

  it('keeps directory entries once', async () => {
    await merged([[file('d/', '')], [file('d/', ''), file('d/a', '1')]], ({ verified }) => {
      expect(verified.entries.map(({ name }) => name)).toEqual(['d/', 'd/a'])
    })
  })

  it('numbers a file in the place of a directory, whichever came first', async () => {
    await merged([[file('a', '1')], [file('a/b', '2')]], ({ texts }) =>
      expect(texts).toEqual({ 'a (2)': '1', 'a/b': '2' }),
    )
    await merged([[file('a/b', '2')], [file('a', '1')]], ({ texts }) =>
      expect(texts).toEqual({ 'a (2)': '1', 'a/b': '2' }),
    )
  })

  it('writes a numbered name in UTF-8, whatever the old encoding', async () => {
    const codePage = Buffer.from([0x81])
    const inputs = [
      [file('x', '0'), { name: codePage, data: '1' }],
      [{ name: codePage, data: '2' }],
      [{ name: codePage, data: '3', extra: unicodePathField(codePage, 'ü') }],
      [file('ü', '1')],
    ]
    await merged(inputs, ({ texts, verified }) => {
      expect(texts).toEqual({ x: '0', ü: '1', 'ü (2)': '2', 'ü (3)': '3' })
      expect(verified.entries.map(({ name }) => name)).toEqual(['x', 'ü', 'ü (2)', 'ü (3)'])
    })
  })
})

it('mergeArchives keeps names apart that Unicode path fields gave to the same raw bytes', async () => {
  const raw = Buffer.from('__.xml')
  const named = (name: string, data: string): ZipEntry => ({
    name: raw,
    data,
    extra: unicodePathField(raw, name),
  })
  await merged(
    [[named('äö.xml', '1')], [named('日本.xml', '2')], [named('äö.xml', '1')]],
    ({ texts, bytes }) => {
      expect(texts).toEqual({ 'äö.xml': '1', '日本.xml': '2' })
      expect(bytes.includes(unicodePathField(raw, 'äö.xml'))).toBe(false)
    },
  )
})

posixTest('mergeArchives writes names as they are read: without ./, with /, in UTF-8', async () => {
  const inputs: ZipEntry[][] = [
    [{ name: './' }, file('./a', '1')],
    [file('d\\b', '2', { central: { madeBy: 20 } }), file('a', '1')],
    [
      { name: Buffer.from([0x81]), data: '3' },
      { name: Buffer.from('ö'), data: '4' },
    ],
  ]
  await merged(inputs, ({ texts, verified }) => {
    expect(texts).toEqual({ a: '1', 'd/b': '2', ü: '3', ö: '4' })
    expect(verified.entries.map(({ name }) => name)).toEqual(['./', 'a', 'd/b', 'ü', 'ö'])
  })
})

describe('mergeArchives with ZIP64', () => {
  const zip64 = (...values: number[]): Buffer => extraField(0x0001, Buffer.concat(values.map(u64)))

  it('writes no offset of an input, though its ZIP64 field repeats all numbers', async () => {
    const packed = deflateRawSync('text').length
    const entry = (offset: number, name: string): ZipEntry =>
      file(name, 'text', { central: { extra: zip64(4, packed, offset) } })
    const input = zip([entry(0, 'a'), entry(31 + packed, 'b')])
    await merged([[file('x', '1')], input, [file('y', '2')]], ({ texts, verified }) => {
      expect(texts).toEqual({ x: '1', a: 'text', b: 'text', y: '2' })
      expect(verified.entries.map(({ name }) => name)).toEqual(['x', 'a', 'b', 'y'])
    })
  })

  it('drops what it no longer needs, and keeps other fields', async () => {
    const other = extraField(0xcafe, Buffer.from('kept'))
    const large = 0xffffffff
    const entry: ZipEntry = {
      name: 'a',
      data: 'abcd',
      method: 0,
      local: { bytes: large, packedBytes: large, extra: Buffer.concat([zip64(4, 4), other]) },
      central: {
        bytes: large,
        packedBytes: large,
        headerOffset: large,
        extra: Buffer.concat([other, zip64(4, 4, 0)]),
      },
    }
    await merged(
      [zip([entry], { zip64: {} }), [file('a', '2')], zip([entry], { zip64: {} })],
      ({ texts, bytes, verified }) => {
        expect(texts).toEqual({ a: 'abcd', 'a (2)': '2' })
        const directory = bytes.subarray(verified.entries[1]!.endOffset)
        expect(directory.includes('kept')).toBe(true)
        expect(directory.includes(zip64(4, 4, 0))).toBe(false)
      },
    )
  })

  it('ends with its records when there are 65,535 entries (APPNOTE 4.3.14 to 4.3.16)', () =>
    withFolder(async (folder) => {
      const count = 65_535
      const entries = Array.from({ length: count - 1 }, (_, index) => file(`${index}`, '', { method: 0 }))
      const paths = await writeInputs(folder, [entries, [file('last', '', { method: 0 })]])
      const path = join(folder, 'all.zip')
      await mergeArchives(testWorld(), sourcesOf(paths), path, { reporter: SILENT })
      const bytes = await readFile(path)
      const offset = bytes.indexOf('PK\u0001\u0002')
      const length = bytes.length - offset - 98
      const record = [u32(0x06064b50), u64(44), u16(45), u16(45), u32(0), u32(0)]
      const locator = [u32(0x07064b50), u32(0), u64(offset + length), u32(1)]
      const end = [u32(0x06054b50), u16(0), u16(0), u16(count), u16(count), u32(length), u32(offset), u16(0)]
      expect(bytes.subarray(-98)).toEqual(
        Buffer.concat([
          ...[...record, u64(count), u64(count), u64(length), u64(offset)],
          ...[...locator, ...end],
        ]),
      )
    }))

  it.runIf(IS_SOAK && needs('python3', 'unzip', 'bsdtar', '7zz'))(
    'is read by other tools with more than 65,535 entries',
    async () => {
      await withFolder(async (folder) => {
        const inputs = Array.from({ length: 3 }, (_, input) =>
          zip(Array.from({ length: 25_000 }, (_, index) => file(`${input}/${index}`, '', { method: 0 }))),
        )
        const paths = await writeInputs(folder, inputs)
        const path = join(folder, 'all.zip')
        await mergeArchives(testWorld(), sourcesOf(paths), path, { reporter: SILENT })
        const verified = await verifyArchive(testWorld(), path, {
          limits: DEFAULT_ARCHIVE_LIMITS,
          reporter: SILENT,
        })
        expect(verified.entries.length).toBe(75_000)
        readByOthers(path, 75_000)
      })
    },
    120_000,
  )
})

/** Has the other tools test an archive; each throws when it finds a fault. */
function readByOthers(path: string, entries: number): void {
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] })
  run('unzip', '-tq', path)
  run('7zz', 't', path)
  expect(run('bsdtar', '-tf', path).trimEnd().split('\n').length).toBe(entries)
  const python =
    'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(len(z.namelist()))'
  expect(run('python3', '-c', python, path).trim()).toBe(String(entries))
}

describe.skipIf(!needs('python3', 'unzip', 'bsdtar', '7zz'))('what mergeArchives makes', () => {
  it('is read by other tools', async () => {
    const inputs = [
      [file('a.xml', '<a/>'), file('d/', ''), file('d/b', 'b', { descriptor: 'signed' })],
      [file('a.xml', '<other/>'), file('größe', 'x')],
      [file('a.xml', '<third/>', { descriptor: 'signed' }), file('größe', 'y')],
    ]
    await merged(inputs, ({ path, verified }) => readByOthers(path, verified.entries.length))
  })
})

describe('mergeArchives when something is wrong', () => {
  it.each<[string, Buffer, string]>([
    ['a damaged input', zip([file('a', 'x')]).subarray(0, -5), 'archive'],
    ['an input that is no archive', Buffer.from('<html>'), 'archive'],
    ['an input with a bad name', zip([file('../a', 'x')]), 'archive'],
  ])('refuses %s and leaves no draft', async (_title, bytes, kind) => {
    await withFolder(async (folder) => {
      const paths = await writeInputs(folder, [[file('b', '1')], bytes])
      await expect(
        mergeArchives(testWorld(), sourcesOf(paths), join(folder, 'draft'), { reporter: SILENT }),
      ).rejects.toMatchObject({ kind, details: { file: paths[1] } })
      expect((await readdir(folder)).toSorted()).toEqual(['0.zip', '1.zip'])
    })
  })

  it('refuses data that is damaged where it must be compared', async () => {
    await withFolder(async (folder) => {
      const broken = zip([file('a', 'some text', { packed: Buffer.from([0xff]), method: 8 })])
      const paths = await writeInputs(folder, [[file('a', 'some text')], broken])
      await expect(
        mergeArchives(testWorld(), sourcesOf(paths), join(folder, 'draft'), { reporter: SILENT }),
      ).rejects.toMatchObject({
        kind: 'archive',
        message: expect.stringContaining('1.zip: "a"'),
      })
      expect((await readdir(folder)).toSorted()).toEqual(['0.zip', '1.zip'])
    })
  })

  it('leaves no draft whichever call on the disk fails', async () => {
    const inputs = [
      [file('a', '1'), file('b', 'x')],
      [file('a', '2'), file('b', 'x', { method: 0 })],
    ]
    const calls: string[] = []
    for (let failing = 0; failing <= calls.length; failing += 1) {
      await withFolder(async (folder) => {
        const paths = await writeInputs(folder, inputs)
        let count = 0
        const { disk, syncDisk } = failingDisks((call) => {
          count += 1
          if (failing === 0) calls.push(call)
          return count === failing ? 'ENOSPC' : undefined
        })
        const what = `call ${failing}, ${calls[failing - 1]}`
        const ended = await mergeArchives(
          testWorld({ disk, syncDisk }),
          sourcesOf(paths),
          join(folder, 'draft'),
          {
            reporter: SILENT,
          },
        ).catch((error: unknown) => error)
        const names = (await readdir(folder)).toSorted()
        if (ended instanceof Error) {
          expect(ended, what).toMatchObject({ kind: 'io' })
          expect(names, what).toEqual(['0.zip', '1.zip'])
        } else {
          expect(names, what).toEqual(['0.zip', '1.zip', 'draft'])
        }
      })
    }
    expect(calls.length).toBeGreaterThan(20)
  })

  it.each([
    ['another entry', [file('a', '1'), file('b', '2')]],
    ['no entry', []],
  ])('refuses an input that has %s when it is copied', async (_, entries) => {
    await withFolder(async (folder) => {
      const paths = await writeInputs(folder, [[file('a', '1')]])
      let opened = 0
      const syncDisk = watchedSyncDisk((call, path) => {
        if (call !== 'openSync' || path !== paths[0]) return
        opened += 1
        if (opened === 2) writeFileSync(paths[0]!, zip(entries))
      })
      await expect(
        mergeArchives(testWorld({ syncDisk }), sourcesOf(paths), join(folder, 'draft'), { reporter: SILENT }),
      ).rejects.toMatchObject({ kind: 'archive', message: expect.stringContaining('changed') })
      expect(opened).toBe(2)
      expect((await readdir(folder)).toSorted()).toEqual(['0.zip'])
    })
  })

  it('compares files of the same name in many inputs with the first ones', async () => {
    const inputs = Array.from({ length: 20 }, (_, n) => [
      file('readme.txt', n % 3 === 2 ? 'new' : 'old'),
      file(`${n}.xml`, String(n)),
    ])
    await merged(inputs, ({ verified, texts }) => {
      expect(verified.entries).toHaveLength(22)
      expect([texts['readme.txt'], texts['readme (2).txt']]).toEqual(['old', 'new'])
    })
  })

  it('leaves no draft when it is stopped', async () => {
    await withFolder(async (folder) => {
      const paths = await writeInputs(folder, [[file('a', '1')], [file('b', '2')]])
      const world = testWorld()
      const reporter = { ...SILENT, progress: () => world.stop(new Error('stopped')) }
      await expect(
        mergeArchives(world, sourcesOf(paths), join(folder, 'draft'), { reporter }),
      ).rejects.toThrow('stopped')
      expect((await readdir(folder)).toSorted()).toEqual(['0.zip', '1.zip'])
    })
  })

  posixTest('replaces an old draft, and refuses a link or a directory without touching it', async () => {
    await withFolder(async (folder) => {
      const paths = await writeInputs(folder, [[file('a', '1')]])
      const draft = join(folder, 'draft')
      const merge = () => mergeArchives(testWorld(), sourcesOf(paths), draft, { reporter: SILENT })
      await writeFile(draft, 'x'.repeat(10_000))
      await merge()
      // Nothing of the old draft is left.
      expect((await readFile(draft)).indexOf('x')).toBe(-1)
      await rm(draft)
      await writeFile(join(folder, 'outside'), 'mine')
      await symlink(join(folder, 'outside'), draft)
      await expect(merge()).rejects.toMatchObject({ kind: 'io' })
      expect(await readFile(join(folder, 'outside'), 'utf8')).toBe('mine')
      await rm(draft)
      await mkdir(draft)
      await expect(merge()).rejects.toMatchObject({ kind: 'io' })
      expect(await readdir(draft)).toEqual([])
    })
  })
})

const never = new AbortController().signal

async function planned(archives: readonly (readonly ZipEntry[])[], signal = never, world = testWorld()) {
  return withFolder(async (folder) => {
    const paths = archives.map((_, index) => join(folder, `${index}.zip`))
    for (const [index, entries] of archives.entries()) await writeFile(paths[index]!, zip(entries))
    const { counts, names } = await planMerge(world, sourcesOf(paths), signal)
    expect(counts).toEqual(archives.map(({ length }) => length))
    return names
  })
}

test('a file is left out where the same name holds the same bytes, else it is numbered', async () => {
  const names = await planned([
    [
      { name: 'a', data: 'one' },
      { name: 'b', data: 'x' },
    ],
    [
      { name: 'a', data: 'one' },
      { name: 'b', data: 'y' },
    ],
    [
      { name: 'b', data: 'y' },
      { name: 'b (2)', data: 'z' },
    ],
  ])
  expect(names).toEqual(['a', 'b', undefined, 'b (3)', undefined, 'b (2)'])
})

test('a directory is kept once, in its first spelling', async () => {
  expect(await planned([[{ name: 'D/' }], [{ name: 'd/' }, { name: 'd/a', data: '' }]])).toEqual([
    'D/',
    undefined,
    'D/a',
  ])
})

test('a damaged input is an archive failure that names it', async () => {
  await expect(planned([[{ name: 'a', data: '' }], [{ name: '../a', data: '' }]])).rejects.toMatchObject({
    kind: 'archive',
    message: expect.stringContaining('1.zip'),
  })
})

test('a stopped plan ends with the reason', async () => {
  const reason = new Error('stopped')
  await expect(planned([[]], AbortSignal.abort(reason))).rejects.toBe(reason)
})

test('a plan that unpacks files to compare them ends with the reason, whichever read it is stopped at', async () => {
  const data = 'x'.repeat(1_000)
  const archives = [8, 0].map((method) => [{ name: 'a', data, method }])
  const planStoppedAt = async (last: number): Promise<number> => {
    const stop = new AbortController()
    let reads = 0
    const syncDisk = watchedSyncDisk((call) => {
      if (call !== 'readSync') return
      reads += 1
      if (reads === last) stop.abort(new Error('stopped'))
    })
    const plan = planned(archives, stop.signal, testWorld({ syncDisk }))
    if (last > 0) await expect(plan, `read ${last}`).rejects.toThrow('stopped')
    else expect(await plan).toEqual(['a', undefined])
    return reads
  }
  const reads = await planStoppedAt(0)
  expect(reads).toBeGreaterThan(5)
  for (let last = 1; last <= reads; last += 1) await planStoppedAt(last)
})

function reserved(...names: string[]) {
  const merged = new MergeNames()
  for (const name of names) merged.reserve(name)
  return merged
}

describe('a later file of a name', () => {
  test.each([
    [['a.xml'], 'a.xml', 'a (2).xml'],
    [['a.xml', 'a (2).xml'], 'a.xml', 'a (3).xml'],
    [['a.xml', 'A (2).XML'], 'a.xml', 'a (3).xml'],
    [['a.xml', 'a (2).xml/b'], 'a.xml', 'a (3).xml'],
    [['a'], 'a', 'a (2)'],
    [['d.e/a'], 'd.e/a', 'd.e/a (2)'],
    [['a.tar.gz'], 'a.tar.gz', 'a.tar (2).gz'],
    [['.hidden'], '.hidden', '.hidden (2)'],
  ])('with %j in use, %s is %s', (names, name, numbered) => {
    const merged = reserved(...names)
    expect(merged.add(name, 0)).toBe(name)
    expect(merged.add(name, 1)).toBe(numbered)
  })

  test('never gives a name twice', () => {
    const names = reserved('a.xml')
    expect([0, 1, 2].map((place) => names.add('a.xml', place))).toEqual(['a.xml', 'a (2).xml', 'a (3).xml'])
  })

  test('shortens a name at the limit without cutting a character', () => {
    const long = `${'ü'.repeat(125)}.xml`
    const names = reserved(long)
    expect([names.add(long, 0), names.add(long, 1)][1]).toBe(`${'ü'.repeat(123)} (2).xml`)
  })

  test('keeps a character before an extension that fills the name', () => {
    const extension = `.${'x'.repeat(248)}`
    const names = reserved(`abcdef${extension}`)
    expect([0, 1].map((place) => names.add(`abcdef${extension}`, place))[1]).toBe(`ab (2)${extension}`)
    const longer = `.${'x'.repeat(253)}`
    const others = reserved(`a${longer}`)
    expect([0, 1].map((place) => others.add(`a${longer}`, place))[1]).toBe(`a (2)${longer}`)
  })
})

test.each([
  [['Dir/a'], 'dir/b', 'Dir/b'],
  [['A/B/x', 'a/b/y'], 'a/B/z', 'A/B/z'],
  [['a/x'], 'ab/y', 'ab/y'],
])('after %j, the file %s is spelled %s', (names, name, spelled) => {
  expect(reserved(...names).spelled(name)).toBe(spelled)
})

test('a first file that has the name of a directory is numbered, any other keeps its name', () => {
  const names = reserved('a', 'A/b', 'c')
  expect([names.add('a', 0), names.add('c', 1)]).toEqual(['a (2)', 'c'])
})
