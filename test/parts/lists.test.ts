import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isFailure } from '../../src/base/failure.ts'
import { SILENT } from '../../src/base/notice.ts'
import type { PartsResult } from '../../src/parts/parts-result.ts'
import { shownParts } from '../support/parts.ts'
import { testWorld } from '../support/world.ts'
import { type ExpectedList, expectedLists } from './lists/expected.ts'

const folder = join(import.meta.dirname, 'lists')

async function read({ file, options = {} }: ExpectedList): Promise<PartsResult> {
  const { encoding, column, sheet } = options
  const columns = column === undefined ? {} : { part: String(column) }
  return shownParts(
    testWorld({ cwd: folder }),
    { parts: [], files: [file], columns, encoding, sheet, strict: false },
    SILENT,
  )
}

/** What was read, in the words of the table of expected lists. */
function asExpected({ parts, lists: [list] }: PartsResult, expected: ExpectedList): unknown {
  const { columns, rows, skipped } = list!
  const hasAlternates = rows.some(({ alternates }) => alternates.length > 0)
  const rowsOf = (kind: string): readonly number[] | undefined =>
    skipped.find((one) => one.kind === kind)?.rows
  const blank = skipped.find(({ kind }) => kind === 'no part number')?.count
  const quantity = columns.find(({ role }) => role === 'quantity')
  const kinds = {
    placeholder: rowsOf('placeholder'),
    total: rowsOf('total'),
    footer: rowsOf('footer'),
    heading: rowsOf('heading'),
    blank,
  }
  const notFitted = rows.filter(({ isFitted }) => !isFitted).map(({ row }) => row)
  return dense({
    parts: [...new Set(rows.map(({ part }) => part))],
    everyNumber: hasAlternates ? parts : undefined,
    rows: rows.map(({ part, row, quantity, level }) => dense({ part, row, quantity, level })),
    column: columns.find(({ role }) => role === 'part')?.heading,
    headingRow: list!.headingRow,
    quantityColumn: quantity?.heading,
    quantityIsTotal: list!.isTotalQuantity || undefined,
    levelColumn: columns.find(({ role }) => role === 'level')?.heading,
    sheet: expected.sheet === undefined ? undefined : list!.sheet,
    skipped: dense(kinds),
    notFitted: notFitted.length === 0 ? undefined : notFitted,
  })
}

function dense(object: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined && value !== null),
  )
}

describe('lists as systems write them', () => {
  test.each(expectedLists.map((expected) => [expected.file, expected] as const))(
    '%s',
    async (_, expected) => {
      if (expected.error !== undefined) {
        const failure: unknown = await read(expected).catch((error: unknown) => error)
        expect(isFailure(failure) && failure.kind).toBe('usage')
        expect((failure as Error).message).toMatch(expected.error)
        return
      }
      const { file: _file, system: _system, options: _options, note: _note, ...wanted } = expected
      expect(asExpected(await read(expected), expected)).toEqual({ skipped: {}, ...wanted })
    },
  )
})
