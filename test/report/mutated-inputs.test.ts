import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { zipBuffer } from '../../src/archive/write-zip.ts'
import type { AccountEntry } from '../../src/base/account-entry.ts'
import { isFailure } from '../../src/base/failure.ts'
import type { Notice } from '../../src/base/notice.ts'
import { readParts } from '../../src/parts/read-parts.ts'
import { report } from '../../src/report/report.ts'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { sweep } from '../support/soak.ts'
import { formula, sheetXml, workbookOf } from '../support/workbook.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'
import { createDice, type Dice, mutate } from '../support/zip-mutations.ts'

// Mutations of good lists and archives are right, refused or named: what was in them is never lost without a word.

const PARTS = ['LM358DR', 'BAT54S-7', 'TPS62130RGTR', 'CRCW040210K0FKED', 'GRM155R71C104KA88D', '1N4148W-7-F']

const table = (delimiter: string, end = '\n'): string =>
  [
    ['Item', 'MPN', 'Manufacturer', 'Qty', 'Description'],
    ...PARTS.map((part, at) => [String(at + 1), part, 'Example Parts', String(at + 1), `part, no. ${at}`]),
  ]
    .map(
      (cells) => cells.map((cell) => (cell.includes(delimiter) ? `"${cell}"` : cell)).join(delimiter) + end,
    )
    .join('')

const sheet = (rows: readonly (readonly (string | number)[])[]): string =>
  sheetXml([['Item', 'Part Number', 'Qty'], ...rows])
const ROWS = PARTS.map((part, at) => [at + 1, part, at + 2])

const LISTS: Readonly<Record<string, string | Buffer>> = {
  'commas.csv': table(','),
  'semicolons.csv': `Bill of materials;;;;\n\n${table(';', '\r\n')}`,
  'tabs.tsv': table('\t'),
  'alternates.csv': `Level,MPN 1,MPN 2,Qty\n${PARTS.slice(0, 3)
    .map((part, at) => `1,${part},${PARTS[at + 3]},${at + 1}\n`)
    .join('')}`,
  'utf16.csv': Buffer.from(`\ufeff${table(';')}`, 'utf16le'),
  'plain.txt': `${PARTS.join('\n')}\n`,
  'one-sheet.xlsx': workbookOf({ BOM: sheet(ROWS) }),
  'sheets.xlsx': workbookOf({
    Notes: sheetXml([['nothing to see']]),
    BOM: sheetXml([
      ['Item', 'Part Number', 'Qty'],
      ...ROWS.map(([item, part]) => [item!, part!, formula(3)]),
    ]),
  }),
}

function mutateText(bytes: Buffer, dice: Dice): Buffer {
  const text = bytes.toString('latin1')
  const at = dice.next(text.length)
  const to = Math.min(text.length, at + 1 + dice.next(30))
  const changed = dice.pick([
    () =>
      `${text.slice(0, at)}${dice.pick(['"', ',', ';', '\t', '\n', '\0', 'x', '=', '\u00a0'])}${text.slice(at)}`,
    () => `${text.slice(0, at)}${dice.pick(['"', ',', ';', '\t', '\n', ' '])}${text.slice(at + 1)}`,
    () => text.slice(0, at) + text.slice(to),
    () => text.slice(0, at),
    () => text.slice(0, to) + text.slice(at),
    () => text.slice(at),
  ])()
  return Buffer.from(changed, 'latin1')
}

const count = ({ used, named }: AccountEntry): number => used + named.reduce((sum, one) => sum + one.count, 0)

/** The row of headings of a list; empty for one without. */
function headingOf(list: string | Buffer): string {
  const text = typeof list === 'string' ? list : list.toString('utf16le')
  return text.split(/\r?\n/).find((line) => line.includes('MPN')) ?? ''
}

interface Outcomes {
  right: number
  refused: number
  named: number
}

