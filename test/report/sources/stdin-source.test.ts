import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../../src/archive/problem.ts'
import { SILENT } from '../../../src/base/notice.ts'
import type { World } from '../../../src/base/world.ts'
import { report } from '../../../src/report/report.ts'
import { spoolStdin } from '../../../src/report/sources/report-sources.ts'
import { fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { describeRow, type RowCells } from '../../support/read-text.ts'
import { type TestWorld, testWorld, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const xml = (part: string): string => fileA(productXml([part], listXml('EUROHS-1907', rohsCategories())))
const many = Array.from({ length: 600 }, (_, n) => ({
  name: `${n}.xml`,
  data: `${xml(`P${n}`)}<!-- ${'x'.repeat(16_000)} -->`,
}))

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(1_000)
}

function worldIn(folder: string, stdinText: string | Buffer): TestWorld {
  const world = testWorld({ cwd: folder, stdinText })
  return { ...world, host: { ...world.host, tempDir: folder } }
}

async function read(world: World, sources: readonly string[] = ['-']): Promise<RowCells[]> {
  const { batches } = report(world, { sources, limits: DEFAULT_ARCHIVE_LIMITS, substances: false }, SILENT)
  const rows: RowCells[] = []
  for await (const { parts } of batches) rows.push(...parts.map(describeRow))
  return rows
}

describe('standard input as a source', () => {
  it.each([
    ['an archive', zip([{ name: 'a.xml', data: xml('A') }]), ['A stdin!a.xml']],
    ['an XML file', xml('A'), ['A stdin']],
    ['an XML file in UTF-16', Buffer.from(`\ufeff${xml('A')}`, 'utf16le'), ['A stdin']],
    ['anything else', 'hello', [' stdin']],
  ])('that is %s', async (_, content, expected) => {
    await withFolder(async (folder) => {
      const rows = await read(worldIn(folder, content))
      expect(rows.map(({ part, source }) => `${part} ${source}`)).toEqual(expected)
      expect(await readdir(folder)).toEqual([])
    })
  })

  it('is read on worker threads, and by its order among the sources', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'a.zip'), zip([{ name: 'a.xml', data: xml('FIRST') }]))
      await writeFile(join(folder, 'b.xml'), xml('LAST'))
      const rows = await read(worldIn(folder, zip(many)), ['a.zip', '-', 'b.xml'])
      expect(rows.map(({ part }) => part)).toEqual(['FIRST', ...many.map((_, n) => `P${n}`), 'LAST'])
      expect((await readdir(folder)).sort()).toEqual(['a.zip', 'b.xml'])
    })
  })

  it('that is an unsafe or damaged archive is refused', async () => {
    await withFolder(async (folder) => {
      const wrong = { central: { crc32: 1 }, local: { crc32: 1 } }
      for (const bytes of [
        zip([{ name: '../a.xml', data: xml('A') }]),
        zip([{ name: 'a.xml', data: xml('A'), ...wrong }]),
        zip([{ name: 'a.xml', data: xml('A') }]).subarray(0, -10),
      ]) {
        await expect(read(worldIn(folder, bytes))).rejects.toMatchObject({ kind: 'archive' })
      }
      expect(await readdir(folder)).toEqual([])
    })
  })

  it('that is empty is a usage error', async () => {
    await withFolder(async (folder) => {
      await expect(read(worldIn(folder, ''))).rejects.toMatchObject({
        kind: 'usage',
        message: 'standard input is empty',
      })
    })
  })

  it('is not read beyond the maximum size', async () => {
    await withFolder(async (folder) => {
      const world = worldIn(folder, '')
      const stdin = Readable.from(endless())
      await expect(spoolStdin({ ...world, stdin }, 5_000)).rejects.toMatchObject({
        kind: 'archive',
        details: { rule: 'limit', options: ['max-size'] },
      })
      expect(stdin.destroyed).toBe(true)
      expect(await readdir(folder)).toEqual([])
    })
  })

  it('leaves no file after an interruption', async () => {
    await withFolder(async (folder) => {
      const world = worldIn(folder, '')
      const stdin = new PassThrough()
      stdin.write('PK')
      const spooled = spoolStdin({ ...world, stdin }, 5_000)
      world.stop(new Error('stopped by the user'))
      await expect(spooled).rejects.toThrow('stopped by the user')
      expect(await readdir(folder)).toEqual([])
    })
  })
})
