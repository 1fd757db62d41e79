import { execFileSync } from 'node:child_process'
import { appendFileSync, closeSync, futimesSync, openSync, truncateSync, writeSync } from 'node:fs'
import { mkdir, readdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { type VerifiedArchive, verifyArchive } from '../../src/archive/verify-archive.ts'
import { memoized } from '../../src/base/memoized.ts'
import { type Progress, SILENT } from '../../src/base/notice.ts'
import { failingDisks } from '../support/failing-sync-disk.ts'
import { posixTest } from '../support/programs.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { type ZipEntry, zip } from '../support/zip.ts'

const LIMITS = { limits: DEFAULT_ARCHIVE_LIMITS, reporter: SILENT }
const FILLER = '\n'.repeat(9_200)
const WRONG_CRC = { central: { crc32: 1 }, local: { crc32: 1 } }

/** Enough entries that worker threads take them: together they unpack to 26 MiB. */
function manyEntries(change: (index: number) => Partial<ZipEntry> = () => ({})): ZipEntry[] {
  return Array.from({ length: 3_000 }, (_, index) => ({
    name: `part-${String(index).padStart(5, '0')}.xml`,
    data: `<r><ProductID itemNumber="P${index}"/></r>${FILLER}`,
    ...change(index),
  }))
}

const MANY = memoized(() => zip(manyEntries()), 1)

async function verify(
  bytes: Buffer,
  options: Partial<Parameters<typeof verifyArchive>[2]> = {},
  world = testWorld(),
): Promise<VerifiedArchive> {
  return await withFolder(async (folder) => {
    const path = join(folder, 'a.zip')
    await writeFile(path, bytes)
    try {
      return await verifyArchive(world, path, { ...LIMITS, ...options })
    } finally {
      expect(await readdir(folder)).toEqual(['a.zip'])
    }
  })
}

describe('verifyArchive', () => {
  it('returns the entries of a good archive', async () => {
    const bytes = zip([{ name: 'a.xml', data: '<a/>' }, { name: 'b/' }])
    const verified = await verify(bytes)
    expect(verified).toMatchObject({ bytes: bytes.length, unpackedBytes: 4 })
    expect(verified.entries).toEqual([
      expect.objectContaining({
        name: 'a.xml',
        isDirectory: false,
        bytes: 4,
        method: 'deflate',
        modifiedMs: Date.UTC(2026, 2, 4, 5, 6, 8),
      }),
      expect.objectContaining({ name: 'b/', isDirectory: true, bytes: 0 }),
    ])
  })

  it('reports every problem of names, headers and data', async () => {
    const bytes = zip([
      { name: '../a', data: 'x' },
      { name: 'b', data: 'x', ...WRONG_CRC },
      { name: 'c', data: 'x' },
      { name: 'C', data: 'x' },
    ])
    await expect(verify(bytes)).rejects.toMatchObject({
      kind: 'archive',
      message: expect.stringMatching(
        /a\.zip: 3 problems; the first: "\.\.\/a" at offset \d+: name leaves the directory/,
      ),
      hint: expect.stringContaining('whole archive was refused'),
      details: {
        entry: '../a',
        problems: [
          expect.stringMatching(/^"\.\.\/a" at offset \d+: name leaves the directory/),
          expect.stringMatching(/^"C" at offset \d+: name differs from "c" only by case/),
          expect.stringMatching(/^"b" at offset \d+: CRC-32 is 8cdc1683, and the directory says 00000001/),
        ],
      },
    })
  })

  it.each([
    ['in this thread', 30],
    ['on worker threads', 3_000],
  ])('reports the first twenty problems in order and counts the rest, %s', async (_title, count) => {
    const bytes = zip(
      manyEntries((index) => (index % 3 === 0 ? { ...WRONG_CRC } : {})).slice(0, Math.max(count, 75)),
    )
    const found = await Promise.all([0, 1, 2].map(() => verify(bytes).catch((error: unknown) => error)))
    for (const error of found) {
      expect(error).toMatchObject({ kind: 'archive' })
      const { problems } = (error as { details: { problems: string[] } }).details
      expect(problems.slice(0, 20).map((text) => text.slice(1, 11))).toEqual(
        Array.from({ length: 20 }, (_, index) => `part-${String(index * 3).padStart(5, '0')}`),
      )
      expect(problems[20]).toBe(`and ${count === 30 ? '5' : '980'} more problems`)
    }
  })

  it.each([
    ['in this thread', 50, true],
    ['on worker threads', 3_000, true],
    ['and leaves it when it is not asked', 50, false],
  ])('finds the ProductIDs of XML entries on the way, %s', async (_title, count, isAsked) => {
    const entries = [
      ...manyEntries().slice(0, count),
      { name: 'z.txt', data: '<ProductID itemNumber="no"/>' },
      { name: 'zz.XML', data: '<r/>' },
    ]
    const { products } = await verify(zip(entries), isAsked ? { scan: 'product-ids' } : {})
    expect(products.size).toBe(isAsked ? count : 0)
    if (!isAsked) return
    expect(products.get('part-00049.xml')).toEqual([{ itemNumber: 'P49' }])
    expect([...products.values()].flat().length).toBe(count)
  })

  it('finds ProductIDs in an entry that is streamed', async () => {
    const filler = Array.from(
      { length: 60_000 },
      (_, index) => `<s n="${(index * 7919) % 65_537}" threshold="0.1%"/>`,
    ).join('\n')
    const data = `<r><ProductID itemNumber="A"/>${filler}<ProductID itemNumber="B"/>${filler}</r>`
    const { products } = await verify(zip([{ name: 'large.xml', data }]), { scan: 'product-ids' })
    expect(products.get('large.xml')).toEqual([{ itemNumber: 'A' }, { itemNumber: 'B' }])
  })

  it('reports progress up to the last byte', async () => {
    for (const count of [20, 3_000]) {
      const told: Progress[] = []
      const { unpackedBytes } = await verify(count === 3_000 ? MANY() : zip(manyEntries().slice(0, count)), {
        reporter: { ...SILENT, progress: (progress) => told.push(progress) },
      })
      expect(told.at(-1)).toEqual({ phase: 'verifying', bytes: unpackedBytes, totalBytes: unpackedBytes })
    }
  })

  it('refuses an archive that is cut anywhere', async () => {
    const bytes = zip([{ name: 'a.xml', data: '<a/>', descriptor: 'signed' }, { name: 'b/' }], {
      zip64: {},
      comment: Buffer.from('end'),
    })
    await withFolder(async (folder) => {
      const path = join(folder, 'a.zip')
      await writeFile(path, bytes)
      for (let length = bytes.length - 1; length >= 0; length -= 1) {
        await truncate(path, length)
        await expect(verifyArchive(testWorld(), path, LIMITS), `${length} bytes`).rejects.toMatchObject({
          kind: 'archive',
        })
      }
    })
  })
})

describe('verifyArchive of something that is no archive file', () => {
  posixTest.each([
    ['nothing at all', 'no.zip', /no\.zip does not exist$/],
    ['something below a file', 'file/no.zip', /no\.zip does not exist$/],
    ['a directory', 'folder', /is a directory/],
    ['a pipe, without waiting for a writer', 'pipe', /not a regular file/],
    ['a device', '/dev/zero', /not a regular file/],
  ])('is a mistake in the arguments for %s', async (_title, name, words) => {
    await withFolder(async (folder) => {
      await mkdir(join(folder, 'folder'))
      await writeFile(join(folder, 'file'), 'x')
      if (process.platform !== 'win32') execFileSync('mkfifo', [join(folder, 'pipe')])
      const path = name.startsWith('/') ? name : join(folder, name)
      await expect(verifyArchive(testWorld(), path, LIMITS)).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringMatching(words),
        details: { file: path },
      })
    })
  })

  it.each(['openSync', 'fstatSync', 'readSync'])(
    'is an io failure when the disk fails at %s',
    async (failing) => {
      const { syncDisk } = failingDisks((call) => (call === failing ? 'EIO' : undefined))
      await expect(verify(zip([{ name: 'a' }]), {}, testWorld({ syncDisk }))).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringContaining('EIO'),
      })
    },
  )
})

