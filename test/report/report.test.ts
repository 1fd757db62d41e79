import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { isFailure } from '../../src/base/failure.ts'
import { type Notice, type Progress, SILENT } from '../../src/base/notice.ts'
import type { World } from '../../src/base/world.ts'
import { plainList } from '../../src/report/lines.ts'
import { type ReportOptions, report } from '../../src/report/report.ts'
import { fileA, HEAD, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { describeRow, type RowCells } from '../support/read-text.ts'
import { soakTest } from '../support/soak.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const GOOD = listXml('EUROHS-1907', rohsCategories())

async function read(
  world: World,
  sources: readonly string[],
  more: Partial<ReportOptions> = {},
): Promise<RowCells[]> {
  const { batches } = report(
    world,
    { sources, limits: DEFAULT_ARCHIVE_LIMITS, substances: false, ...more },
    SILENT,
  )
  const rows: RowCells[] = []
  for await (const { parts } of batches) rows.push(...parts.map(describeRow))
  return rows
}

/** A world that counts the worker threads it starts. */
function countingWorld(cwd: string): {
  readonly world: World
  readonly started: () => number
  readonly ended: () => number
} {
  let started = 0
  let ended = 0
  const base = testWorld({ cwd })
  const world: World = {
    ...base,
    startWorker: (name) => {
      started += 1
      const worker = base.startWorker(name)
      worker.on('exit', () => {
        ended += 1
      })
      return worker
    },
  }
  return { world, started: () => started, ended: () => ended }
}

describe('a report that is read several times', () => {
  /** Reads it three times, as a page does. */
  async function readThrice(files: Readonly<Record<string, string>>) {
    return withFolder(async (cwd) => {
      for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
      const options = { sources: ['.'], limits: DEFAULT_ARCHIVE_LIMITS, substances: false }
      await using made = report(testWorld({ cwd }), options, SILENT)
      const reads = []
      for (const _ of [1, 2, 3]) {
        const rows = []
        for await (const { parts } of made.batches) rows.push(...parts)
        reads.push(rows)
      }
      return { reads, counts: (await made.summary()).counts }
    })
  }

  it('judges the rows of a small one once', async () => {
    const { reads, counts } = await readThrice({ 'a.xml': fileA(productXml(['A'], GOOD)) })
    const [first, ...more] = reads
    expect(first).toHaveLength(1)
    for (const rows of more) expect(rows[0]).toBe(first![0])
    expect(counts).toMatchObject({ rows: 1, files: 1 })
  })

  it('has equal rows of a large one each time, and keeps none', async () => {
    const own = (part: number): string =>
      listXml(
        'X',
        Array.from({ length: 1_000 }, (_, n) => ({
          name: `substance ${n} of ${part}`,
          code: `${n}`,
          over: 'false',
        })),
      )
    const files = Array.from({ length: 60 }, (_, part) => [
      `${part}.xml`,
      fileA(productXml([`P${part}`], own(part))),
    ])
    const { reads, counts } = await readThrice(Object.fromEntries(files))
    const [first, ...more] = reads
    expect(first).toHaveLength(60)
    for (const rows of more) {
      expect(rows.map(describeRow)).toEqual(first!.map(describeRow))
      expect(rows[0]).not.toBe(first![0])
    }
    expect(counts).toMatchObject({ rows: 60, files: 60 })
  })
})

/** Entries whose total size is far above the limit for one thread. */
function manyEntries(count: number): { name: string; data: string }[] {
  const padding = `<!-- ${'x'.repeat(16_000)} -->`
  return Array.from({ length: count }, (_, n) => ({
    name: `p${String(n).padStart(5, '0')}.xml`,
    data: fileA(`${productXml([`P${n}`], GOOD)}${padding}`),
  }))
}

describe('reading on worker threads', () => {
  it('keeps the order of the sources and of the entries', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.zip'), zip(manyEntries(600)))
      await writeFile(
        join(cwd, 'b.zip'),
        zip([{ name: 'last.xml', data: fileA(productXml(['LAST'], GOOD)) }]),
      )
      const { world, started, ended } = countingWorld(cwd)
      const rows = await read(world, ['a.zip', 'b.zip'])
      expect(rows.map((row) => row.part)).toEqual([...Array.from({ length: 600 }, (_, n) => `P${n}`), 'LAST'])
      expect(started()).toBe(2)
      await expect.poll(ended, { timeout: 10_000 }).toBe(2)
    })
  })

  it('reports how many files it has read', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.zip'), zip(manyEntries(5)))
      const done: unknown[] = []
      const reporter = { ...SILENT, progress: (progress: Progress) => done.push(progress) }
      const options = { sources: ['a.zip'], limits: DEFAULT_ARCHIVE_LIMITS, substances: false }
      for await (const _ of report(testWorld({ cwd }), options, reporter).batches);
      expect(done.at(-1)).toEqual({ phase: 'reporting', filesDone: 5 })
    })
  })

  it('is not used for little data', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.zip'), zip(manyEntries(20)))
      const { world, started } = countingWorld(cwd)
      expect(await read(world, ['a.zip'])).toHaveLength(20)
      expect(started()).toBe(0)
    })
  })

  it('counts packed data too, which takes as long to read', async () => {
    await withFolder(async (cwd) => {
      const [entry] = manyEntries(1)
      const noBytes = Buffer.alloc(5_000_000, Buffer.from([0, 0, 0, 0xff, 0xff]))
      const packed = Buffer.concat([noBytes, deflateRawSync(entry!.data)])
      await writeFile(join(cwd, 'a.zip'), zip([{ ...entry!, packed }]))
      const { world, started } = countingWorld(cwd)
      expect(await read(world, ['a.zip'])).toHaveLength(1)
      expect(started()).toBeGreaterThan(0)
    })
  })

  soakTest(
    'ends with the failure of a damaged entry, with its name, and leaves no thread running',
    async () => {
      await withFolder(async (cwd) => {
        const entries = manyEntries(600).map((entry, index) =>
          index === 500 ? { ...entry, central: { crc32: 1 }, local: { crc32: 1 } } : entry,
        )
        await writeFile(join(cwd, 'a.zip'), zip(entries))
        const { world, started, ended } = countingWorld(cwd)
        const error = await read(world, ['a.zip']).catch((thrown: unknown) => thrown)
        expect(isFailure(error) && [error.kind, error.details.entry]).toEqual(['archive', 'p00500.xml'])
        await expect.poll(ended, { timeout: 10_000 }).toBe(started())
      })
    },
  )

  soakTest('stops when the run is interrupted, with the reason of the interruption', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.zip'), zip(manyEntries(600)))
      const base = testWorld({ cwd })
      const { batches } = report(
        base,
        { sources: ['a.zip'], limits: DEFAULT_ARCHIVE_LIMITS, substances: false },
        SILENT,
      )
      const iterator = batches[Symbol.asyncIterator]()
      await iterator.next()
      base.stop(new Error('stopped by the user'))
      const rest = async (): Promise<void> => {
        while (!(await iterator.next()).done);
      }
      await expect(rest()).rejects.toThrow('stopped by the user')
    })
  })

  it('ends with an error when a thread dies', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.zip'), zip(manyEntries(600)))
      const base = testWorld({ cwd })
      const startWorker: World['startWorker'] = (name) => {
        const worker = base.startWorker(name)
        worker.once('online', () => void worker.terminate())
        return worker
      }
      await expect(read({ ...base, startWorker }, ['a.zip'])).rejects.toThrow(
        'a worker thread ended without a result',
      )
    })
  })

  soakTest('ends its threads when the reader stops', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.zip'), zip(manyEntries(600)))
      const { world, started, ended } = countingWorld(cwd)
      const { batches } = report(
        world,
        { sources: ['a.zip'], limits: DEFAULT_ARCHIVE_LIMITS, substances: false },
        SILENT,
      )
      const iterator = batches[Symbol.asyncIterator]()
      await iterator.next()
      await iterator.return?.()
      expect(started()).toBeGreaterThan(0)
      await expect.poll(ended, { timeout: 10_000 }).toBe(started())
    })
  })

  it('closes every archive it opened', async () => {
    await withFolder(async (cwd) => {
      await mkdir(join(cwd, 'many'))
      for (let n = 0; n < 40; n += 1) {
        await writeFile(
          join(cwd, 'many', `${n}.zip`),
          zip([{ name: 'x.xml', data: fileA(productXml([`P${n}`], GOOD)) }]),
        )
      }
      let opened = 0
      const base = testWorld({ cwd })
      const disk: World['disk'] = {
        ...base.disk,
        open: async (...parameters) => {
          const handle = await open(...(parameters as Parameters<typeof open>))
          opened += 1
          const close = handle.close.bind(handle)
          handle.close = async () => {
            opened -= 1
            await close()
          }
          return handle
        },
      }
      expect(await read({ ...base, disk }, ['many'])).toHaveLength(40)
      expect(opened).toBe(0)
    })
  })
})

