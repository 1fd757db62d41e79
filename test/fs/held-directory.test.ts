import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as realDisk from 'node:fs'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SyncDisk } from '../../src/base/world.ts'
import {
  holdDirectory,
  makePrivateDirectory,
  removeLeftDirectory,
  removePrivateDirectory,
} from '../../src/fs/held-directory.ts'
import { watchedSyncDisk } from '../support/failing-sync-disk.ts'
import { sweep } from '../support/soak.ts'
import { withFolder } from '../support/world.ts'

const NOBODY = 65534
const isRoot = process.geteuid?.() === 0
const isLinux = process.platform === 'linux'

/** A shared directory, and one beside it that must not change. */
async function inShared(body: (shared: string, outside: string) => void | Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    chmodSync(folder, 0o755)
    const shared = join(folder, 'shared')
    const outside = join(folder, 'outside')
    mkdirSync(shared)
    chmodSync(shared, 0o1777)
    mkdirSync(join(outside, 'deep'), { recursive: true })
    for (const name of ['a', 'deep/b']) writeFileSync(join(outside, name), 'kept')
    await body(shared, outside)
    expect(readdirSync(outside, { recursive: true }).toSorted()).toEqual(['a', 'deep', 'deep/b'])
  })
}

/** A private directory with a tree in it. */
function fill(path: string): void {
  mkdirSync(join(path, 'new/sub/deep/deeper'), { recursive: true })
  for (const name of ['1', 'sub/2', 'sub/deep/3', 'sub/deep/deeper/4'])
    writeFileSync(join(path, 'new', name), 'x')
}

/** What a killed run left. */
function left(shared: string, name: string): string {
  const path = join(shared, name)
  mkdirSync(path, { mode: 0o700 })
  fill(path)
  return path
}

const isKnown = (name: string): boolean => name === 'new'

describe('a private directory', () => {
  it('is entered by its owner alone, and is removed with everything in it', () =>
    inShared((shared) => {
      const parent = holdDirectory(realDisk, shared)
      const folder = makePrivateDirectory(realDisk, parent, 'own')
      expect(realDisk.statSync(join(shared, 'own')).mode & 0o777).toBe(0o700)
      fill(join(shared, 'own'))
      expect(removePrivateDirectory(realDisk, parent, 'own', folder)).toBe(true)
      expect(readdirSync(shared)).toEqual([])
    }))

  it('is removed at any depth with few descriptors', () =>
    inShared((shared) => {
      const parent = holdDirectory(realDisk, shared)
      const folder = makePrivateDirectory(realDisk, parent, 'own')
      mkdirSync(join(shared, 'own', ...Array<string>(1_500).fill('d')), { recursive: true })
      let [open, most] = [0, 0]
      const disk = watchedSyncDisk((call) => {
        if (call === 'openSync') open += 1
        if (call === 'closeSync') open -= 1
        most = Math.max(most, open)
      })
      expect(removePrivateDirectory(disk, parent, 'own', folder)).toBe(true)
      expect(most).toBeLessThan(4)
      expect(readdirSync(shared)).toEqual([])
    }))

  it('is refused when another directory takes its place before it is opened', () =>
    inShared((shared, outside) => {
      const parent = holdDirectory(realDisk, shared)
      let isSwapped = false
      const disk = watchedSyncDisk((call, path) => {
        if (isSwapped || call !== 'openSync' || basename(String(path)) !== 'own') return
        isSwapped = true
        renameSync(join(shared, 'own'), join(shared, 'moved'))
        renameSync(outside, join(shared, 'own'))
      })
      expect(() => makePrivateDirectory(disk, parent, 'own')).toThrow(/replaced by another program/)
      renameSync(join(shared, 'own'), outside)
    }))

  it.skipIf(!isRoot)('is refused when a directory of another user takes its place', () =>
    inShared((shared) => {
      const parent = holdDirectory(realDisk, shared)
      const disk = watchedSyncDisk((call, path) => {
        if (call !== 'openSync' || basename(String(path)) !== 'own') return
        renameSync(join(shared, 'own'), join(shared, 'moved'))
        mkdirSync(join(shared, 'own'))
        chownSync(join(shared, 'own'), NOBODY, NOBODY)
      })
      expect(() => makePrivateDirectory(disk, parent, 'own')).toThrow(/replaced by another program/)
      expect(existsSync(join(shared, 'own'))).toBe(true)
    }),
  )

  it('stays where its name leads to something else', () =>
    inShared((shared, outside) => {
      const parent = holdDirectory(realDisk, shared)
      const folder = makePrivateDirectory(realDisk, parent, 'own')
      fill(join(shared, 'own'))
      renameSync(join(shared, 'own'), join(shared, 'moved'))
      symlinkSync(outside, join(shared, 'own'))
      expect(removePrivateDirectory(realDisk, parent, 'own', folder)).toBe(false)
      expect(readdirSync(shared).toSorted()).toEqual(isLinux ? ['moved', 'own'] : expect.anything())
    }))
})

