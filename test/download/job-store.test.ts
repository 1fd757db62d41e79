import { createHash } from 'node:crypto'
import * as realDisk from 'node:fs/promises'
import {
  appendFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Disk } from '../../src/base/world.ts'
import {
  findUnfinishedJob,
  type Job,
  jobDirectory,
  MERGED,
  type OpenJobOptions,
  openJob,
  removeJob,
} from '../../src/download/job-store.ts'
import { requestId } from '../../src/download/journal.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { withFolder } from '../support/world.ts'

const ID = 'ab'.repeat(32)
const OTHER_ID = 'cd'.repeat(32)
const AT = '2026-03-04T05:06:07.000Z'
const FACTS = { status: 200, attempts: 1, seconds: 0.25, serverDateMs: 1_772_600_000_000 }

const SEARCH = 'ef'.repeat(32)
const request = (...parts: string[]) => ({ id: requestId({ parts }), parts })
const REQUESTS = { first: request('A', 'B'), second: request('C') }

const open = (
  folder: string,
  identity = ID,
  disk: Disk = realDisk,
  more: Partial<OpenJobOptions> = {},
): Promise<Job> =>
  openJob(disk, folder, {
    identity,
    search: SEARCH,
    uid: process.geteuid?.(),
    at: AT,
    tool: '1.0.0',
    isWanted: () => true,
    ...more,
  })

