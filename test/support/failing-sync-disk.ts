import * as realDisk from 'node:fs'
import type { Disk, SyncDisk } from '../../src/base/world.ts'
import { platformSyncDisk } from '../../src/fs/platform-disk.ts'
import { failingDisk } from './failing-disk.ts'

/** Both disks of a world, real except for calls for which `fails` returns an error code, and a log of all calls. */
export interface FailingDisks {
  readonly disk: Disk
  readonly syncDisk: SyncDisk
  readonly calls: readonly string[]
}

export function failingDisks(fails: (call: string) => string | undefined): FailingDisks {
  const disk = failingDisk(fails)
  const syncDisk = watchedSyncDisk((call, target) => {
    disk.calls.push(call)
    const code = fails(call)
    if (code === undefined) return
    if (call === 'closeSync') realDisk.closeSync(target as number)
    throw Object.assign(new Error(`${code}: made to fail, ${call}`), { code })
  })
  return { disk, syncDisk, calls: disk.calls }
}

/** The real disk; before each call, `before` gets its name and first argument. */
export function watchedSyncDisk(before: (call: string, target: unknown) => void): SyncDisk {
  return new Proxy<SyncDisk>(platformSyncDisk(process.platform, realDisk), {
    get(disk, key) {
      const value: unknown = Reflect.get(disk, key)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        before(String(key), args[0])
        return value.apply(disk, args)
      }
    },
  })
}