describe('what a killed run left', () => {
  const remove = (disk: SyncDisk, shared: string, name: string): boolean => {
    const parent = holdDirectory(realDisk, shared)
    const like = makePrivateDirectory(realDisk, parent, 'like')
    try {
      return removeLeftDirectory(disk, parent, name, like, isKnown)
    } finally {
      removePrivateDirectory(realDisk, parent, 'like', like)
    }
  }

  it('is removed, also when its removal was interrupted', () =>
    inShared((shared) => {
      fill(join(left(shared, 'stale'), 'rest-7'))
      expect(remove(realDisk, shared, 'stale')).toBe(true)
      expect(readdirSync(shared)).toEqual([])
    }))

  it.each([
    ['that others can enter', (path: string) => chmodSync(path, 0o755)],
    ['with something else in it', (path: string) => writeFileSync(join(path, 'thesis.tex'), 'x')],
  ])('stays as a directory %s', (_title, change) =>
    inShared((shared) => {
      const path = left(shared, 'stale')
      change(path)
      expect(remove(realDisk, shared, 'stale')).toBe(false)
      expect(existsSync(join(path, 'new/sub/deep/deeper/4'))).toBe(true)
    }),
  )

  it.skipIf(!isRoot)('stays when it belongs to another user, also for root', () =>
    inShared((shared) => {
      const path = left(shared, 'stale')
      chownSync(path, NOBODY, NOBODY)
      expect(remove(realDisk, shared, 'stale')).toBe(false)
      expect(existsSync(join(path, 'new/1'))).toBe(true)
    }),
  )

  it.skipIf(!isRoot)('keeps a directory of another user in it', () =>
    inShared((shared) => {
      const path = left(shared, 'stale')
      chownSync(join(path, 'new/sub'), NOBODY, NOBODY)
      expect(remove(realDisk, shared, 'stale')).toBe(false)
      expect(readdirSync(path, { recursive: true })).toContain('rest-1/deep/3')
    }),
  )

  // Before every single call of the removal in turn, every directory in the tree is replaced by a link to what must not change.
  it.skipIf(!isLinux)(
    'never leads the removal elsewhere, whenever a link takes the place of a directory',
    () =>
      inShared((shared, outside) => {
        const count = 40
        for (const place of ['stale', 'stale/new', 'stale/new/sub', 'stale/new/sub/deep', 'stale/rest-1']) {
          let swaps = 0
          for (let at = 1; at < count; at += sweep(4, 1)) {
            left(shared, 'stale')
            let calls = 0
            const disk = watchedSyncDisk(() => {
              calls += 1
              if (calls !== at || !existsSync(join(shared, place))) return
              renameSync(join(shared, place), join(shared, 'moved'))
              symlinkSync(outside, join(shared, place))
              swaps += 1
            })
            try {
              remove(disk, shared, 'stale')
            } catch {}
            expect(readdirSync(join(outside, 'deep')), `${place} at call ${at}`).toEqual(['b'])
            expect(existsSync(join(outside, 'a'))).toBe(true)
            for (const name of readdirSync(shared)) rmSync(join(shared, name), { recursive: true })
          }
          expect(swaps, place).toBeGreaterThan(sweep(0, 3))
        }
      }),
  )

  it.skipIf(!isLinux)(
    'stays, where the system has no /proc and others can rename directories on the way',
    () =>
      inShared((shared) => {
        const withoutProc = watchedSyncDisk((call, path) => {
          if (call === 'statSync' && String(path).startsWith('/proc/')) {
            throw Object.assign(new Error('no /proc'), { code: 'ENOENT' })
          }
        })
        const attempt = (): boolean => {
          const parent = holdDirectory(withoutProc, shared)
          const folder = makePrivateDirectory(withoutProc, parent, 'own')
          fill(join(shared, 'own'))
          return removePrivateDirectory(withoutProc, parent, 'own', folder)
        }
        chmodSync(shared, 0o777)
        expect(attempt()).toBe(false)
        expect(existsSync(join(shared, 'own/new/1'))).toBe(true)
        rmSync(join(shared, 'own'), { recursive: true })
        chmodSync(shared, 0o700)
        expect(attempt()).toBe(true)
        expect(readdirSync(shared)).toEqual([])
      }),
  )
})

const SWAPPER = `
const { renameSync } = require('node:fs')
const [directory, link, hold] = process.argv.slice(1)
process.stdout.write('ready')
for (;;) {
  try { renameSync(directory, hold) } catch {}
  try { renameSync(link, directory) } catch {}
  try { renameSync(directory, link) } catch {}
  try { renameSync(hold, directory) } catch {}
}`

describe.skipIf(!isLinux)('a removal against a process that swaps a directory for a link', () => {
  it(
    'removes nothing elsewhere in any round',
    () =>
      inShared(async (shared, outside) => {
        const [link, hold] = [join(shared, 'link'), join(shared, 'hold')]
        const swapped = join(shared, 'stale/new/sub')
        const child = spawn(process.execPath, ['-e', SWAPPER, swapped, link, hold], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        try {
          await once(child.stdout!, 'data')
          const parent = holdDirectory(realDisk, shared)
          const like = makePrivateDirectory(realDisk, parent, 'like')
          for (let round = 0; round < sweep(40, 400); round += 1) {
            // Cleared and filled under other names, so that only the removal meets the link.
            for (const name of ['stale', 'hold', 'link']) {
              try {
                renameSync(join(shared, name), join(shared, 'trash'))
              } catch {}
              rmSync(join(shared, 'trash'), { recursive: true, force: true })
            }
            symlinkSync(outside, link)
            renameSync(left(shared, 'fresh'), join(shared, 'stale'))
            try {
              removeLeftDirectory(realDisk, parent, 'stale', like, isKnown)
            } catch {}
            expect(existsSync(join(outside, 'a')) && existsSync(join(outside, 'deep/b'))).toBe(true)
          }
        } finally {
          child.kill('SIGKILL')
          await once(child, 'close')
        }
      }),
    60_000,
  )
})
