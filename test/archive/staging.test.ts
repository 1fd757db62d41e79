import { fstatSync, statSync } from 'node:fs'
import { chmod, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ExtractOptions, extractArchive } from '../../src/archive/extract-archive.ts'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { isFailure } from '../../src/base/failure.ts'
import { type Notice, SILENT } from '../../src/base/notice.ts'
import type { Disk } from '../../src/base/world.ts'
import { failingDisks, watchedSyncDisk } from '../support/failing-sync-disk.ts'
import { inProcessInflater } from '../support/in-process-worker.ts'
import { posixTest } from '../support/programs.ts'
import { snapshot } from '../support/snapshot.ts'
import { sweep } from '../support/soak.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const PLAIN: ExtractOptions = {
  limits: DEFAULT_ARCHIVE_LIMITS,
  overwrite: false,
  include: [],
  exclude: [],
  flat: false,
  reporter: SILENT,
}

const ARCHIVE = zip([
  { name: 'a.xml', data: '<a/>' },
  { name: 'sub/b.xml', data: '<b/>' },
  { name: 'sub/deep/c.xml', data: '<c/>' },
  { name: 'empty/' },
])

async function withArchive(
  overwrite: boolean,
  body: (folder: string, archive: string, target: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const target = join(folder, 'out')
    if (overwrite) {
      await mkdir(join(target, 'sub'), { recursive: true })
      await writeFile(join(target, 'a.xml'), 'old a')
      await writeFile(join(target, 'sub', 'b.xml'), 'old b')
      await writeFile(join(target, 'sub', 'mine.xml'), 'mine')
    }
    await writeFile(join(folder, 'a.zip'), ARCHIVE)
    await body(folder, join(folder, 'a.zip'), target)
  })
}

const CODES = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE', 'EROFS']

// Cleaning up can't succeed where removing itself fails.
const REMOVING = new Set(['rm', 'rmdir', 'unlink', 'rmdirSync', 'unlinkSync'])

/** The calls that extracting makes. */
async function callsOf(overwrite: boolean): Promise<readonly string[]> {
  let calls: readonly string[] = []
  await withArchive(overwrite, async (_folder, archive, target) => {
    const { disk, syncDisk, calls: made } = failingDisks(() => undefined)
    await extractArchive(testWorld({ disk, syncDisk }), archive, target, { ...PLAIN, overwrite })
    calls = made
  })
  expect(calls.length).toBeGreaterThan(30)
  return calls
}

/** What the target has of the archive: for each file whether it is `old`, `new`, or there is `none`. */
async function statesIn(target: string): Promise<readonly string[]> {
  const files = [
    ['a.xml', '<a/>', 'old a'],
    ['sub/b.xml', '<b/>', 'old b'],
    ['sub/deep/c.xml', '<c/>', undefined],
  ] as const
  return await Promise.all(
    files.map(async ([path, fresh, old]) => {
      const text = await readFile(join(target, path), 'utf8').catch(() => undefined)
      return text === fresh ? 'new' : text === undefined ? 'none' : text === old ? 'old' : 'broken'
    }),
  )
}

