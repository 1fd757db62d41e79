import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { probeDirectory } from '../../src/fs/directory-probe.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { posixDescribe } from '../support/programs.ts'
import { testWorld, withFolder } from '../support/world.ts'

const { disk } = testWorld()
// Like a run that is killed before it removes its probe.
const killedBeforeRemoval = () => failingDisk((call) => (call === 'unlink' ? 'EIO' : undefined))

posixDescribe('a probe of a directory', () => {
  test('has the facts of a private file, and leaves nothing', () =>
    withFolder(async (folder) => {
      const facts = await probeDirectory(disk, folder)
      expect(facts.mode & 0o777).toBe(0o600)
      expect(facts.uid).toBe(process.geteuid!())
      expect(await readdir(folder)).toEqual([])
    }))

  test('that a killed run has left is removed by the next one', () =>
    withFolder(async (folder) => {
      await expect(probeDirectory(killedBeforeRemoval(), folder)).rejects.toMatchObject({ code: 'EIO' })
      expect(await readdir(folder)).toEqual([`.matdecl-probe-${process.geteuid!()}`])
      await probeDirectory(disk, folder)
      expect(await readdir(folder)).toEqual([])
    }))

  test('takes another name where somebody has a file of that name, which stays', () =>
    withFolder(async (folder) => {
      const name = `.matdecl-probe-${process.geteuid!()}`
      await writeFile(join(folder, name), 'mine')
      await probeDirectory(disk, folder)
      expect(await readdir(folder)).toEqual([name])
      expect(await readFile(join(folder, name), 'utf8')).toBe('mine')
    }))

  test('of many at once does not fail', () =>
    withFolder(async (folder) => {
      await Promise.all(Array.from({ length: 50 }, () => probeDirectory(disk, folder)))
      expect(await readdir(folder)).toEqual([])
    }))
})
