import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/archive-limits.ts'
import { verifyArchive } from '../../src/archive/verify-archive.ts'
import { SILENT } from '../../src/base/notice.ts'
import { builtPath } from '../support/built.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { fuzzCase, fuzzSeeds } from '../support/zip-fuzz.ts'

const CASES = 100
const MAX_MS = 5_000
const MAX_RSS_KIB = 300 * 1024

// Tells the most memory the process ever had, in KiB, as the last line on standard error.
const TELL_MEMORY =
  'data:text/javascript,process.on("exit",()=>process.stderr.write("\\nRSS "+process.resourceUsage().maxRSS))'

describe('the binary, given mutations of good archives', () => {
  it('extracts or refuses each, in time and memory, and leaves nothing elsewhere', async () => {
    const seeds = fuzzSeeds()
    // Every fiftieth of those that the library itself is tried with.
    const indexes = Array.from({ length: CASES }, (_, index) => index * 50)
    let [accepted, refused] = [0, 0]
    await Promise.all([0, 1].map((half) => tryAll(indexes.filter((_, position) => position % 2 === half))))
    expect(accepted + refused).toBe(CASES)
    expect(Math.min(accepted, refused)).toBeGreaterThan(3)

    async function tryAll(own: readonly number[]): Promise<void> {
      for (const index of own) {
        await withFolder(async (folder) => {
          const path = join(folder, 'a.zip')
          await writeFile(path, fuzzCase(seeds, index))
          await mkdir(join(folder, 'cwd'))
          const isGood = await verifyArchive(testWorld(), path, {
            limits: DEFAULT_ARCHIVE_LIMITS,
            reporter: SILENT,
          }).then(
            () => true,
            () => false,
          )
          const startedMs = performance.now()
          const { code, signal, stderr } = await extract(join(folder, 'cwd'))
          const what = `case ${index}: ${stderr}`
          expect(performance.now() - startedMs, what).toBeLessThan(MAX_MS)
          expect(signal, what).toBe(null)
          expect(code, what).toBe(isGood ? 0 : 8)
          expect(Number(/RSS (\d+)$/.exec(stderr)?.[1]), what).toBeLessThan(MAX_RSS_KIB)
          expect((await readdir(folder)).toSorted(), what).toEqual(['a.zip', 'cwd'])
          expect(await readdir(join(folder, 'cwd')), what).toEqual(isGood ? ['out'] : [])
          if (isGood) accepted += 1
          else refused += 1
        })
      }
    }
  }, 120_000)
})

async function extract(cwd: string): Promise<{ code: number | null; signal: string | null; stderr: string }> {
  const args = ['--import', TELL_MEMORY, builtPath('bin', 'matdecl.js'), 'extract', '../a.zip', 'out']
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [stderr, [code, signal]] = await Promise.all([
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, string | null]>,
  ])
  return { code, signal, stderr }
}