describe('large files', () => {
  /** Writes a file piece by piece. */
  async function writePieces(path: string, pieces: Iterable<string>): Promise<void> {
    const stream = createWriteStream(path)
    for (const piece of pieces) {
      if (!stream.write(piece)) await once(stream, 'drain')
    }
    await new Promise<void>((resolve) => stream.end(() => resolve()))
  }

  soakTest(
    'are read in small batches, with all their rows, when they are complete',
    {
      timeout: 120_000,
    },
    async () => {
      await withFolder(async (cwd) => {
        const parts = 12_000
        const filler = `<ManufacturingInfo comment="${'x'.repeat(8_000)}"/>`
        function* pieces(): Generator<string> {
          yield `<MainDeclaration xmlns="http://webstds.ipc.org/175x/2.0">`
          for (let n = 0; n < parts; n += 1) yield productXml([`P${n}`], GOOD, { after: filler })
          yield `${HEAD}</MainDeclaration>`
        }
        await writePieces(join(cwd, 'big.xml'), pieces())
        let rows = 0
        const { batches, summary } = report(
          testWorld({ cwd }),
          { sources: ['big.xml'], limits: DEFAULT_ARCHIVE_LIMITS, substances: false },
          SILENT,
        )
        for await (const { parts: some } of batches) {
          expect(some.length).toBeLessThanOrEqual(500)
          expect(describeRow(some[0]!)).toMatchObject({
            part: `P${rows}`,
            supplier: 'Example Parts',
            rohs: 'compliant',
          })
          rows += some.length
        }
        expect(rows).toBe(parts)
        expect((await summary()).counts).toMatchObject({ rows: parts, files: 1 })
      })
    },
  )

  soakTest(
    'have one row with the reason, and no parts, when they are truncated at the very end',
    {
      timeout: 120_000,
    },
    async () => {
      await withFolder(async (cwd) => {
        function* pieces(): Generator<string> {
          yield `<MainDeclaration xmlns="http://webstds.ipc.org/175x/2.0">`
          for (let n = 0; n < 8_000; n += 1) yield productXml([`P${n}`], '')
        }
        await writePieces(join(cwd, 'cut.xml'), pieces())
        const rows = await read(testWorld({ cwd }), ['cut.xml'])
        expect(rows).toHaveLength(1)
        expect(rows[0]).toMatchObject({ status: 'unreadable', part: '', source: 'cut.xml' })
        expect(rows[0]!.note).toContain('ends inside <MainDeclaration>')
      })
    },
  )

  it('of half a gigabyte without an element have one row', { timeout: 120_000 }, async () => {
    await withFolder(async (cwd) => {
      const path = join(cwd, 'huge.xml')
      const handle = await open(path, 'w')
      await handle.write('<MainDeclaration><!--')
      await handle.truncate(500 * 1024 ** 2)
      await handle.close()
      const rows = await read(testWorld({ cwd }), ['huge.xml'])
      expect(rows.map((row) => [row.status, row.note])).toEqual([
        ['unreadable', 'not well-formed XML: line 1, column 22: disallowed character'],
      ])
    })
  })
})

