import { describe, expect, test } from 'vitest'
import { TOKEN, tree } from '../support/cli.ts'
import { idsXml } from '../support/declarations.ts'
import { needs } from '../support/programs.ts'
import { startSession } from '../support/screen.ts'
import { type Reply, testService } from '../support/service.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const ARCHIVE = zip([{ name: 'a.xml', data: idsXml('A') }])
const CTRL_C = '\u0003'

const isSpinning = (lines: readonly string[]): boolean => lines.some((line) => /^[\u2800-\u28ff] /.test(line))

describe.skipIf(!needs('script'))('a download on a terminal', () => {
  test('shows a spinner on one line, and removes it afterwards', async () => {
    await withFolder(async (folder) => {
      const { promise, resolve: answer } = deferred<Reply>()
      await using service = await testService(() => promise)
      const argv = ['--base-url', service.url, '--part', 'A', '-o', 'out.zip']
      await using session = startSession(argv, folder, { MATDECL_TOKEN: TOKEN, HOME: folder })
      await session.shows(isSpinning)
      expect(session.lines().filter((line) => isSpinning([line]))).toHaveLength(1)
      expect(session.isCursorVisible()).toBe(false)
      answer({ body: ARCHIVE })
      expect(await session.ended).toBe(0)
      expect(isSpinning(session.lines())).toBe(false)
      expect(session.lines().filter((line) => line.startsWith('out.zip'))).toHaveLength(1)
      expect(session.isCursorVisible()).toBe(true)
    })
  })

  test('restores the cursor after Ctrl-C', async () => {
    await withFolder(async (folder) => {
      await using service = await testService(() => new Promise(() => undefined))
      const argv = ['--base-url', service.url, '--part', 'A', '-o', 'out.zip']
      await using session = startSession(argv, folder, { MATDECL_TOKEN: TOKEN, HOME: folder })
      await session.shows(isSpinning)
      session.type(CTRL_C)
      expect(await session.ended).toBe(130)
      expect(session.lines().join('\n')).toContain('stopped by Ctrl-C')
      expect(isSpinning(session.lines())).toBe(false)
      expect(session.isCursorVisible()).toBe(true)
      // Runs that share the token share its rate.
      const left = (await tree(folder)).filter((path) => !path.startsWith('.local/state/matdecl/rates/'))
      expect(left).toEqual(['.local', '.local/state', '.local/state/matdecl', '.local/state/matdecl/rates'])
    })
  })
})

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
