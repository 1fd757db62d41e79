import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readSourceList } from '../../../src/report/sources/source-list.ts'
import { testWorld, withFolder } from '../../support/world.ts'

describe('a list of sources', () => {
  it.each<[string, string | Buffer, string[]]>([
    ['lines', 'a.zip\nb dir/c.zip\n', ['a.zip', 'b dir/c.zip']],
    ['lines of Windows', 'a.zip\r\nb.zip\r\n', ['a.zip', 'b.zip']],
    ['no line break at its end', 'a.zip\nb.zip', ['a.zip', 'b.zip']],
    ['NUL, as find -print0 writes it', 'a\nb.zip\0 c.zip\0', ['a\nb.zip', ' c.zip']],
    ['empty lines', '\na.zip\n\n', ['a.zip']],
    ['a byte order mark', '\ufeffa.zip\n', ['a.zip']],
    [
      'UTF-16, as PowerShell writes it',
      Buffer.from('\ufeffä.zip\r\nb.zip\r\n', 'utf16le'),
      ['ä.zip', 'b.zip'],
    ],
    ['a file named -', '-\n', ['./-']],
  ])('with %s', async (_, content, expected) => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'list'), content)
      expect(await readSourceList(testWorld({ cwd }), 'list')).toEqual(expected)
      expect(await readSourceList(testWorld({ stdinText: content }), '-')).toEqual(expected)
    })
  })

  it.each([
    ['empty', '\n', 'the list of sources list is empty'],
    ['not there', undefined, 'the list of sources list does not exist'],
  ])('that is %s is a usage error', async (_, content, message) => {
    await withFolder(async (cwd) => {
      if (content !== undefined) await writeFile(join(cwd, 'list'), content)
      await expect(readSourceList(testWorld({ cwd }), 'list')).rejects.toMatchObject({
        kind: 'usage',
        message,
        details: { options: ['sources-from'] },
      })
    })
  })

  it.skipIf(process.platform === 'win32')('in a pipe is no longer read after an interruption', async () => {
    await withFolder(async (cwd) => {
      execFileSync('mkfifo', [join(cwd, 'pipe')])
      const world = testWorld({ cwd })
      const list = readSourceList(world, 'pipe')
      world.stop(new Error('stopped by the user'))
      await expect(list).rejects.toThrow('stopped by the user')
    })
  })

  it('with a path of ten megabytes names its line, and does not print it', async () => {
    const stdinText = `a.zip\n${'x'.repeat(10_000_000)}\n`
    await expect(readSourceList(testWorld({ stdinText }), '-')).rejects.toMatchObject({
      kind: 'usage',
      message: 'the list of sources on standard input:2: a path of 10000000 characters',
    })
  })

  it('with more than 100,000 paths is a usage error; the same path again does not count', async () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `${index}\n`).join('')
    const read = (stdinText: string) => readSourceList(testWorld({ stdinText }), '-')
    expect(await read(many + '7\n'.repeat(1_000_000))).toHaveLength(100_000)
    await expect(read(`${many}a.zip\n`)).rejects.toMatchObject({
      kind: 'usage',
      message: 'the list of sources on standard input has more than 100000 paths',
      details: { options: ['sources-from'] },
    })
  })

  it('is no longer read after an interruption', async () => {
    const world = testWorld()
    const stdin = new PassThrough()
    stdin.write('a.zip\n')
    const list = readSourceList({ ...world, stdin }, '-')
    world.stop(new Error('stopped by the user'))
    await expect(list).rejects.toThrow('stopped by the user')
    expect(stdin.destroyed).toBe(true)
  })
})
