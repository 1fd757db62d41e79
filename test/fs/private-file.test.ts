import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { World } from '../../src/base/world.ts'
import { openPrivateFile } from '../../src/fs/private-file.ts'
import { posixTest } from '../support/programs.ts'
import { testWorld, withFolder } from '../support/world.ts'

function worldWith(tempDir: string, change: Partial<World['disk']> = {}): World {
  const world = testWorld()
  return { ...world, disk: { ...world.disk, ...change }, host: { ...world.host, tempDir } }
}

describe('a private file', () => {
  it('gives back what was written, by position', async () => {
    await withFolder(async (folder) => {
      await using file = await openPrivateFile(worldWith(folder))
      await file.append(Buffer.from('hello '))
      await file.append(Buffer.from('world'))
      expect(file.bytes()).toBe(11)
      expect((await file.read(4, 4)).toString()).toBe('o wo')
    })
  })

  posixTest('has no name, so nothing can be left or opened', async () => {
    await withFolder(async (folder) => {
      await using file = await openPrivateFile(worldWith(folder))
      await file.append(Buffer.from('secret'))
      expect(await readdir(folder)).toEqual([])
    })
  })

  it('that keeps its name is readable by its owner only, and removed at the end', async () => {
    await withFolder(async (folder) => {
      let isFirst = true
      const { disk } = testWorld()
      const unlink: World['disk']['unlink'] = async (path) => {
        if (!isFirst) return disk.unlink(path)
        isFirst = false
        throw Object.assign(new Error('busy'), { code: 'EBUSY' })
      }
      {
        await using file = await openPrivateFile(worldWith(folder, { unlink }))
        await file.append(Buffer.from('secret'))
        const [name] = await readdir(folder)
        if (process.platform !== 'win32') {
          expect((await stat(join(folder, name!))).mode & 0o777).toBe(0o600)
        }
      }
      expect(await readdir(folder)).toEqual([])
    })
  })

  it('in a directory that is not there is a failure of kind io that names TMPDIR', async () => {
    await withFolder(async (folder) => {
      await expect(openPrivateFile(worldWith(join(folder, 'gone')))).rejects.toMatchObject({
        kind: 'io',
        hint: expect.stringContaining('TMPDIR'),
      })
    })
  })

  // On Windows, it has a name until it is closed.
  posixTest('on a full disk is a failure of kind io', async () => {
    await withFolder(async (folder) => {
      const { disk } = testWorld()
      const open = (async (...parameters: Parameters<World['disk']['open']>) => {
        const handle = await disk.open(...parameters)
        handle.write = (async () => {
          throw Object.assign(new Error('full'), { code: 'ENOSPC' })
        }) as unknown as typeof handle.write
        return handle
      }) as World['disk']['open']
      await using file = await openPrivateFile(worldWith(folder, { open }))
      await expect(file.append(Buffer.from('x'))).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringContaining('the disk is full'),
      })
      expect(await readdir(folder)).toEqual([])
    })
  })
})
