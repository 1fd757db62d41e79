import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../../src/archive/problem.ts'
import { SILENT } from '../../../src/base/notice.ts'
import type { World } from '../../../src/base/world.ts'
import { report } from '../../../src/report/report.ts'
import { type ReportJob, readReportJob } from '../../../src/report/report-job.ts'
import { planSources } from '../../../src/report/sources/report-sources.ts'
import { fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { testWorld, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const xmlOf = (part: string): string => fileA(productXml([part], listXml('EUROHS-1907', rohsCategories())))
const archiveOf = (part: string): Buffer => zip([{ name: `${part}.xml`, data: xmlOf(part) }])

describe('many archives', () => {
  test('are open one at a time', async () => {
    await withFolder(async (cwd) => {
      const sources = Array.from({ length: 300 }, (_, n) => `${n}.zip`)
      for (const [n, name] of sources.entries()) await writeFile(join(cwd, name), archiveOf(`P${n}`))
      let open = 0
      let most = 0
      const world = testWorld({ cwd })
      const { openSync, closeSync } = world.syncDisk
      const syncDisk: World['syncDisk'] = {
        ...world.syncDisk,
        openSync(...args) {
          open += 1
          most = Math.max(most, open)
          return openSync(...args)
        },
        closeSync(fd) {
          open -= 1
          closeSync(fd)
        },
      }
      const options = { sources, limits: DEFAULT_ARCHIVE_LIMITS, substances: false }
      await using read = report({ ...world, syncDisk }, options, SILENT)
      expect((await read.summary()).counts).toMatchObject({ declared: 300, unreadable: 0 })
      expect({ open, most }).toEqual({ open: 0, most: 1 })
    })
  })
})

describe('an archive that changes after its structure was verified', () => {
  test.each<[string, (path: string) => Promise<void>]>([
    ['written again', (path) => writeFile(path, archiveOf('P22'))],
    [
      'replaced by another of the same size',
      async (path) => {
        await writeFile(`${path}.new`, archiveOf('P2'))
        await rm(path)
        await writeFile(path, archiveOf('P3'))
      },
    ],
  ])('is refused when it was %s', async (_, change) => {
    await withFolder(async (cwd) => {
      const path = join(cwd, 'a.zip')
      await writeFile(path, archiveOf('P1'))
      const reading = { substances: false, screening: '' }
      const options = { sources: ['a.zip'], limits: DEFAULT_ARCHIVE_LIMITS, reading }
      await using planned = await planSources(testWorld({ cwd }), options)
      const { value } = await planned.jobs.next()
      await change(path)
      await expect(readReportJob(value!.job as ReportJob).next()).rejects.toMatchObject({
        kind: 'archive',
        message: expect.stringContaining('changed while it was being read'),
      })
    })
  })
})
