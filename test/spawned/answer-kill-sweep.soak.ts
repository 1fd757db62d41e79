import { randomFillSync } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ended, start } from '../support/binary.ts'
import { keptIn } from '../support/jobs.ts'
import { rangeService } from '../support/range-service.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const CHUNK = 64 * 1024
const ARCHIVE = zip([{ name: 'content.bin', data: randomFillSync(Buffer.alloc(200 * CHUNK)), method: 0 }])
const KILLS = [1, 7, 64, 150]

test(
  'one large response, killed several times, resumes each time: at most one chunk is sent again',
  {
    timeout: 120_000,
  },
  () =>
    withFolder(async (folder) => {
      await using service = await rangeService(() => ARCHIVE, {
        holdAt: (request) => (KILLS[request] === undefined ? undefined : KILLS[request] * CHUNK),
      })
      const args = ['--base-url', service.url, '--supplier', '123456789', '-o', 'out.zip', '--no-progress']
      const run = () => start(args, { cwd: folder, env: { MATDECL_TOKEN: 'secret-token' } })
      for (const chunks of KILLS) {
        const child = run()
        const end = ended(child)
        await service.stopped()
        await kept(folder, (chunks - 0.5) * CHUNK)
        child.kill('SIGKILL')
        expect((await end).signal).toBe('SIGKILL')
        expect((await readdir(folder)).filter((name) => name === 'out.zip')).toEqual([])
      }
      const last = await ended(run())
      expect(last, last.stderr).toMatchObject({ code: 0, stdout: 'out.zip\n' })
      expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE)).toBe(true)
      const starts = service.ranges.map((range) => Number(/\d+/.exec(range ?? '0')![0]))
      for (const [index, chunks] of KILLS.entries()) {
        const again = chunks * CHUNK - starts[index + 1]!
        expect(again, `after kill ${index}`).toBeGreaterThanOrEqual(0)
        expect(again, `after kill ${index}`).toBeLessThanOrEqual(CHUNK)
      }
      expect(await readdir(folder)).toEqual(['out.zip'])
    }),
)

/** Resolves when the job directory notes that this many bytes are kept. */
async function kept(folder: string, least: number): Promise<void> {
  const job = join(folder, 'out.zip.parts')
  while (Math.max(0, ...(await keptIn(job))) < least) await new Promise((resolve) => setImmediate(resolve))
}
