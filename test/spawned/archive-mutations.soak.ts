import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { verifyArchive } from '../../src/archive/verify-archive.ts'
import { SILENT } from '../../src/base/notice.ts'
import { runBinary } from '../support/binary.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { fuzzCase, fuzzSeeds } from '../support/zip-fuzz.ts'

const CASES = 100

describe('the binary, given mutations of good archives', () => {
  it('extracts or refuses each, and writes nothing elsewhere', async () => {
    const seeds = fuzzSeeds()
    // Every fiftieth of the cases in test/archive/mutations.test.ts.
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
          const { code, signal, stderr } = await runBinary(['extract', '../a.zip', 'out'], {
            cwd: join(folder, 'cwd'),
          })
          const what = `case ${index}: ${stderr}`
          expect(signal, what).toBe(null)
          expect(code, what).toBe(isGood ? 0 : 8)
          expect((await readdir(folder)).toSorted(), what).toEqual(['a.zip', 'cwd'])
          expect(await readdir(join(folder, 'cwd')), what).toEqual(isGood ? ['out'] : [])
          if (isGood) accepted += 1
          else refused += 1
        })
      }
    }
  }, 120_000)
})
