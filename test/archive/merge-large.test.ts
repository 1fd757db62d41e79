import { execFileSync } from 'node:child_process'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { mergeArchives } from '../../src/archive/merge-archives.ts'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { verifyArchive } from '../../src/archive/verify-archive.ts'
import { SILENT } from '../../src/base/notice.ts'
import { sourcesOf } from '../support/merge-sources.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const GIB = 1024 ** 3

// Five gibibytes are written: only where somebody asks for it.
describe.skipIf(process.env.MATDECL_LARGE_TESTS !== '1')('mergeArchives beyond four gibibytes', () => {
  it('makes an archive that verifies and that other tools read', async () => {
    await withFolder(async (folder) => {
      const bytes = Math.floor(1.6 * GIB)
      const sum = crcOfZeros(bytes)
      const inputs: string[] = []
      for (const name of ['a', 'b', 'c']) {
        inputs.push(join(folder, `${name}.zip`))
        await writeSparse(inputs.at(-1)!, name, bytes, sum)
      }
      const path = join(folder, 'all.zip')
      await mergeArchives(testWorld(), sourcesOf([...inputs, inputs[0]!]), path, { reporter: SILENT })
      expect((await stat(path)).size).toBeGreaterThan(4.7 * GIB)
      const { entries } = await verifyArchive(testWorld(), path, {
        limits: DEFAULT_ARCHIVE_LIMITS,
        reporter: SILENT,
      })
      expect(entries.map(({ name, bytes: size }) => [name, size])).toEqual([
        ['a', bytes],
        ['b', bytes],
        ['c', bytes],
      ])
      expect(entries[2]!.headerOffset).toBeGreaterThan(3 * GIB)
      execFileSync('unzip', ['-tq', path])
      execFileSync('7zz', ['t', path])
      execFileSync('bsdtar', ['-tf', path])
      execFileSync('python3', [
        '-c',
        'import sys, zipfile; assert zipfile.ZipFile(sys.argv[1]).testzip() is None',
        path,
      ])
    })
  }, 600_000)
})

/** An archive of one stored entry of zeros, as a file with a hole. */
async function writeSparse(path: string, name: string, bytes: number, sum: number): Promise<void> {
  const declared = { bytes, packedBytes: bytes, crc32: sum }
  const made = zip([{ name, method: 0, local: declared, central: declared }])
  const headerBytes = 30 + name.length
  const tail = Buffer.from(made.subarray(headerBytes))
  tail.writeUInt32LE(headerBytes + bytes, tail.length - 6)
  const handle = await open(path, 'w')
  await handle.write(made, 0, headerBytes, 0)
  await handle.write(tail, 0, tail.length, headerBytes + bytes)
  await handle.close()
}

function crcOfZeros(bytes: number): number {
  const zeros = Buffer.alloc(64 * 1024 ** 2)
  let sum = 0
  for (let rest = bytes; rest > 0; rest -= zeros.length)
    sum = crc32(zeros.subarray(0, Math.min(rest, zeros.length)), sum)
  return sum
}