describe('extractArchive on a disk that fails', () => {
  posixTest(
    'has either everything or nothing in a new directory, whichever call fails',
    async () => {
      const calls = await callsOf(false)
      let failed = 0
      for (const [index, call] of calls.entries()) {
        if (REMOVING.has(call) || index % sweep(5, 1) !== 0) continue
        const code = CODES[index % CODES.length]!
        await withArchive(false, async (folder, archive, target) => {
          const before = await snapshot(folder)
          const { disk, syncDisk } = failingFrom(index + 1, 1, code)
          const what = `${code} at call ${index + 1}, ${call}`
          const ended = await extractArchive(testWorld({ disk, syncDisk }), archive, target, PLAIN).catch(
            (error: unknown) => error,
          )
          if (ended instanceof Error) {
            failed += 1
            expect(isFailure(ended) && ended.kind, `${what}: ${ended.stack}`).toBe('io')
            expect(await snapshot(folder), what).toEqual(before)
          } else {
            expect(await statesIn(target), what).toEqual(['new', 'new', 'new'])
            expect(await hiddenIn(folder), what).toEqual([])
          }
        })
      }
      expect(failed).toBeGreaterThan(sweep(6, 30))
    },
    600_000,
  )

  posixTest(
    'has each file old or new in an existing directory, and says which are not replaced, whichever call fails',
    async () => {
      const calls = await callsOf(true)
      let partly = 0
      for (const [index, call] of calls.entries()) {
        const isRename = call === 'renameSync'
        if (REMOVING.has(call) || (index % sweep(5, 1) !== 0 && !isRename)) continue
        const code = CODES[index % CODES.length]!
        await withArchive(true, async (folder, archive, target) => {
          const { disk, syncDisk } = failingFrom(index + 1, 1, code)
          const what = `${code} at call ${index + 1}, ${call}`
          const ended = await extractArchive(testWorld({ disk, syncDisk }), archive, target, {
            ...PLAIN,
            overwrite: true,
          }).catch((error: unknown) => error)
          const states = await statesIn(target)
          const moved = states.filter((state) => state === 'new').length
          expect(states, what).not.toContain('broken')
          expect(await readFile(join(target, 'sub/mine.xml'), 'utf8')).toBe('mine')
          expect(await hiddenIn(folder), what).toEqual([])
          if (!(ended instanceof Error)) return expect(moved, what).toBe(3)
          expect(isFailure(ended) && ended.kind, `${what}: ${ended.stack}`).toBe('io')
          if (!isRename) return
          partly += 1
          const rest = [
            '"a.xml" and 2 files after it were',
            '"sub/b.xml" and 1 file after it were',
            '"sub/deep/c.xml" was',
          ]
          expect(ended.message, what).toContain(`; ${moved} of 3 files extracted: ${rest[moved]} not`)
        })
      }
      expect(partly).toBe(3)
    },
    600_000,
  )

  posixTest('has each file old or new in an existing directory when it is killed at any call', async () => {
    const calls = await callsOf(true)
    const seen = new Set<string>()
    for (const [index, call] of calls.entries()) {
      if (index % sweep(5, 1) !== 0 && call !== 'renameSync') continue
      await withArchive(true, async (_folder, archive, target) => {
        const { disk, syncDisk } = failingFrom(index + 1, Number.POSITIVE_INFINITY, 'EIO')
        const options = { ...PLAIN, overwrite: true }
        await extractArchive(testWorld({ disk, syncDisk }), archive, target, options).catch(() => undefined)
        const states = await statesIn(target)
        expect(states, `${index + 1}, ${call}`).not.toContain('broken')
        seen.add(states.join(' '))
        await extractArchive(testWorld(), archive, target, options)
        expect(await statesIn(target)).toEqual(['new', 'new', 'new'])
      })
    }
    expect([...seen].sort()).toEqual(['new new new', 'new new none', 'new old none', 'old old none'])
  })
})

/** Disks of which `count` calls fail with the code, from the one with this number on. */
function failingFrom(first: number, count: number, code: string): ReturnType<typeof failingDisks> {
  let made = 0
  return failingDisks(() => {
    made += 1
    return made >= first && made < first + count ? code : undefined
  })
}

async function hiddenIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('.'))
}

describe.each([
  ['to a new directory', false],
  ['into an existing directory', true],
])('extractArchive %s', (_title, overwrite) => {
  posixTest('syncs every directory that got an entry', () =>
    withArchive(overwrite, async (folder, archive, target) => {
      const synced = new Set<number>()
      const syncDisk = watchedSyncDisk((call, fd) => {
        if (call === 'fsyncSync') synced.add(fstatSync(fd as number).ino)
      })
      await extractArchive(testWorld({ syncDisk }), archive, target, { ...PLAIN, overwrite })
      const folders = ['sub', 'sub/deep', 'empty'].map((path) => join(target, path))
      for (const path of [target, ...folders, ...(overwrite ? [] : [folder])]) {
        expect(synced.has(statSync(path).ino), path).toBe(true)
      }
    }),
  )
})

describe('extractArchive on worker threads', () => {
  const many = Array.from({ length: 600 }, (_, index) => ({
    name: `d${index % 40}/${index}.xml`,
    data: `<a n="${index}"/>`,
  }))

  it.each(['openSync', 'writeSync', 'futimesSync', 'closeSync', 'mkdirSync', 'fstatSync'])(
    'leaves nothing behind when %s fails there',
    async (failing) => {
      for (const at of [1, 20, 400]) {
        await withFolder(async (folder) => {
          const archive = join(folder, 'a.zip')
          await writeFile(archive, zip(many))
          let [count, started] = [0, 0]
          const { syncDisk } = failingDisks((call) => {
            if (call !== failing) return undefined
            count += 1
            return count === at ? 'ENOSPC' : undefined
          })
          const startWorker = () => {
            started += 1
            return inProcessInflater(syncDisk)
          }
          const ended = await extractArchive(
            testWorld({ startWorker }),
            archive,
            join(folder, 'out'),
            PLAIN,
          ).catch((error: unknown) => error)
          expect(started).toBe(2)
          // A directory that was only written into is closed without a check.
          const isHarmless = count < at || (failing === 'closeSync' && !(ended instanceof Error))
          if (isHarmless) {
            expect((await readdir(join(folder, 'out'), { recursive: true })).length).toBe(640)
            return
          }
          expect(ended).toMatchObject({ kind: 'io', message: expect.stringContaining('ENOSPC') })
          expect(await readdir(folder)).toEqual(['a.zip'])
        })
      }
    },
  )
})

