import { expect, it } from 'vitest'
import { gateFailure } from '../../../src/cli/report/run-report.ts'

it('a part number of a million characters is shortened in the message', () => {
  const rows = [{ part: 'x'.repeat(1_000_000), source: 'a.zip!b.xml', rules: ['svhc'] }]
  const [problem] = gateFailure({ rules: ['svhc'], passed: false, matched: 1, rows })!.details.problems ?? []
  expect(problem).toMatch(/^x{299}…: svhc \(a\.zip!b\.xml\)$/)
})
