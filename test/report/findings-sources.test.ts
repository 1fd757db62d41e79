import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..', 'src')
/** The one place that decides what a verdict is. */
const DECIDES = 'report/row-findings.ts'

const files = ['report', 'diff', 'cli'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name).replaceAll('\\', '/')),
)

const WORDS = 'failed|doubtful|clean|not compliant|no SVHC|not declared|incomplete'
/** A verdict or a status of RoHS or REACH that is compared. */
const COMPARED = new RegExp(`(?:[!=]==?\\s*|case\\s+)'(?:${WORDS})'|'(?:${WORDS})'\\s*[!=]==`, 'g')

test('verdict words are compared in one file only', () => {
  const found = files
    .filter((file) => file !== DECIDES && !file.startsWith('report/rows/'))
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(COMPARED)].map(([text]) => `${file}: ${text}`),
    )
  // The status of the command's result, not of a part.
  expect(found.filter((text) => !text.startsWith('cli/') || !text.includes("'failed'"))).toEqual([])
  expect(readFileSync(join(root, DECIDES), 'utf8')).toMatch(COMPARED)
})

test('what decides, and what a substance is, has one reading', () => {
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replaceAll('\\', '/'))
  const callers = (call: RegExp): readonly string[] =>
    all.filter((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .some((line) => call.test(line) && !line.includes('function')),
    )
  expect(callers(/\bjudgedLists\(/)).toEqual(['compliance/judge.ts'])
  // Only where it is decided: all else asks the statements.
  expect(callers(/\b(?:statedAgain|statedBy|listsInEffect|findEntry)\(/)).toEqual(['compliance/currency.ts'])
  // Which declarations of a part are brought together is asked before it is judged.
  expect(callers(/\b(?:replaces|speaksForAll)\(/)).toEqual([
    'compliance/currency.ts',
    'compliance/judge.ts',
    'report/rows/current-declarations.ts',
  ])
  expect(callers(/\bdecides: (?!boolean\b)/)).toEqual(['compliance/currency.ts', 'compliance/statements.ts'])
  // What a file states is packed and counted, but never judged, shown or compared: judged statements are.
  const records = /\b(?:ListRecord|EntryRecord|SilentEntry|ListInEffect|statedEntries)\b/
  expect(callers(records)).toEqual([
    'compliance/currency.ts',
    'compliance/part-record.ts',
    'compliance/statements.ts',
  ])
  const blocks = /\.(?:marked|plainLines|silentArticles)\b/
  expect(callers(blocks).filter((file) => !file.startsWith('compliance/'))).toEqual([])
  expect(callers(/\bgroupsOf\(/)).toEqual(['compliance/recognize.ts'])
  expect(
    callers(/\b(?:recognize|recognizeName)\(/).filter((file) => !file.startsWith('compliance/')),
  ).toEqual([])
  expect(callers(/\b(?:weakThreshold|weakValue)\(/)).toEqual(['compliance/reach.ts', 'compliance/rohs.ts'])
})
