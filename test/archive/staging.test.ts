import { fstatSync, readdirSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ExtractOptions, extractArchive } from '../../src/archive/extract-archive.ts'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { isFailure } from '../../src/base/failure.ts'
import { SILENT } from '../../src/base/notice.ts'
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

describe.each([
  ['to a new directory', false],
  ['into an existing directory', true],
])('extractArchive %s on a disk that fails', (_title, overwrite) => {
  posixTest(
    'has either everything or nothing, whichever call fails',
    async () => {
      const calls: string[] = []
      await withArchive(overwrite, async (_folder, archive, target) => {
        const { disk, syncDisk, calls: made } = failingDisks(() => undefined)
        await extractArchive(testWorld({ disk, syncDisk }), archive, target, { ...PLAIN, overwrite })
        calls.push(...made)
      })
      expect(calls.length).toBeGreaterThan(30)
      let failed = 0
      for (const [index, call] of calls.entries()) {
        if (REMOVING.has(call) || index % sweep(5, 1) !== 0) continue
        const code = CODES[index % CODES.length]!
        await withArchive(overwrite, async (folder, archive, target) => {
          const before = await snapshot(folder)
          let count = 0
          const { disk, syncDisk } = failingDisks(() => {
            count += 1
            return count === index + 1 ? code : undefined
          })
          const what = `${code} at call ${index + 1}, ${call}`
          const ended = await extractArchive(testWorld({ disk, syncDisk }), archive, target, {
            ...PLAIN,
            overwrite,
          }).catch((error: unknown) => error)
          if (ended instanceof Error) {
            failed += 1
            expect(isFailure(ended) && ended.kind, `${what}: ${ended.stack}`).toBe('io')
            expect(await snapshot(folder), what).toEqual(before)
          } else {
            expect(await readFile(join(target, 'sub/deep/c.xml'), 'utf8'), what).toBe('<c/>')
            expect(await readFile(join(target, 'a.xml'), 'utf8'), what).toBe('<a/>')
            expect(
              (await readdir(folder)).filter((name) => name.startsWith('.')),
              what,
            ).toEqual([])
          }
        })
      }
      expect(failed).toBeGreaterThan(sweep(6, 30))
    },
    600_000,
  )
})

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

/** A disk that calls `before` ahead of every call, with what is about to happen. */
function watchedDisk(before: (call: string, path: string) => Promise<void>): Disk {
  const real = testWorld().disk
  return new Proxy(real, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        await before(String(key), String(args[0]))
        return value.apply(target, args)
      }
    },
  })
}

describe.skipIf(process.platform !== 'linux')('extractArchive when somebody swaps links in', () => {
  it('does not write through a link that takes the place of the hidden directory', async () => {
    await withArchive(false, async (folder, archive, target) => {
      await mkdir(join(folder, 'elsewhere'))
      let isSwapped = false
      const syncDisk = watchedSyncDisk((call, path) => {
        if (isSwapped || call !== 'openSync' || basename(String(path)) !== 'a.xml') return
        isSwapped = true
        const hidden = readdirSync(folder).find((name) => name.startsWith('.matdecl-unpack-'))!
        renameSync(join(folder, hidden), join(folder, 'moved'))
        symlinkSync(join(folder, 'elsewhere'), join(folder, hidden))
      })
      await extractArchive(testWorld({ syncDisk }), archive, target, PLAIN)
      expect(isSwapped).toBe(true)
      expect(await readdir(join(folder, 'elsewhere'))).toEqual([])
      expect(await readFile(join(target, 'sub/b.xml'), 'utf8')).toBe('<b/>')
    })
  })

  it('does not write through a link that takes the place of a directory in the target', async () => {
    await withArchive(true, async (folder, archive, target) => {
      await mkdir(join(folder, 'elsewhere'))
      let isSwapped = false
      const syncDisk = watchedSyncDisk((call) => {
        if (isSwapped || call !== 'renameSync') return
        isSwapped = true
        renameSync(join(target, 'sub'), join(folder, 'moved'))
        symlinkSync(join(folder, 'elsewhere'), join(target, 'sub'))
      })
      await extractArchive(testWorld({ syncDisk }), archive, target, { ...PLAIN, overwrite: true }).catch(
        () => undefined,
      )
      expect(isSwapped).toBe(true)
      expect(await readdir(join(folder, 'elsewhere'))).toEqual([])
    })
  })

  it('does not publish into another directory that takes the place of the parent', async () => {
    await withArchive(false, async (folder, archive) => {
      await mkdir(join(folder, 'parent'))
      let isSwapped = false
      const disk = watchedDisk(async (call) => {
        if (isSwapped || call !== 'rename') return
        isSwapped = true
        await rename(join(folder, 'parent'), join(folder, 'moved'))
        await mkdir(join(folder, 'parent'))
      })
      await expect(
        extractArchive(testWorld({ disk }), archive, join(folder, 'parent/out'), PLAIN),
      ).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringContaining('moved or replaced in the meantime'),
      })
      expect(await readdir(join(folder, 'parent'))).toEqual([])
      expect(await readdir(join(folder, 'moved'))).toEqual([])
    })
  })
})
