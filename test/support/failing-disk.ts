import type { FileHandle } from 'node:fs/promises'
import * as realDisk from 'node:fs/promises'
import type { Disk } from '../../src/base/world.ts'
import { platformDisk } from '../../src/fs/platform-disk.ts'

const HANDLE_CALLS = [
  'write',
  'writev',
  'appendFile',
  'sync',
  'datasync',
  'truncate',
  'stat',
  'chmod',
  'close',
  'read',
] as const

/** A disk that lists its calls by name (`handle.sync` for those on an open file). */
export interface FailingDisk extends Disk {
  readonly calls: string[]
}

/** The real disk, except that calls for which `fails` returns an error code fail without doing anything. */
export function failingDisk(
  fails: (call: string, count: number, path: string) => string | undefined,
): FailingDisk {
  const calls: string[] = []

  function check(call: string, path: string): void {
    calls.push(call)
    const code = fails(call, calls.filter((name) => name === call).length, path)
    if (code !== undefined) throw Object.assign(new Error(`${code}: injected into ${call}`), { code })
  }

  function wrapHandle(handle: FileHandle, path: string): FileHandle {
    return new Proxy(handle, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        if (!(HANDLE_CALLS as readonly unknown[]).includes(key)) return value.bind(target)
        return async (...args: unknown[]) => {
          try {
            check(`handle.${String(key)}`, path)
          } catch (error) {
            if (key === 'close') await target.close()
            throw error
          }
          return value.apply(target, args)
        }
      },
    })
  }

  const disk = platformDisk(process.platform, realDisk)
  return new Proxy(disk as unknown as FailingDisk, {
    get(target, key) {
      if (key === 'calls') return calls
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        const path = String(args[0])
        check(String(key), path)
        const result: unknown = await value.apply(target, args)
        return key === 'open' ? wrapHandle(result as FileHandle, path) : result
      }
    },
  })
}
