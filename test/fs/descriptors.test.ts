import { open } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Disk } from '../../src/base/world.ts'
import { requireDescriptors } from '../../src/fs/descriptors.ts'

/** A disk on which at most `limit` files can be open; `openNow` counts them. */
function limitedDisk(limit: number): {
  readonly disk: Pick<Disk, 'open'>
  readonly openNow: () => number
  most: number
} {
  let openNow = 0
  const state = { disk: { open: opened as Disk['open'] }, openNow: () => openNow, most: 0 }
  async function opened(...args: Parameters<Disk['open']>): ReturnType<Disk['open']> {
    if (openNow >= limit) throw Object.assign(new Error(), { code: 'EMFILE' })
    openNow += 1
    state.most = Math.max(state.most, openNow)
    const file = await open(...args)
    const close = file.close.bind(file)
    file.close = async () => {
      openNow -= 1
      await close()
    }
    return file
  }
  return state
}

test('a run that can open its files may start', async () => {
  const limited = limitedDisk(28)
  await requireDescriptors(limited.disk, { connections: 4, threads: 2 })
  expect(limited).toMatchObject({ most: 28 })
  expect(limited.openNow()).toBe(0)
})

test('a run that cannot is refused, and leaves no file open', async () => {
  const limited = limitedDisk(27)
  await expect(requireDescriptors(limited.disk, { connections: 4, threads: 2 })).rejects.toMatchObject({
    kind: 'io',
    message: 'too many open files',
    hint: 'raise the limit (ulimit -n), or use fewer connections',
    details: { options: ['concurrency'] },
  })
  expect(limited.openNow()).toBe(0)
})

test('a disk that does not report its free space does not stop a run', async () => {
  const open = (): never => {
    throw Object.assign(new Error(), { code: 'EACCES' })
  }
  await requireDescriptors({ open: async () => open() }, { connections: 1, threads: 1 })
})
