import { describe, expect, test } from 'vitest'
import { kindOf } from '../../src/compliance/finding.ts'
import { productFindings } from '../../src/report/row-findings.ts'
import type { JudgedRow } from '../../src/report/rows/report-row.ts'
import { randomProduct } from '../support/random-product.ts'
import { sweep } from '../support/soak.ts'

const seeds = Array.from({ length: sweep(60, 300) }, (_, index) => index + 1)

function isBad({ findings }: JudgedRow): boolean {
  return findings.some((finding) => kindOf(finding) !== 'note')
}

describe('a product', () => {
  test.each(seeds)('is clean exactly when no line has a failing or doubtful finding, seed %i', (seed) => {
    const { rows, product, summary } = randomProduct(seed)
    const { lines, failed, doubtful, clean, notFitted } = product.counts
    const { verdict } = product.count
    expect(verdict === 'clean').toBe(!rows.some(isBad) && clean > 0)
    expect(verdict === 'nothing to judge').toBe(lines === notFitted)
    expect(summary.count.verdict).toBe(verdict)
    // "Gate passed" never stands beside a product that is not clean.
    expect(summary.gate!.passed).toBe(verdict === 'clean')
    expect(product.gate!.passed).toBe(verdict === 'clean')
    expect(failed + doubtful + clean + notFitted).toBe(lines)
    expect(product.account).toMatchObject({ in: lines, used: lines - notFitted })
  })
})

test.each([
  ['a line without data', 'incomplete', 'no SVHC', ['missing'], ['incomplete']],
  ['a line without data that is waived, and something else', 'incomplete', 'no SVHC', ['contradictory'], []],
  ['a line that fails', 'not compliant', 'SVHC', ['not-compliant', 'missing'], ['not-compliant']],
  ['a line with an SVHC', 'compliant', 'SVHC', ['svhc'], ['svhc']],
  ['nothing that is open', 'not declared', 'not declared', [], []],
  [
    'lines without lists',
    'not declared',
    'not declared',
    ['not-declared'],
    ['not-declared', 'reach-not-declared'],
  ],
] as const)('a gate asks for the status of a product by %s', (_, rohs, status, open, rules) => {
  const found = productFindings({ rohs, reach: { status } }, new Set(open))
  expect(found.map(({ rule }) => rule)).toEqual(rules)
})