/** Enters a archive as a run does. */
async function addArchive(job: Job, parts: string[], content: string): Promise<string> {
  const file = job.newArchive({ from: 0, to: parts.length })
  const path = job.archivePath(file)
  await job.sent(request(...parts), AT)
  await writeFile(path, content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  await job.verified({ file, parts, ...FACTS, bytes: content.length, sha256 })
  return path
}

describe('a job directory', () => {
  test('is private, files included', () =>
    withFolder(async (folder) => {
      await using job = await open(join(folder, 'out.zip.parts'))
      await addArchive(job, ['A', 'B'], 'one')
      expect((await lstat(job.directory)).mode & 0o777).toBe(0o700)
      for (const name of await readdir(job.directory)) {
        expect((await lstat(join(job.directory, name))).mode & 0o777, name).toBe(0o600)
      }
    }))

  test('and the entry of a new one are synced', () =>
    withFolder(async (folder) => {
      const synced: string[] = []
      const disk = failingDisk((call, _count, path) => {
        if (call === 'handle.sync') synced.push(path)
        return undefined
      })
      await using job = await open(join(folder, 'out.zip.parts'), ID, disk)
      expect(synced).toContain(job.directory)
      expect(synced).toContain(folder)
    }))

  test('returns what was verified, and which requests had no response', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'out.zip.parts')
      const first = await open(path)
      expect([first.found, first.isWorthKeeping()]).toEqual(['none', false])
      await addArchive(first, ['A', 'B'], 'one')
      await first.sent(REQUESTS.second, AT)
      await first[Symbol.asyncDispose]()

      await using job = await open(path)
      expect([job.found, job.isWorthKeeping(), job.damagedArchives]).toEqual(['same', true, []])
      expect(job.state.archives).toMatchObject([{ parts: ['A', 'B'], ...FACTS, bytes: 3 }])
      expect(job.state.withoutResponse).toMatchObject([REQUESTS.second])
      expect(await readFile(job.archivePath(job.state.archives[0]!.file), 'utf8')).toBe('one')
    }))

  test('removes drafts of interrupted transfers', () =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      await writeFile(first.archivePath(first.newArchive({ from: 0, to: 5 })), 'half an arch')
      await writeFile(join(first.directory, MERGED), 'half of a')
      await first[Symbol.asyncDispose]()
      await using job = await open(first.directory)
      expect(await readdir(job.directory)).toEqual(['journal'])
    }))

  test.each([
    ['changed', (path: string) => writeFile(path, 'onE')],
    ['cut short', (path: string) => truncate(path, 1)],
    ['longer', (path: string) => appendFile(path, 'x')],
    ['gone', (path: string) => rm(path)],
    ['a directory', (path: string) => rm(path).then(() => mkdir(path))],
    ['a link', (path: string) => realDisk.rename(path, `${path}.x`).then(() => symlink(`${path}.x`, path))],
  ])('does not trust a archive that is %s', (_, harm) =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      const good = await addArchive(first, ['A', 'B'], 'one')
      const bad = await addArchive(first, ['C'], 'one')
      await first[Symbol.asyncDispose]()
      await harm(bad)
      await using job = await open(first.directory)
      expect(job.state.archives.map(({ file }) => file)).toEqual([basename(good)])
      expect(job.damagedArchives).toEqual([basename(bad)])
    }),
  )

  test('of another request is moved aside, and taken back when its request comes again', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'j.parts')
      const first = await open(path)
      await addArchive(first, ['A', 'B'], 'one')
      await first[Symbol.asyncDispose]()
      const criteria = { search: '12'.repeat(32) }
      const other = await open(path, OTHER_ID, realDisk, criteria)
      const aside = join(folder, `j.parts.${ID.slice(0, 8)}`)
      expect([other.found, other.setAside, other.state.archives]).toEqual(['none', aside, []])
      expect(other.isWorthKeeping()).toBe(false)
      await addArchive(other, ['A', 'B'], 'two')
      await other[Symbol.asyncDispose]()

      await using back = await open(path)
      expect(back.found).toBe('same')
      expect(back.setAside).toBe(join(folder, `j.parts.${OTHER_ID.slice(0, 8)}`))
      expect(await readFile(back.archivePath(back.state.archives[0]!.file), 'utf8')).toBe('one')
      expect((await readdir(folder)).sort()).toEqual(['j.parts', `j.parts.${OTHER_ID.slice(0, 8)}`])
    }))

  test('without an archive is removed for another request', () =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      await first.sent(REQUESTS.first, AT)
      await first[Symbol.asyncDispose]()
      await using other = await open(first.directory, OTHER_ID, realDisk, { search: '12'.repeat(32) })
      expect(other).toMatchObject({ found: 'none', setAside: undefined, state: { withoutResponse: [] } })
      expect(await readdir(folder)).toEqual(['j.parts'])
    }))

  test('with another parts list keeps its responses, and is then that of the new list', () =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      await addArchive(first, ['A', 'B'], 'one')
      await addArchive(first, ['C'], 'two')
      await first.sent(request('D'), AT)
      await first[Symbol.asyncDispose]()
      const isWanted: OpenJobOptions['isWanted'] = ({ parts }) => parts.includes('C')
      const other = await open(first.directory, OTHER_ID, realDisk, { isWanted })
      expect(other).toMatchObject({ found: 'related', setAside: undefined })
      expect(other.state.archives.map(({ parts }) => parts)).toEqual([['A', 'B'], ['C']])
      await other[Symbol.asyncDispose]()
      await using again = await open(first.directory, OTHER_ID, realDisk, { isWanted })
      expect([again.found, again.state.archives.length, again.state.damagedLines]).toEqual(['same', 2, 0])
    }))

  test('is moved aside if the new parts list needs none of its responses', () =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      await addArchive(first, ['A', 'B'], 'one')
      await first[Symbol.asyncDispose]()
      await using other = await open(first.directory, OTHER_ID, realDisk, { isWanted: () => false })
      expect([other.found, other.state.archives]).toEqual(['none', []])
      expect(await readdir(other.setAside!)).toHaveLength(2)
    }))

  test('keeps the partial response with what its rest must match, until it is verified', () =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      const path = first.archivePath(first.newArchive({ from: 0, to: 2 }))
      await writeFile(path, '0123456789')
      const body = { etag: '"v1"', total: 20, status: 200, serverDateMs: 5 }
      const keeper = first.keeper(REQUESTS.first, path)
      for (const bytes of [3, 5, 8]) await keeper.mark(body, bytes)
      await keeper.close()
      expect([first.isWorthKeeping(), first.isKept(REQUESTS.first), first.keptBytes()]).toEqual([
        true,
        true,
        [{ bytes: 8, total: 20 }],
      ])
      await first[Symbol.asyncDispose]()
      const second = await open(first.directory)
      const [kept] = second.state.kept
      expect(kept).toEqual({ parts: ['A', 'B'], ...body, bytes: 8, file: basename(path) })
      expect(
        (await lstat(join(second.directory, basename(path).replace('.zip', '.partial')))).mode & 0o777,
      ).toBe(0o600)
      await second.keeper({ ...REQUESTS.first, kept }, path).forget()
      await second[Symbol.asyncDispose]()
      await using third = await open(first.directory)
      expect(third.state.kept).toEqual([])
      expect(await readdir(third.directory)).toEqual(['journal'])
    }))

  test.each([
    ['shorter than recorded', (path: string) => truncate(path, 7)],
    ['gone', (path: string) => rm(path)],
    ['a link', (path: string) => realDisk.rename(path, `${path}.x`).then(() => symlink(`${path}.x`, path))],
    ['hard-linked', (path: string) => realDisk.link(path, `${path}.x`)],
  ])('does not continue a response that is %s', (_, harm) =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      const path = first.archivePath(first.newArchive({ from: 0, to: 2 }))
      await writeFile(path, '0123456789')
      const keeper = first.keeper(REQUESTS.first, path)
      await keeper.mark({ etag: '"v1"', total: 20, status: 200, serverDateMs: 5 }, 8)
      await keeper.close()
      await first[Symbol.asyncDispose]()
      await harm(path)
      await using job = await open(first.directory)
      expect(job.state.kept).toEqual([])
    }),
  )

  test.runIf(process.geteuid !== undefined).each(['', 'journal'])(
    'of another user is refused, as root too, and not touched (%s)',
    (name) =>
      withFolder(async (folder) => {
        const first = await open(join(folder, 'j.parts'))
        await addArchive(first, ['A', 'B'], 'one')
        await first[Symbol.asyncDispose]()
        const before = await readdir(first.directory)
        const target = join(first.directory, name)
        const disk: Disk = {
          ...realDisk,
          lstat: (async (path: string) => {
            const facts = await realDisk.lstat(path)
            if (join(path) === join(target)) facts.uid = process.geteuid!() + 1
            return facts
          }) as Disk['lstat'],
          chmod: () => Promise.reject(new Error('touched')),
          unlink: () => Promise.reject(new Error('touched')),
        }
        await expect(open(first.directory, ID, disk)).rejects.toMatchObject({
          kind: 'io',
          message: expect.stringMatching(/belongs to another user$/),
        })
        expect(await readdir(first.directory)).toEqual(before)
      }),
  )

  test.each([
    ['a torn last line', (text: string) => text.slice(0, -20), 1],
    ['garbage at the end', (text: string) => `${text}\u0000\u0000\u0000`, 2],
    ['no first line', (text: string) => text.slice(text.indexOf('\n') + 1), 2],
    ['an edited first line', (text: string) => text.replace('1.0.0', '9.9.9'), 2],
    ['nothing in it', () => '', 0],
  ])('with a journal that has %s keeps what can be trusted, and can be written on', (_, edit, kept) =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      await addArchive(first, ['A', 'B'], 'one')
      await addArchive(first, ['C'], 'two')
      await first[Symbol.asyncDispose]()
      const journal = join(first.directory, 'journal')
      await writeFile(journal, edit(await readFile(journal, 'utf8')))
      const second = await open(first.directory)
      expect(second.state.archives).toHaveLength(kept)
      await addArchive(second, ['X'], 'three')
      await second[Symbol.asyncDispose]()
      await using third = await open(first.directory)
      expect(third.state.archives).toHaveLength(kept + 1)
    }),
  )

  test('is removed completely, except for files of others', () =>
    withFolder(async (folder) => {
      const job = await open(join(folder, 'j.parts'))
      await addArchive(job, ['A', 'B'], 'one')
      await job.remove()
      expect(await readdir(folder)).toEqual([])
      const second = await open(join(folder, 'j.parts'))
      await writeFile(join(second.directory, 'mine.txt'), 'mine')
      await second.remove()
      expect(await readdir(second.directory)).toEqual(['mine.txt'])
    }))

  test('a removal that is cut short leaves a directory that still counts as a job', () =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      await addArchive(first, ['A', 'B'], 'one')
      await first[Symbol.asyncDispose]()
      const failing: Disk = {
        ...realDisk,
        rm: () => Promise.reject(Object.assign(new Error(), { code: 'EIO' })),
      }
      await expect(removeJob(failing, first.directory)).rejects.toMatchObject({ kind: 'io' })
      await using job = await open(first.directory)
      expect(job.state.archives).toEqual([])
    }))

  test.each([
    ['a link', (path: string, aside: string) => mkdir(aside).then(() => symlink(aside, path))],
    ['a file', (path: string) => writeFile(path, 'x')],
    ['a directory of other things', (path: string) => mkdir(path).then(() => writeFile(join(path, 'x'), ''))],
    [
      'a directory whose journal is a link',
      async (path: string, aside: string) => {
        await mkdir(path)
        await writeFile(aside, 'secret')
        await symlink(aside, join(path, 'journal'))
      },
    ],
  ])('%s in its place is refused and not touched', (_, prepare) =>
    withFolder(async (folder) => {
      const path = join(folder, 'j.parts')
      await prepare(path, join(folder, 'aside'))
      const before = await readdir(folder, { recursive: true })
      await expect(open(path)).rejects.toMatchObject({ kind: 'io', details: { file: path } })
      expect(await readdir(folder, { recursive: true })).toEqual(before)
    }),
  )

  test('a journal that cannot be written fails the request', () =>
    withFolder(async (folder) => {
      const disk: Disk = {
        ...realDisk,
        open: (async (...args: Parameters<Disk['open']>) => {
          const handle = await realDisk.open(...args)
          if (String(args[0]).endsWith('journal') && typeof args[1] === 'number' && (args[1] & 2) !== 0) {
            let writes = 0
            const append = handle.appendFile.bind(handle)
            handle.appendFile = async (data, options) => {
              writes += 1
              if (writes !== 2) return append(data, options)
              await append(String(data).slice(0, 30))
              throw Object.assign(new Error('full'), { code: 'ENOSPC' })
            }
          }
          return handle
        }) as Disk['open'],
      }
      const job = await open(join(folder, 'j.parts'), ID, disk)
      await expect(job.sent(REQUESTS.first, AT)).rejects.toMatchObject({ kind: 'io' })
      await job.sent(REQUESTS.second, AT)
      await job[Symbol.asyncDispose]()
      await using again = await open(job.directory)
      expect(again.state.withoutResponse).toMatchObject([REQUESTS.second])
    }))

  test.each(['open', 'handle.appendFile', 'handle.datasync'])(
    'a directory that can not be begun (%s fails) is not left behind',
    (call) =>
      withFolder(async (folder) => {
        const disk = failingDisk((name, _, path) =>
          name === call && path.endsWith('journal') ? 'EDQUOT' : undefined,
        )
        await expect(open(join(folder, 'j.parts'), ID, disk)).rejects.toMatchObject({ kind: 'io' })
        expect(await readdir(folder)).toEqual([])
      }),
  )

  test('lines that come together are all written, in order', () =>
    withFolder(async (folder) => {
      const job = await open(join(folder, 'j.parts'))
      await Promise.all(Array.from({ length: 50 }, (_, index) => job.sent(request(String(index)), AT)))
      await job[Symbol.asyncDispose]()
      await using again = await open(job.directory)
      expect(again.state.withoutResponse).toMatchObject(
        Array.from({ length: 50 }, (_, index) => request(String(index))),
      )
      expect(again.state.damagedLines).toBe(0)
    }))
})