describe('extractArchive on a disk without room', () => {
  it('writes nothing when what it would write is more than what is free', async () => {
    await withArchive(false, async (folder, archive, target) => {
      const real = testWorld().disk
      const disk: Disk = {
        ...real,
        statfs: (async (path: string) => ({
          ...(await real.statfs(path)),
          bavail: 1,
          bsize: 11,
        })) as unknown as Disk['statfs'],
      }
      await expect(extractArchive(testWorld({ disk }), archive, target, PLAIN)).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringMatching(/not enough space in .*: needs 12 B, 11 B free/),
      })
      expect(await readdir(folder)).toEqual(['a.zip'])
      await extractArchive(testWorld({ disk }), archive, target, { ...PLAIN, include: ['a.xml'] })
    })
  })
})

describe.skipIf(process.platform === 'win32')(
  'extractArchive where others could exchange directories',
  () => {
    it('refuses a directory that everybody can change, unless it is sticky', async () => {
      await withArchive(false, async (folder, archive) => {
        const shared = join(folder, 'shared')
        await mkdir(shared)
        await chmod(shared, 0o777)
        await expect(extractArchive(testWorld(), archive, join(shared, 'out'), PLAIN)).rejects.toMatchObject({
          kind: 'io',
          exitCode: 9,
          message: `every user can change ${shared}`,
          hint: `choose a directory that only you can change, or run: chmod o-w ${shared}`,
        })
        expect(await readdir(shared)).toEqual([])
        await chmod(shared, 0o1777)
        await extractArchive(testWorld(), archive, join(shared, 'out'), PLAIN)
        expect(await readdir(shared)).toEqual(['out'])
      })
    })

    it('refuses an existing target, and a directory in it, that everybody can change', async () => {
      for (const open of ['.', 'sub']) {
        await withArchive(true, async (folder, archive, target) => {
          await chmod(join(target, open), 0o777)
          const before = await snapshot(folder)
          await expect(
            extractArchive(testWorld(), archive, target, { ...PLAIN, overwrite: true }),
          ).rejects.toMatchObject({ kind: 'io', message: `every user can change ${join(target, open)}` })
          expect(await snapshot(folder)).toEqual(before)
        })
      }
    })

    it('extracts on a file system without permissions, where everything seems to be everybodys', async () => {
      const open = async (path: string, options?: { bigint: true }) => {
        const facts = await lstat(path, options)
        return Object.assign(facts, { mode: Number(facts.mode) | 0o777 })
      }
      for (const overwrite of [false, true]) {
        await withArchive(overwrite, async (_folder, archive, target) => {
          const disk = { ...testWorld().disk, lstat: open as Disk['lstat'], stat: open as Disk['stat'] }
          await extractArchive(testWorld({ disk }), archive, target, { ...PLAIN, overwrite })
          expect(await readFile(join(target, 'sub/b.xml'), 'utf8')).toBe('<b/>')
        })
      }
    })
  },
)

describe('extractArchive on a file system without some calls', () => {
  posixTest.each(['EPERM', 'ENOTSUP', 'EINVAL', 'ENOSYS'])('does without them: %s', async (code) => {
    for (const overwrite of [false, true]) {
      await withArchive(overwrite, async (_folder, archive, target) => {
        const missing = ['chmod', 'fsyncSync', 'futimesSync', 'fchmodSync', 'handle.sync']
        const { disk, syncDisk } = failingDisks((call) => (missing.includes(call) ? code : undefined))
        const notices: Notice[] = []
        const reporter = { ...SILENT, notice: (notice: Notice) => void notices.push(notice) }
        await extractArchive(testWorld({ disk, syncDisk }), archive, target, {
          ...PLAIN,
          overwrite,
          reporter,
        })
        expect(await readFile(join(target, 'sub/deep/c.xml'), 'utf8')).toBe('<c/>')
        expect(notices.map(({ event }) => event)).toEqual(['extract.times'])
      })
    }
  })
})

describe('extractArchive that cannot tidy up', () => {
  posixTest('has succeeded, and names what it left', async () => {
    await withArchive(false, async (folder, archive, target) => {
      const { disk, syncDisk } = failingDisks((call) => (call === 'rm' ? 'EBUSY' : undefined))
      const notices: Notice[] = []
      const reporter = { ...SILENT, notice: (notice: Notice) => void notices.push(notice) }
      await extractArchive(testWorld({ disk, syncDisk }), archive, target, { ...PLAIN, reporter })
      const left = (await readdir(folder)).find((name) => name.startsWith('.matdecl-unpack-'))!
      expect(notices).toMatchObject([
        { level: 'warning', event: 'extract.left', message: expect.stringContaining(left) },
      ])
    })
  })
})