describe('an entry too large to be read at once', () => {
  const large = (start: string): string => start + 'x'.repeat(3 * 1024 ** 2)
  const wrong = { central: { crc32: 1 }, local: { crc32: 1 } }
  it.each([
    ['broken XML', { name: 'a.xml', data: large('<MainDeclaration><broken ') }, 'a row'],
    ['a foreign file', { name: 'a.xml', data: large('<html><!--') }, 'a row'],
    ['no XML', { name: 'a.bin', data: large('MZ') }, 'left out'],
    [
      'broken XML with a wrong CRC-32',
      { name: 'a.xml', data: large('<MainDeclaration><broken '), ...wrong },
      'refused',
    ],
    ['a foreign file with a wrong CRC-32', { name: 'a.xml', data: large('<html><!--'), ...wrong }, 'refused'],
    ['no XML with a wrong CRC-32', { name: 'a.bin', data: large('MZ'), ...wrong }, 'refused'],
  ])('%s is %3$s', async (_, entry, outcome) => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.zip'), zip([{ ...entry, method: 0 }]))
      const result = await read(testWorld({ cwd }), ['a.zip']).catch((thrown: unknown) => thrown)
      if (outcome === 'refused') expect(isFailure(result) && result.kind).toBe('archive')
      else
        expect((result as RowCells[]).map((row) => row.status)).toEqual(
          outcome === 'a row' ? ['unreadable'] : [],
        )
    })
  })
})

