import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PageData } from '../../../src/report/page/page-data.ts'
import { cli } from '../../support/cli.ts'
import { withFolder } from '../../support/world.ts'

const CUT = '<MainDeclaration><Product>'

/** What became of the rows of a page. */
async function changesIn(file: string): Promise<Record<string, string>> {
  const page = await readFile(file, 'utf8')
  const text = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)![1]!
  const { rows } = JSON.parse(text) as PageData
  return Object.fromEntries(rows.map(({ part }) => [part!.name, part!.change ?? '']))
}

describe('a report beside an earlier one', () => {
  test('marks what is new, answered, better or worse, and counts it', () =>
    withFolder(async (cwd) => {
      const run = (...argv: readonly string[]) => cli(argv, { cwd })
      await writeFile(join(cwd, 'bom.csv'), 'Part Number\nHA-LEAD\nEXC188R60001KA\n')
      await writeFile(join(cwd, 'empty.xml'), CUT)
      const list = ['--parts-file', 'bom.csv']
      const one = ['download', '--sandbox', '-q', '--part', 'HA-LEAD', '-o', 'a.zip']
      expect((await run(...one)).code).toBe(0)
      expect((await run('report', 'a.zip', ...list, '-o', 'last.json')).code).toBe(0)
      expect((await run('download', '--sandbox', '-q', ...list, '-o', 'b.zip')).code).toBe(0)
      await writeFile(join(cwd, 'bom.csv'), 'Part Number\nHA-LEAD\nEXC188R60001KA\nNOT-DECLARED-9\n')
      const made = await run('report', 'b.zip', ...list, '--previous', 'last.json', '-o', 'now.html')
      expect(made.code, made.stderr).toBe(0)
      expect(await changesIn(join(cwd, 'now.html'))).toEqual({
        'HA-LEAD': '',
        EXC188R60001KA: 'answered',
        'NOT-DECLARED-9': 'new',
      })
      expect(await readFile(join(cwd, 'now.html'), 'utf8')).toMatch(/Since last\.json: .*1 answered.*1 new/)
    }))

  test.each([
    ['no JSON', 'part,name\n', 'is not a JSON report with its rows'],
    [
      'the JSON of a report without rows',
      '{"schema":"matdecl.report/1"}',
      'is not a JSON report with its rows',
    ],
    ['no file', undefined, 'does not exist'],
  ])('refuses %s, and writes nothing', (_, text, message) =>
    withFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.xml'), CUT)
      if (text !== undefined) await writeFile(join(cwd, 'last.json'), text)
      const run = await cli(['report', 'a.xml', '--previous', 'last.json', '-o', 'now.html'], { cwd })
      expect(run.code).toBe(2)
      expect(run.stderr).toContain(message)
      await expect(readFile(join(cwd, 'now.html'))).rejects.toThrow('ENOENT')
    }),
  )

  test('is about the library with a day, and not about sources', () =>
    withFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.xml'), CUT)
      const run = await cli(['report', 'a.xml', '--since', '2026-01-01', '-o', 'now.html'], { cwd })
      expect(run.code).toBe(2)
      expect(run.stderr).toContain('--since is about the library')
    }))

  test('is refused where no page is written', async () => {
    for (const output of [[], ['-o', 'now.csv']]) {
      const run = await cli(['report', 'package.json', '--previous', 'last.json', ...output])
      expect(run.stderr).toContain('--previous marks the rows of an HTML page')
      expect(run.code).toBe(2)
    }
  })
})
