import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { jsonPieces, StreamedArray } from '../../src/cli/json.ts'
import { cli } from '../support/cli.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const NAME = 'a\u202elmx.exe\u200b\u2028b.xml'
const ARCHIVE = zip([{ name: NAME, data: '<MainDeclaration/>' }])
const HIDDEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/

describe('JSON output', () => {
  test.each([
    ['list', 'a.zip', '--json'],
    ['verify', 'a.zip', '--json'],
    ['extract', 'a.zip', '--json', '--log-format', 'json'],
    ['report', 'a.zip', '--json'],
    ['report', 'a.zip', '-o', '-'],
    ['list', `none${NAME}.zip`, '--json', '--log-format', 'json'],
  ])('of %s %s %s shows invisible characters and those of direction', (...argv) =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'a.zip'), ARCHIVE)
      const { code, stdout, stderr } = await cli(argv, { cwd: folder })
      expect(code, stderr).toBe(argv[1] === 'a.zip' ? 0 : 2)
      expect(stdout + stderr).not.toMatch(HIDDEN)
    }),
  )

  test('of a listing has the name as it is', () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'a.zip'), ARCHIVE)
      const { stdout } = await cli(['list', 'a.zip', '--json'], { cwd: folder })
      expect(stdout).toContain('\\u202elmx.exe\\u200b\\u2028b.xml')
      expect(JSON.stringify(JSON.parse(stdout))).toContain(NAME)
    }))

  test('of a streamed array that stands too deep is an error, not an empty object', async () => {
    const streamed = new StreamedArray(async function* () {
      yield [1, 2]
    })
    const text = async (result: object): Promise<string> => {
      let all = ''
      for await (const piece of jsonPieces(result)) all += piece
      return all
    }
    expect(await text({ lists: [{ rows: streamed }] })).toBe('{"lists":[{"rows":[1,2]}]}\n')
    await expect(text({ list: { of: { rows: streamed } } })).rejects.toThrow('too deep')
  })
})