describe('a product of very many numbers and substances', () => {
  soakTest('is read in small batches', { timeout: 120_000 }, async () => {
    await withFolder(async (cwd) => {
      const substances = Array.from(
        { length: 200 },
        (_, n) => `<Substance name="S${n}"><Amount value="1" UOM="mg"/></Substance>`,
      )
      const info = `<HomogeneousMaterialList><HomogeneousMaterial name="M">${substances.join('')}</HomogeneousMaterial></HomogeneousMaterialList>`
      const numbers = Array.from({ length: 1_000 }, (_, n) => `P${n}`)
      await writeFile(join(cwd, 'family.xml'), fileA(productXml(numbers, info)))
      const { batches, summary } = report(
        testWorld({ cwd }),
        { sources: ['family.xml'], limits: DEFAULT_ARCHIVE_LIMITS, substances: true },
        SILENT,
      )
      let substanceCount = 0
      for await (const batch of batches) {
        expect(batch.parts.length + batch.substances.length).toBeLessThanOrEqual(500)
        substanceCount += batch.substances.length
      }
      expect(substanceCount).toBe(200_000)
      expect((await summary()).counts).toMatchObject({ rows: 1_000, substances: 200_000 })
    })
  })

  it('is unreadable beyond five thousand numbers', async () => {
    await withFolder(async (cwd) => {
      await writeFile(
        join(cwd, 'a.xml'),
        fileA(
          productXml(
            Array.from({ length: 5_001 }, (_, n) => `P${n}`),
            '',
          ),
        ),
      )
      const rows = await read(testWorld({ cwd }), ['a.xml'])
      expect(rows.map((row) => [row.status, row.note])).toEqual([
        ['unreadable', 'a single product has more than 5000 part numbers'],
      ])
    })
  })
})

describe('requested parts', () => {
  it('are matched exactly, by the supplier’s or the buyer’s number', async () => {
    await withFolder(async (cwd) => {
      const xml = fileA('<Product><ProductID itemNumber="A-1" requesterItemNumber="OUR 7"/></Product>')
      await writeFile(join(cwd, 'a.xml'), xml)
      const missing = async (parts: readonly string[]): Promise<string[]> =>
        (await read(testWorld({ cwd }), ['a.xml'], { lists: [plainList('parts.txt', parts)] }))
          .filter((row) => row.status === 'missing')
          .map((row) => row.part)
      expect(await missing(['A-1', 'OUR 7'])).toEqual([])
      expect(await missing(['a-1', 'A1', ' A-1', 'OUR 7 '])).toEqual(['a-1', 'A1', ' A-1', 'OUR 7 '])
    })
  })

  it('are matched unchanged, and shown with unsafe characters escaped', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.xml'), fileA('<Product><ProductID itemNumber="A&#x202E;B"/></Product>'))
      const rows = await read(testWorld({ cwd }), ['a.xml'], {
        lists: [plainList('parts.txt', ['A\u202eB', 'C\u202eD'])],
      })
      expect(rows.map((row) => [row.part, row.status])).toEqual([
        ['A\\u202eB', 'declared'],
        ['C\\u202eD', 'missing'],
      ])
    })
  })
})

