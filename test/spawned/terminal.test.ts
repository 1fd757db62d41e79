import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { TOKEN, tree } from '../support/cli.ts'
import { needs } from '../support/programs.ts'
import { startSession } from '../support/screen.ts'
import { type Reply, testService } from '../support/service.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const ARCHIVE = zip([{ name: 'a.xml', data: '<MainDeclaration/>' }])
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

const ENTRIES = Array.from({ length: 60 }, (_, index) => ({ name: `part-${index}.xml`, data: '<r/>' }))

describe.skipIf(!needs('script') || !needs('less'))('a long list on a terminal', () => {
  test('is shown by less until the user quits it, which is not an error; less handles Ctrl-C', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'x.zip'), zip(ENTRIES))
      await using session = startSession(['list', 'x.zip'], folder, { MATDECL_TOKEN: TOKEN, HOME: folder })
      await session.shows((lines) => lines.at(-1) === ':')
      expect(session.lines().join('\n')).not.toContain('part-59.xml')
      session.type(CTRL_C)
      // The terminal drops what is typed while the signal is handled.
      await vi.waitFor(() => {
        session.type(' ')
        expect(session.lines().some((line) => line.endsWith('part-30.xml'))).toBe(true)
      })
      session.type('q')
      expect(await session.ended).toBe(0)
    })
  })

  test('gets no token, and is plain where the pager is missing', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'x.zip'), zip(ENTRIES))
      const env = { MATDECL_TOKEN: TOKEN, HOME: folder }
      await using shown = startSession(['list', 'x.zip', '--pager', 'env'], folder, env)
      expect(await shown.ended).toBe(0)
      expect(shown.lines()).toContain('LESS=FRX')
      expect(shown.lines().join('\n')).not.toContain(TOKEN)
      await using plain = startSession(['list', 'x.zip', '--pager', 'no-such-pager'], folder, env)
      expect(await plain.ended).toBe(0)
      expect(plain.lines().join('\n')).toContain('part-59.xml')
      expect(plain.lines().join('')).toContain("the pager 'no-such-pager' of --pager cannot be started")
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
