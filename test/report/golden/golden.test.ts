import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inflateWhole } from '../../../src/archive/entry-data.ts'
import { DEFAULT_ARCHIVE_LIMITS } from '../../../src/archive/problem.ts'
import { readArchive } from '../../../src/archive/read-archive.ts'
import { cli } from '../../support/cli.ts'
import { IS_SOAK } from '../../support/soak.ts'
import { withFolder } from '../../support/world.ts'

// Everything that reports of the same declarations say, as files beside this one: a change to what users see is a change to these.
// After an intended change: npx vitest run test/report/golden -u

const NOW = Date.parse('2026-11-22T12:00:00Z')
const PARTS = `Level,Part Number,Qty,Manufacturer
1,TOP-1,1,
2,EXC188R60001KA,4,Example Components
2,HA-LEAD,2,
2,SUB-1,3,
3,HA-8B-I,10,
3,EXC188R60016KA,0.5,
2,NOT-DECLARED-9,1,
2,=1+1,1,
`
const WAIVERS = `part,rule,reason,owner,until
HA-LEAD,not-compliant,spare part,Ann,2027-01-01
HA-8B-I,exemption-expires:2026-12-31,too late,Bob,2026-01-01
`
/** In the suite the formats that the others are made from; in the soak all of them. */
const FIRST = ['list.csv', 'list.html', 'list.xlsx', 'diff.txt', 'diff.json']
const isRun = ([file]: readonly [string, ...unknown[]]): boolean => IS_SOAK || FIRST.includes(file)
const GATE = 'not-compliant,svhc,missing,incomplete,contradictory,indicated,exemption-expires:2026-12-31'

test('reports are unchanged in every format', { timeout: 120_000 }, () =>
  withFolder(async (cwd) => {
    const started = { cwd, nowMs: NOW }
    for (const options of [
      ['--supplier', '100200300', '-o', 'C.zip'],
      ['--supplier', '100200300', '--format-class', 'D', '--format', '1752B', '-o', 'D.zip'],
      ['--supplier', '800900100', '--format-class', 'checkDthenC', '-o', 'special.zip'],
    ])
      expect((await cli(['download', '--sandbox', '-q', ...options], started)).code).toBe(0)
    await writeFile(join(cwd, 'parts.csv'), PARTS)
    await writeFile(join(cwd, 'waivers.csv'), WAIVERS)
    await mkdir(join(cwd, 'broken'))
    await writeFile(join(cwd, 'broken', 'cut.xml'), '<MainDeclaration><Product>')
    const sources = ['C.zip', 'D.zip', 'special.zip', 'broken']
    const list = ['--parts-file', 'parts.csv', '--quantity-column', 'Qty', '--level-column', 'Level']
    const gate = ['--fail-on', GATE, '--waivers', 'waivers.csv', '--title', 'Pump 7 <rev. B>']
    const runs: readonly (readonly [file: string, options: readonly string[]])[] = [
      ['all.csv', []],
      ['all.json', []],
      ['all.md', ['--history']],
      ['substances.csv', ['--substances']],
      ['list.csv', [...list, '--csv-dialect', 'excel']],
      ['list.md', [...list, ...gate]],
      ['list.html', [...list, ...gate]],
      ['list.xlsx', [...list, ...gate, '--junit', 'list.junit.xml', '--requests', 'requests']],
    ]
    for (const [file, options] of runs.filter(isRun)) {
      await cli(['report', ...sources, '-o', file, ...options], started)
      const bytes = await readFile(join(cwd, file))
      const shown = file.endsWith('.xlsx') ? await workbookText(bytes) : pageText(bytes.toString('utf8'))
      await expect(shown).toMatchFileSnapshot(`files/${file}${file.endsWith('.xlsx') ? '.txt' : ''}`)
    }
    await expect(pageText(await readFile(join(cwd, 'list.junit.xml'), 'utf8'))).toMatchFileSnapshot(
      'files/list.junit.xml',
    )
    // A year later: other dates, values, lists and files.
    await cli(['extract', 'C.zip', 'later'], started)
    for (const [index, name] of (await readdir(join(cwd, 'later'))).sort().entries()) {
      const path = join(cwd, 'later', name)
      if (index % 9 === 8) await rm(path)
      else await writeFile(path, laterText(await readFile(path, 'utf8'), index % 9))
    }
    await cli(['extract', 'special.zip', 'later', '--overwrite', '--include', '*HA-LEAD*'], started)
    const diffs = ['diff.txt', 'diff.md', 'diff.html', 'diff.json', 'diff.csv', 'diff.xlsx']
    for (const file of diffs.filter((each) => isRun([each]))) {
      const argv = ['diff', 'C.zip', 'later', '--fail-on', GATE, '-o', file]
      expect([0, 13]).toContain((await cli(argv, started)).code)
      const bytes = await readFile(join(cwd, file))
      const shown = file.endsWith('.xlsx') ? await workbookText(bytes) : pageText(bytes.toString('utf8'))
      await expect(shown).toMatchFileSnapshot(`files/${file}${file.endsWith('.xlsx') ? '.txt' : ''}`)
    }
    const requests = (await readdir(join(cwd, 'requests'))).sort()
    const texts = await Promise.all(
      requests.map(async (name) => `== ${name}\n${await readFile(join(cwd, 'requests', name), 'utf8')}`),
    )
    await expect(texts.join('\n')).toMatchFileSnapshot('files/requests.txt')
    for (const [file, options] of [
      ['terminal-all.txt', []],
      ['terminal-list.txt', [...list, ...gate]],
    ] as const) {
      const seen = await cli(['report', ...sources, '--no-progress', '--no-color', ...options], {
        ...started,
        isTTY: true,
        columns: 120,
        env: { LANG: 'C.UTF-8' },
      })
      await expect(`${seen.stdout}\n== ${seen.code}\n${seen.stderr}`.replaceAll(cwd, '')).toMatchFileSnapshot(
        `files/${file}`,
      )
    }
  }),
)