describe('a request for a declaration', () => {
  const request = (part: string): string =>
    fileA(productXml([part], GOOD), { head: '<BusinessInfo mode="Request"><Request/></BusinessInfo>' })

  it('declares nothing: its part is missing, it is counted, and a warning names it', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'a.xml'), fileA(productXml(['P1'], GOOD)))
      await writeFile(join(folder, 'b.xml'), request('P2'))
      await writeFile(join(folder, 'c.zip'), zip([{ name: 'c.xml', data: request('P3') }]))
      const notices: Notice[] = []
      const { batches, summary } = report(
        testWorld({ cwd: folder }),
        {
          sources: [folder],
          limits: DEFAULT_ARCHIVE_LIMITS,
          substances: true,
          lists: [plainList('parts.txt', ['P1', 'P2', 'P3'])],
        },
        { ...SILENT, notice: (notice) => void notices.push(notice) },
      )
      const rows: RowCells[] = []
      for await (const { parts } of batches) rows.push(...parts.map(describeRow))
      expect(rows.map((row) => [row.part, row.status, row.rohs])).toEqual([
        ['P1', 'declared', 'compliant'],
        ['P2', 'missing', 'not declared'],
        ['P3', 'missing', 'not declared'],
      ])
      expect((await summary()).counts).toMatchObject({
        declared: 1,
        missing: 2,
        unreadable: 0,
        files: 3,
        requests: 2,
      })
      const [warning] = notices.filter(({ event }) => event === 'report.requests')
      expect(warning!.message).toContain('2 files with a request')
      expect(warning!.message).toContain('b.xml')
      expect(warning!.message).toContain('c.zip!c.xml')
    })
  })

  it('declares nothing in a file that is read twice', async () => {
    await withFolder(async (folder) => {
      const products = Array.from({ length: 2_100 }, (_, n) => productXml([`P${n}`], GOOD)).join('')
      await writeFile(join(folder, 'large.xml'), fileA(products, { head: '<BusinessInfo mode="Request"/>' }))
      expect(await read(testWorld({ cwd: folder }), [folder])).toEqual([])
    })
  })
})

describe('a directory', () => {
  it('is read by name in code point order, without hidden files and job directories', async () => {
    await withFolder(async (cwd) => {
      for (const folder of ['b', 'job.parts', '.hidden'])
        await mkdir(join(cwd, 'in', folder), { recursive: true })
      const file = (name: string): Promise<void> =>
        writeFile(join(cwd, 'in', name), fileA(productXml([name], '')))
      for (const name of ['a.xml', 'B.xml', 'b/x.xml', '.c.xml', 'job.parts/y.xml', '.hidden/z.xml', 'ä.xml'])
        await file(name)
      expect((await read(testWorld({ cwd }), ['in/'])).map((row) => row.source)).toEqual([
        'in/B.xml',
        'in/a.xml',
        'in/b/x.xml',
        'in/ä.xml',
      ])
    })
  })

  it('that cannot be read is a failure of kind io, not an empty report', async () => {
    await withFolder(async (cwd) => {
      await mkdir(join(cwd, 'in'))
      const base = testWorld({ cwd })
      const readdir = (async () => {
        throw Object.assign(new Error('no'), { code: 'EACCES' })
      }) as unknown as World['disk']['readdir']
      const error = await read({ ...base, disk: { ...base.disk, readdir } }, ['in']).catch(
        (thrown: unknown) => thrown,
      )
      expect(isFailure(error) && error.kind).toBe('io')
    })
  })
})