describe.each(Object.keys(LISTS))('mutations of the list %s', (name) => {
  test('are right, refused or named', () =>
    withFolder(async (folder) => {
      const original = Buffer.from(LISTS[name]!)
      const isWorkbook = name.endsWith('.xlsx')
      const dice = createDice(name.length * 101 + 7)
      const outcomes: Outcomes = { right: 0, refused: 0, named: 0 }
      for (let round = 0; round < sweep(12, 200); round += 1) {
        const bytes = isWorkbook ? mutate(original, dice, [original]) : mutateText(original, dice)
        await writeFile(join(folder, name), bytes)
        const notices: Notice[] = []
        const reporter = { notice: (one: Notice) => void notices.push(one), progress: () => undefined }
        const input = { parts: [], files: [name], strict: false, details: true }
        const read = await readParts(testWorld({ cwd: folder }), input, reporter).catch((error: unknown) => {
          if (isFailure(error) && ['usage', 'archive', 'io'].includes(error.kind)) return undefined
          throw error
        })
        const at = `round ${round}: ${isWorkbook ? '' : JSON.stringify(bytes.toString('utf8'))}`
        if (read === undefined) {
          outcomes.refused += 1
          continue
        }
        const { account, skipped } = read.lists[0]!
        for (const entry of Object.values(account).filter((one) => one !== undefined))
          expect(count(entry), at).toBe(entry.in)
        expect(account.rows.used, at).toBeGreaterThan(0)
        const text = bytes.toString(name.startsWith('utf16') ? 'utf16le' : 'utf8')
        const said = [
          ...read.parts,
          ...skipped.flatMap(({ first }) => first.map(({ value }) => value)),
          ...notices.map(({ message }) => message),
        ].join('\n')
        const lost = PARTS.filter((part) => !read.parts.includes(part))
        if (lost.length === 0) {
          outcomes.right += 1
          continue
        }
        outcomes.named += 1
        // A number that is still in the file is in another one, in what was skipped, or in a notice; or its row or column is named.
        const rows = account.rows.named.flatMap((one) => one.places)
        // Under a heading that is no longer the same it is in a column that is not read.
        const isSameHead = text.includes(headingOf(LISTS[name]!))
        for (const part of isWorkbook || !isSameHead ? [] : lost.filter((one) => text.includes(one))) {
          const line = text.slice(0, text.indexOf(part)).split(/\r\n?|\n/).length
          const isNamed = [line, line - 1].some(
            (one) => rows.includes(`row ${one}`) || new RegExp(`${name}:${one}\\b`).test(said),
          )
          const isKnown = said.includes(part) || isNamed || said.includes('not read: column')
          expect(isKnown, `${part} of ${at}\n${said}`).toBe(true)
        }
      }
      if (sweep(0, 1) === 1) process.stdout.write(`${name}: ${JSON.stringify(outcomes)}\n`)
      expect(outcomes.right + outcomes.refused + outcomes.named).toBe(sweep(12, 200))
    }))
})

const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  ['P1', 'P2', 'P3'].map((part) => [
    `sub/${part}.xml`,
    fileA(productXml([part], listXml('EUROHS-1907', rohsCategories()))),
  ]),
)
const entries = Object.entries(FILES)

const ARCHIVES: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = {
  stored: () => zip(entries.map(([name, data]) => ({ name, data, method: 0 }))),
  deflated: () =>
    zip(entries.map(([name, data]) => ({ name, data, method: 8, packed: deflateRawSync(data) }))),
  'with descriptors': () =>
    zip(
      entries.map(([name, data]) => ({
        name,
        data,
        method: 8,
        packed: deflateRawSync(data),
        descriptor: 'signed' as const,
      })),
    ),
  'with ZIP64': () =>
    zip(
      entries.map(([name, data]) => ({ name, data })),
      { zip64: {} },
    ),
  'of yazl': () =>
    zipBuffer(entries.map(([name, data]) => ({ name, day: '2026-01-01', content: () => [data] }))),
}

describe.each(Object.keys(ARCHIVES))('mutations of an archive %s', (name) => {
  test('are right, refused or named', () =>
    withFolder(async (folder) => {
      const original = await ARCHIVES[name]!()
      const world = testWorld({ cwd: folder })
      const dice = createDice(name.length * 103 + 11)
      const outcomes: Outcomes = { right: 0, refused: 0, named: 0 }
      for (let round = 0; round < sweep(12, 200); round += 1) {
        await writeFile(join(folder, 'a.zip'), mutate(original, dice, [original]))
        const at = `${name}, round ${round}`
        const options = { sources: ['a.zip'], limits: DEFAULT_ARCHIVE_LIMITS, substances: false }
        const notices: string[] = []
        const reporter = {
          notice: ({ message }: Notice) => void notices.push(message),
          progress: () => undefined,
        }
        await using read = report(world, options, reporter)
        const rows: { part: string; status: string; rohs: string }[] = []
        const summary = await (async () => {
          for await (const { parts } of read.batches) {
            for (const { part, status, judged } of parts)
              rows.push({ part, status, rohs: judged.rohs.status })
          }
          return read.summary()
        })().catch((error: unknown) => {
          if (isFailure(error) && error.kind === 'archive') return undefined
          throw error
        })
        if (summary === undefined) {
          outcomes.refused += 1
          continue
        }
        const { files, entries: accounted } = summary.sources
        for (const entry of [files, accounted, summary.account]) expect(count(entry), at).toBe(entry.in)
        const declared = rows.filter(({ status }) => status === 'declared')
        // Data has a checksum: what is declared is what was put in.
        for (const { part, rohs } of declared)
          expect([part, rohs], at).toEqual([expect.stringMatching(/^P[123]$/), 'compliant'])
        if (declared.length === 3) outcomes.right += 1
        else {
          outcomes.named += 1
          // An entry that is no declaration any more is named; one that is gone from the directory is in no archive.
          expect(accounted.named.length + notices.length, at).toBeGreaterThan(0)
          expect(declared.length + accounted.named.reduce((sum, one) => sum + one.count, 0), at).toBe(
            accounted.in,
          )
        }
      }
      if (sweep(0, 1) === 1) process.stdout.write(`archive ${name}: ${JSON.stringify(outcomes)}\n`)
      expect(outcomes.right + outcomes.refused + outcomes.named).toBe(sweep(12, 200))
    }))
})
