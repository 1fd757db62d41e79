import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ended, start } from '../support/binary.ts'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const ARCHIVES = 60
const GOOD = listXml('EUROHS-1907', rohsCategories())

interface Setting {
  readonly run: (...argv: readonly string[]) => ReturnType<typeof start>
  readonly names: () => Promise<readonly string[]>
}

/** Many archives in `nightly`, each a few declarations, and a cache of their own. */
async function inFolder(body: (setting: Setting) => Promise<void>): Promise<void> {
  await withFolder(async (cwd) => {
    await mkdir(join(cwd, 'nightly'))
    for (let n = 0; n < ARCHIVES; n += 1) {
      const entries = Array.from({ length: 20 }, (_, at) => ({
        name: `${at}.xml`,
        data: fileA(productXml([`P${n}-${at}`], `${GOOD}<!--${'x'.repeat(5_000)}-->`)),
      }))
      await writeFile(join(cwd, 'nightly', `${n}.zip`), zip(entries))
    }
    const env = { XDG_CACHE_HOME: join(cwd, 'cache') }
    await body({
      run: (...argv) => start(['report', 'nightly', ...argv], { cwd, env }),
      names: () => readdir(join(cwd, 'cache', 'matdecl', 'rows')).catch(() => []),
    })
  })
}

const isEntry = (name: string): boolean => /^[0-9a-f]{64}\.rows$/.test(name)

describe('the cache of rows', () => {
  test('can be filled and used by several processes at once', () =>
    inFolder(async ({ run, names }) => {
      const { stdout } = await ended(run('--no-cache'))
      expect(await names()).toEqual([])
      const all = await Promise.all([run(), run(), run()].map(ended))
      for (const one of all) expect(one).toMatchObject({ code: 0, stdout })
      const kept = await names()
      expect(kept).toHaveLength(ARCHIVES)
      expect(kept.every(isEntry)).toBe(true)
      const after = await ended(run('-v'))
      expect(after.stdout).toBe(stdout)
      expect(after.stderr).toContain(`the rows of ${ARCHIVES} of ${ARCHIVES} archives came from the cache`)
    }))

  test('is usable after a run that was killed while it filled it', () =>
    inFolder(async ({ run, names }) => {
      const { stdout } = await ended(run('--no-cache'))
      for (const entries of [1, 20]) {
        const child = run()
        const end = ended(child)
        while (child.exitCode === null && (await names()).filter(isEntry).length < entries) {
          await new Promise((resolve) => setImmediate(resolve))
        }
        child.kill('SIGKILL')
        await end
        expect((await names()).filter(isEntry).length).toBeGreaterThanOrEqual(entries)
      }
      for (const _ of [1, 2]) expect(await ended(run())).toMatchObject({ code: 0, stdout })
      expect((await names()).filter(isEntry)).toHaveLength(ARCHIVES)
    }))
})
