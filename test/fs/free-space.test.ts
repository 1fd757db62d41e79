import { expect, test } from 'vitest'
import type { Disk } from '../../src/base/world.ts'
import { freeBytes, requireRoom } from '../../src/fs/free-space.ts'
import { testWorld } from '../support/world.ts'

const diskWith = (statfs: () => Promise<unknown>): Disk =>
  ({ ...testWorld().disk, statfs }) as unknown as Disk
const small = diskWith(async () => ({ bavail: 3, bsize: 512, bfree: 1_000_000 }))

test.each([
  [0, true],
  [1536, true],
  [1537, false],
])('room for %d of 1536 bytes: %s', async (needed, fits) => {
  const check = requireRoom(small, '/a', needed)
  if (fits) await expect(check).resolves.toBeUndefined()
  else
    await expect(check).rejects.toMatchObject({
      kind: 'io',
      message: 'not enough space in /a: needs 1.5 KiB, 1.5 KiB free',
    })
})

test('a system that does not say how much is free is no reason to refuse', async () => {
  const silent = diskWith(() => Promise.reject(Object.assign(new Error(), { code: 'ENOSYS' })))
  expect(await freeBytes(silent, '/a')).toBeUndefined()
  await expect(requireRoom(silent, '/a', Number.MAX_SAFE_INTEGER)).resolves.toBeUndefined()
})