describe('verifyArchive of a file that changes meanwhile', () => {
  it.each([
    ['grows', (path: string) => appendFileSync(path, 'x')],
    ['is cut', (path: string) => truncateSync(path, 10)],
    [
      'is written to at the same length',
      (path: string) => {
        const file = openSync(path, 'r+')
        writeSync(file, 'x', 40)
        futimesSync(file, 1, 1)
        closeSync(file)
      },
    ],
  ])('refuses it when it %s', async (_title, change) => {
    await withFolder(async (folder) => {
      const path = join(folder, 'a.zip')
      await writeFile(path, zip(manyEntries().slice(0, 60)))
      let isChanged = false
      const reporter = {
        ...SILENT,
        progress: () => {
          if (isChanged) return
          isChanged = true
          change(path)
        },
      }
      const ended = await verifyArchive(testWorld(), path, { ...LIMITS, reporter }).catch(
        (error: unknown) => error,
      )
      expect(ended).toMatchObject({
        kind: 'archive',
        message: expect.stringContaining('changed while it was being read'),
      })
    })
  })
})

describe('verifyArchive when it is stopped', () => {
  it.each([
    ['in this thread', 60],
    ['on worker threads', 3_000],
  ])('ends with the reason, %s', async (_title, count) => {
    const world = testWorld()
    const reason = new Error('stopped')
    const reporter = { ...SILENT, progress: () => world.stop(reason) }
    await expect(
      verify(count === 3_000 ? MANY() : zip(manyEntries().slice(0, count)), { reporter }, world),
    ).rejects.toBe(reason)
  })

  it('does not begin when it is stopped already', async () => {
    const world = testWorld()
    world.stop(new Error('stopped'))
    let told = 0
    const reporter = { ...SILENT, progress: () => (told += 1) }
    await expect(verify(MANY(), { reporter }, world)).rejects.toThrow('stopped')
    expect(told).toBe(0)
  })
})

describe('verifyArchive where the system gives no more threads', () => {
  it.each([
    ['none', 0],
    ['only one', 1],
  ])('does the work with %s', async (_title, allowed) => {
    const real = testWorld()
    let started = 0
    const world = testWorld({
      host: { ...real.host, cores: 8 },
      startWorker: (name) => {
        started += 1
        const worker = real.startWorker(started > allowed ? ('no-such-worker' as typeof name) : name)
        if (started <= allowed) return worker
        // What Node says when a thread can't be made.
        worker.removeAllListeners('error')
        const { emit } = worker
        worker.emit = (event: string | symbol, ...rest: unknown[]) =>
          emit.call(
            worker,
            event,
            ...(event === 'error'
              ? [Object.assign(new Error('no thread'), { code: 'ERR_WORKER_INIT_FAILED' })]
              : rest),
          )
        return worker
      },
    })
    const { entries } = await verify(MANY(), {}, world)
    expect(entries.length).toBe(3_000)
    expect(started).toBe(4)
  })
})