describe('the path of a job directory', () => {
  test('is beside the output', () => expect(jobDirectory('/a/out.zip')).toBe('/a/out.zip.parts'))

  test('a name without room for it is a mistake', () => {
    expect(() => jobDirectory(`/a/${'x'.repeat(250)}`)).toThrow(expect.objectContaining({ kind: 'usage' }))
  })

  test('is found by the request, whatever the name of the output', () =>
    withFolder(async (folder) => {
      await (await open(join(folder, 'a_2026-01-01.zip.parts')))[Symbol.asyncDispose]()
      await (await open(join(folder, 'b.zip.parts'), OTHER_ID))[Symbol.asyncDispose]()
      await mkdir(join(folder, 'c.zip.parts'))
      await writeFile(join(folder, 'd.zip.parts'), 'x')
      await symlink(join(folder, 'gone'), join(folder, 'e.zip.parts'))
      expect(await findUnfinishedJob(realDisk, folder, { identity: ID, search: SEARCH })).toMatchObject({
        outputPath: join(folder, 'a_2026-01-01.zip'),
      })
      expect(
        await findUnfinishedJob(realDisk, folder, { identity: 'ee'.repeat(32), search: SEARCH }),
      ).toBeUndefined()
      const third = { identity: 'ee'.repeat(32), search: SEARCH }
      expect(await findUnfinishedJob(realDisk, folder, third, () => true)).toMatchObject({
        hasOtherParts: true,
      })
      expect(
        await findUnfinishedJob(realDisk, folder, { ...third, search: 'aa'.repeat(32) }, () => true),
      ).toBeUndefined()
      expect(
        await findUnfinishedJob(realDisk, join(folder, 'gone'), { identity: ID, search: SEARCH }),
      ).toBeUndefined()
    }))
})
