import { createHash } from 'node:crypto'
import * as realDisk from 'node:fs/promises'
import { mkdir, readdir, readFile, rename, unlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CollectedArchive, publishArchive } from '../../src/download/collect-archive.ts'
import { identityAt } from '../../src/fs/draft.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { testWorld, withFolder } from '../support/world.ts'

const GOOD = 'the archive that was verified'
const EVIL = 'the archive of someone else!!'
const JOB = { willPublish: async () => undefined }

async function verified(folder: string): Promise<CollectedArchive> {
  const path = join(folder, 'out.zip.parts', '0-1-00000000.zip')
  await mkdir(join(folder, 'out.zip.parts'))
  await writeFile(path, GOOD, { mode: 0o600 })
  return {
    path,
    bytes: GOOD.length,
    sha256: createHash('sha256').update(GOOD).digest('hex'),
    entries: [],
    declared: new Set<string>(),
    identity: await identityAt(realDisk, path),
  }
}

async function swap(path: string): Promise<void> {
  const { mtime, atime } = await realDisk.stat(path)
  await writeFile(`${path}.evil`, EVIL)
  await utimes(`${path}.evil`, atime, mtime)
  await rename(`${path}.evil`, path)
}

describe('publishing', () => {
  test.each([false, true])(
    'gives the verified file its name and the mode of a new file (overwrite %s)',
    (overwrite) =>
      withFolder(async (folder) => {
        const archive = await verified(folder)
        const final = join(folder, 'out.zip')
        if (overwrite) await writeFile(final, 'old')
        const published = await publishArchive(testWorld(), JOB, archive, final, { overwrite })
        expect(published.path).toBe(final)
        expect(await readFile(final, 'utf8')).toBe(GOOD)
        expect((await realDisk.stat(final)).mode & 0o777).toBe(0o644)
        expect((await realDisk.stat(final)).nlink).toBe(1)
        expect((await readdir(folder)).sort()).toEqual(['out.zip', 'out.zip.parts'])
      }),
  )

  test.each([false, true])(
    'never gives the name to a file that replaces it, whenever that happens (overwrite %s)',
    (overwrite) =>
      withFolder(async (root) => {
        const watched = failingDisk(() => undefined)
        const first = join(root, 'good')
        await mkdir(first)
        await publishArchive(
          testWorld({ disk: watched }),
          JOB,
          await verified(first),
          join(first, 'out.zip'),
          { overwrite },
        )
        let refused = 0
        for (let index = 0; index < watched.calls.length; index += 1) {
          const folder = join(root, String(index))
          await mkdir(folder)
          const archive = await verified(folder)
          const final = join(folder, 'out.zip')
          if (overwrite) await writeFile(final, 'old')
          let count = -1
          const disk = swapping(async () => {
            count += 1
            if (count === index) await swap(archive.path).catch(() => undefined)
          })
          const what = `swapped before ${watched.calls[index]} (call ${index})`
          const outcome = await publishArchive(testWorld({ disk }), JOB, archive, final, { overwrite }).catch(
            (error) => error,
          )
          const content = await readFile(final, 'utf8').catch(() => undefined)
          if (outcome instanceof Error) {
            refused += 1
            expect(outcome, what).toMatchObject({
              kind: 'io',
              message: expect.stringContaining('was replaced after it was verified'),
            })
            expect(content, what).toBe(overwrite ? 'old' : undefined)
            expect(
              (await readdir(folder)).filter((name) => name.startsWith('.')),
              what,
            ).toEqual([])
          } else {
            expect(content, what).toBe(GOOD)
          }
        }
        expect(refused).toBeGreaterThanOrEqual(2)
      }),
  )

  test('works on a file system without hard links', () =>
    withFolder(async (folder) => {
      const archive = await verified(folder)
      const disk = failingDisk((call) => (call === 'link' ? 'EPERM' : undefined))
      await publishArchive(testWorld({ disk }), JOB, archive, join(folder, 'out.zip'), { overwrite: false })
      expect(await readFile(join(folder, 'out.zip'), 'utf8')).toBe(GOOD)
    }))

  test('a file that is gone is reported, and nothing is published', () =>
    withFolder(async (folder) => {
      const archive = await verified(folder)
      await unlink(archive.path)
      await expect(
        publishArchive(testWorld(), JOB, archive, join(folder, 'out.zip'), { overwrite: false }),
      ).rejects.toMatchObject({ kind: 'io' })
      expect(await readdir(folder)).toEqual(['out.zip.parts'])
    }))
})

// The real disk, with something happening before each call by path.
function swapping(before: () => Promise<void>): typeof realDisk {
  return new Proxy(realDisk, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        await before()
        return value.apply(target, args)
      }
    },
  })
}
