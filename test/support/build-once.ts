import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildAll } from '../../scripts/build.mjs'

const IN_MEMORY = '/dev/shm'
const TMPFS = 0x01021994
/** The suite needs a tenth of it. */
const ENOUGH_BYTES = 4 * 1024 ** 3

/**
 * The directory of temporary files: one in memory, where that has room and programs can be run from it, because the suite writes,
 * syncs and removes many small files. The soak, which has large ones, and a run with TMPDIR take the usual one.
 */
function temporaryDirectory(isSoak: boolean): string {
  return !isSoak && process.env.TMPDIR === undefined && isFit(IN_MEMORY) ? IN_MEMORY : tmpdir()
}

function isFit(path: string): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(path)
    if (type !== TMPFS || bavail * bsize < ENOUGH_BYTES) return false
    const folder = mkdtempSync(join(path, 'matdecl-run-'))
    try {
      const program = join(folder, 'program')
      writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
      return spawnSync(program).status === 0
    } finally {
      rmSync(folder, { recursive: true })
    }
  } catch {
    return false
  }
}

/**
 * Builds the program for this test run, for worker threads and spawned processes; see `builtPath`. The build and all temporary files are
 * in one directory. A process that tests have started there ends with the run, also when the run is killed.
 */
export default async function setup({ config }: TestProject): Promise<() => Promise<void>> {
  const isSoak = config.env.MATDECL_SOAK === '1'
  const folder = await mkdtemp(join(temporaryDirectory(isSoak), 'matdecl-run-'))
  // Apache and squid started by root read their files as another user.
  await chmod(folder, 0o711)
  const reaper = spawn(process.execPath, [join(import.meta.dirname, 'reaper.mjs'), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  // `npm test` has built it a moment ago.
  const dist = join(folder, 'dist')
  await (process.env.npm_lifecycle_event === 'test' ? cp('dist', dist, { recursive: true }) : buildAll(dist))
  await cp('bin', join(folder, 'bin'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"type":"module"}\n')
  process.env.MATDECL_TEST_BUILD = folder
  process.env.TMPDIR = join(folder, 'tmp')
  await mkdir(process.env.TMPDIR)
  return async () => {
    const ended = once(reaper, 'exit')
    reaper.stdin.end('done')
    await ended
  }
}
