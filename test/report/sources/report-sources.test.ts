import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../../src/archive/problem.ts'
import { SILENT } from '../../../src/base/notice.ts'
import type { World } from '../../../src/base/world.ts'
import { report } from '../../../src/report/report.ts'
import { type ReportJob, readReportJob } from '../../../src/report/report-job.ts'
import { planSources } from '../../../src/report/sources/report-sources.ts'
import { fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { soakTest } from '../../support/soak.ts'
import { testWorld, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const xmlOf = (part: string): string => fileA(productXml([part], listXml('EUROHS-1907', rohsCategories())))
const archiveOf = (part: string): Buffer => zip([{ name: `${part}.xml`, data: xmlOf(part) }])

describe('many archives', () => {
  soakTest('are open one at a time', async () => {
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

test('a source that is given twice is read once', async () => {
  await withFolder(async (cwd) => {
    await writeFile(join(cwd, 'a.xml'), '<broken')
    const sources = ['a.xml', './a.xml', join(cwd, 'a.xml')]
    const options = { sources, limits: DEFAULT_ARCHIVE_LIMITS, substances: false }
    await using read = report(testWorld({ cwd }), options, SILENT)
    expect((await read.summary()).counts).toMatchObject({ files: 1, unreadable: 1 })
  })
})

describe.skipIf(process.platform !== 'linux')('a name that is not UTF-8', () => {
  const latin = (path: string): Buffer => Buffer.from(path, 'latin1')

  test('is read by its bytes, as a file, an archive and a directory', async () => {
    await withFolder(async (cwd) => {
      await mkdir(latin(`${cwd}/in/Geh\xe4use`), { recursive: true })
      await writeFile(latin(`${cwd}/in/Erkl\xe4rung.xml`), xmlOf('P1'))
      await writeFile(join(cwd, 'in', 'Erklärung.xml'), xmlOf('P2'))
      await writeFile(latin(`${cwd}/in/Archiv\xfc.zip`), archiveOf('P3'))
      await writeFile(latin(`${cwd}/in/Geh\xe4use/plain.xml`), xmlOf('P4'))
      await writeFile(latin(`${cwd}/in/Geh\xe4use/plain.zip`), archiveOf('P5'))
      const world = testWorld({ cwd })
      const options = { sources: ['in'], limits: DEFAULT_ARCHIVE_LIMITS, substances: false }
      await using read = report(world, options, SILENT)
      expect((await read.summary()).counts).toMatchObject({ declared: 5, unreadable: 0 })
      const reading = { substances: false, screening: '' }
      await using planned = await planSources(world, { ...options, reading })
      const labels: string[] = []
      for await (const { job } of planned.jobs) {
        // As a worker thread gets it.
        const sent = structuredClone(job) as ReportJob
        for await (const _ of readReportJob(sent));
        labels.push(
          ...(sent.kind === 'files'
            ? sent.files.map(({ label }) => label)
            : ['archive' in sent ? sent.archive : '']),
        )
      }
      expect(labels.toSorted()).toEqual([
        'in/Archivü.zip',
        'in/Erklärung.xml',
        'in/Erklärung.xml',
        'in/Gehäuse/plain.xml',
        'in/Gehäuse/plain.zip',
      ])
    })
  })
})