/** A declaration with one of eight changes. */
function laterText(text: string, change: number): string {
  const later = text.replace(/date="(\d{4})-/, (_, year: string) => `date="${Number(year) + 1}-`)
  if (change === 0) return text
  if (change === 1) return later.replace('overThreshold="false"', 'overThreshold="true"')
  if (change === 2) return later.replaceAll('overThreshold="true"', 'overThreshold="false"')
  if (change === 3) return later.replaceAll('EUREACH-0624', 'EUREACH-0126')
  if (change === 4) return later.replace(/<SubstanceCategory name="Lead[\s\S]*?<\/SubstanceCategory>/, '')
  if (change === 5) return later.replace(/value="[\d.]+" UOM="mg"/, 'value="77.5" UOM="mg"')
  if (change === 6) return later.replace('</MaterialInfo>', '')
  if (change === 7) return later.replace('supplierAcceptance="true"', 'supplierAcceptance="false"')
  return later
}

/** A page without its script and styles, which have tests of their own, and each element of XML on a line. */
function pageText(text: string): string {
  return text
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/g, '')
    .replace(/'sha256-[^']*'/g, '')
    .replace(/></g, '>\n<')
    .replaceAll('\r\n', '\n')
}

async function workbookText(bytes: Buffer): Promise<string> {
  const read = (offset: number, length: number): Buffer =>
    Buffer.from(bytes.subarray(offset, offset + length))
  const { entries } = await readArchive({ size: bytes.length, read }, DEFAULT_ARCHIVE_LIMITS)
  return entries
    .map((entry) => {
      const text = inflateWhole(read(entry.dataOffset, entry.packedBytes), entry).toString('utf8')
      return `== ${entry.name}\n${text.replace(/(<\/row>|<row|<col |<xf |<font|<fill|<border|<Override|<Relationship )/g, '\n$1')}`
    })
    .join('\n')
}
