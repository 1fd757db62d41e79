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
import { findUnfinishedJob, jobFolder } from '../../src/download/find-job.ts'
import { type Job, MERGED, openJob, removeJob } from '../../src/download/job-folder.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { withFolder } from '../support/world.ts'

const ID = 'ab'.repeat(32)
const OTHER_ID = 'cd'.repeat(32)
const AT = '2026-03-04T05:06:07.000Z'
const FACTS = { status: 200, attempts: 1, seconds: 0.25, serverDateMs: 1_772_600_000_000 }

const open = (folder: string, identity = ID, disk: Disk = realDisk): Promise<Job> =>
  openJob(disk, folder, { identity, at: AT, tool: '1.0.0' })

/** Enters a piece as a run does. */
async function addPiece(job: Job, from: number, to: number, content: string): Promise<string> {
  const path = job.draftPath({ from, to })
  await job.sent({ from, to }, AT)
  await writeFile(path, content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  await job.verified(path, { from, to, ...FACTS, bytes: content.length, sha256 })
  return path
}

describe('a job directory', () => {
  test('is private, files included', () =>
    withFolder(async (folder) => {
      await using job = await open(join(folder, 'out.zip.parts'))
      await addPiece(job, 0, 5, 'one')
      expect((await lstat(job.folder)).mode & 0o777).toBe(0o700)
      for (const name of await readdir(job.folder)) {
        expect((await lstat(join(job.folder, name))).mode & 0o777, name).toBe(0o600)
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
      expect(synced).toContain(job.folder)
      expect(synced).toContain(folder)
    }))

  test('returns what was verified, and which requests had no response', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'out.zip.parts')
      const first = await open(path)
      expect([first.found, first.isWorthKeeping()]).toEqual(['none', false])
      await addPiece(first, 0, 5, 'one')
      await first.sent({ from: 5, to: 9 }, AT)
      await first[Symbol.asyncDispose]()

      await using job = await open(path)
      expect([job.found, job.isWorthKeeping(), job.damagedPieces]).toEqual(['same', true, []])
      expect(job.state.pieces).toMatchObject([{ from: 0, to: 5, ...FACTS, bytes: 3 }])
      expect(job.state.unanswered).toEqual([{ from: 5, to: 9 }])
      expect(await readFile(job.piecePath(job.state.pieces[0]!.file), 'utf8')).toBe('one')
    }))

  test('removes drafts of interrupted transfers', () =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      await writeFile(first.draftPath({ from: 0, to: 5 }), 'half an arch')
      await writeFile(join(first.folder, MERGED), 'half of a')
      await first[Symbol.asyncDispose]()
      await using job = await open(first.folder)
      expect(await readdir(job.folder)).toEqual(['journal'])
    }))

  test.each([
    ['changed', (path: string) => writeFile(path, 'onE')],
    ['cut short', (path: string) => truncate(path, 1)],
    ['longer', (path: string) => appendFile(path, 'x')],
    ['gone', (path: string) => rm(path)],
    ['a directory', (path: string) => rm(path).then(() => mkdir(path))],
    ['a link', (path: string) => realDisk.rename(path, `${path}.x`).then(() => symlink(`${path}.x`, path))],
  ])('does not trust a piece that is %s', (_, harm) =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      const good = await addPiece(first, 0, 5, 'one')
      const bad = await addPiece(first, 5, 9, 'one')
      await first[Symbol.asyncDispose]()
      await harm(bad)
      await using job = await open(first.folder)
      expect(job.state.pieces.map(({ file }) => file)).toEqual([basename(good)])
      expect(job.damagedPieces).toEqual([basename(bad)])
    }),
  )

  test('starts anew for another request and forgets the pieces of the first', () =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      await addPiece(first, 0, 5, 'one')
      await first[Symbol.asyncDispose]()
      const other = await open(first.folder, OTHER_ID)
      expect([other.found, other.state.pieces, other.isWorthKeeping()]).toEqual(['changed', [], false])
      await other[Symbol.asyncDispose]()
      await using back = await open(first.folder)
      expect([back.found, back.state.pieces]).toEqual(['changed', []])
      expect(await readdir(first.folder)).toEqual(['journal'])
    }))

  test.each([
    ['a torn last line', (text: string) => text.slice(0, -20), 1],
    ['garbage at the end', (text: string) => `${text}\u0000\u0000\u0000`, 2],
    ['no first line', (text: string) => text.slice(text.indexOf('\n') + 1), 2],
    ['an edited first line', (text: string) => text.replace('1.0.0', '9.9.9'), 2],
    ['nothing in it', () => '', 0],
  ])('with a journal that has %s keeps what can be trusted, and can be written on', (_, edit, kept) =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      await addPiece(first, 0, 5, 'one')
      await addPiece(first, 5, 9, 'two')
      await first[Symbol.asyncDispose]()
      const journal = join(first.folder, 'journal')
      await writeFile(journal, edit(await readFile(journal, 'utf8')))
      const second = await open(first.folder)
      expect(second.state.pieces).toHaveLength(kept)
      await addPiece(second, 20, 21, 'three')
      await second[Symbol.asyncDispose]()
      await using third = await open(first.folder)
      expect(third.state.pieces).toHaveLength(kept + 1)
    }),
  )

  test('is removed completely, except for files of others', () =>
    withFolder(async (folder) => {
      const job = await open(join(folder, 'j.parts'))
      await addPiece(job, 0, 5, 'one')
      await job.remove()
      expect(await readdir(folder)).toEqual([])
      const second = await open(join(folder, 'j.parts'))
      await writeFile(join(second.folder, 'mine.txt'), 'mine')
      await second.remove()
      expect(await readdir(second.folder)).toEqual(['mine.txt'])
    }))

  test('a removal that is cut short leaves a directory that still counts as a job', () =>
    withFolder(async (folder) => {
      const first = await open(join(folder, 'j.parts'))
      await addPiece(first, 0, 5, 'one')
      await first[Symbol.asyncDispose]()
      const failing: Disk = {
        ...realDisk,
        rm: () => Promise.reject(Object.assign(new Error(), { code: 'EIO' })),
      }
      await expect(removeJob(failing, first.folder)).rejects.toMatchObject({ kind: 'io' })
      await using job = await open(first.folder)
      expect(job.state.pieces).toEqual([])
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
      await expect(job.sent({ from: 0, to: 5 }, AT)).rejects.toMatchObject({ kind: 'io' })
      await job.sent({ from: 5, to: 9 }, AT)
      await job[Symbol.asyncDispose]()
      await using again = await open(job.folder)
      expect(again.state.unanswered).toEqual([{ from: 5, to: 9 }])
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
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => job.sent({ from: index, to: index + 1 }, AT)),
      )
      await job[Symbol.asyncDispose]()
      await using again = await open(job.folder)
      expect(again.state.unanswered.map(({ from }) => from)).toEqual(
        Array.from({ length: 50 }, (_, index) => index),
      )
      expect(again.state.damagedLines).toBe(0)
    }))
})

describe('the path of a job directory', () => {
  test('is beside the output', () => expect(jobFolder('/a/out.zip')).toBe('/a/out.zip.parts'))

  test('a name without room for it is a mistake', () => {
    expect(() => jobFolder(`/a/${'x'.repeat(250)}`)).toThrow(expect.objectContaining({ kind: 'usage' }))
  })

  test('is found by the request, whatever the name of the output', () =>
    withFolder(async (folder) => {
      await (await open(join(folder, 'a_2026-01-01.zip.parts')))[Symbol.asyncDispose]()
      await (await open(join(folder, 'b.zip.parts'), OTHER_ID))[Symbol.asyncDispose]()
      await mkdir(join(folder, 'c.zip.parts'))
      await writeFile(join(folder, 'd.zip.parts'), 'x')
      await symlink(join(folder, 'gone'), join(folder, 'e.zip.parts'))
      expect(await findUnfinishedJob(realDisk, folder, ID)).toMatchObject({
        outputPath: join(folder, 'a_2026-01-01.zip'),
      })
      expect(await findUnfinishedJob(realDisk, folder, 'ee'.repeat(32))).toBeUndefined()
      expect(await findUnfinishedJob(realDisk, join(folder, 'gone'), ID)).toBeUndefined()
    }))
})
