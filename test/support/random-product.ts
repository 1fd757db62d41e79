import { parseFailOn } from '../../src/report/gate/fail-on.ts'
import { type ListLine, type ProductList, plainList } from '../../src/report/lines.ts'
import { createListRows } from '../../src/report/list-rows.ts'
import { createRowDates } from '../../src/report/regulations/reference-facts.ts'
import type { Report } from '../../src/report/report.ts'
import { createSummary } from '../../src/report/report-summary.ts'
import { finishRow } from '../../src/report/rows/make-row.ts'
import { unreadableRow } from '../../src/report/rows/report-row.ts'
import { createRequestedParts } from '../../src/report/rows/resolve-rows.ts'
import { TABLES } from './reference-tables.ts'
import { NOW, partRowOf } from './report-rows.ts'
import { pick, seeded } from './seeded.ts'

/** With a date that comes, one that has passed, several dates, and none; the last is unknown to the table. */
const EXEMPTIONS = ['6(c)', '8(b)-I', '6(b)-I', '8(b)', '99(z)'].map(
  (number) => `${number} (EL2011/534/EU, Lead)`,
)

/** A product with random lines: alternates, assemblies, lines without a number, not fitted ones, and random declarations. */
export function randomProduct(seed: number) {
  const random = seeded(seed)
  const count = 1 + Math.floor(random() * 8)
  const isGood = random() < 0.4
  const numbers = Array.from({ length: count }, (_, index) => `N-${seed}-${index}`)
  const plain = plainList('list.csv', numbers)
  const lines = plain.lines.map((line, index): ListLine => {
    const alternates = random() < 0.2 ? [{ part: `${line.key}-ALT`, manufacturer: '' }] : []
    const own = !isGood && random() < 0.1 ? [] : [...line.numbers, ...alternates]
    const parent = index > 0 && random() < 0.4 ? plain.lines[Math.floor(random() * index)]!.line : undefined
    return { ...line, numbers: own, parent, isLeftOut: random() < 0.1 }
  })
  const parents = new Set(lines.filter((line) => !line.isLeftOut).map(({ parent }) => parent))
  const list: ProductList = {
    ...plain,
    lines: lines.map((line) => ({ ...line, isAssembly: parents.has(line.line) })),
  }
  const failOn = parseFailOn('failed,doubtful')
  const context = { nowMs: NOW, failOn, dates: createRowDates(TABLES, NOW) }
  const all = list.lines.flatMap((line) => line.numbers.map(({ part }) => part))
  const rows = createListRows([list], {
    asked: createRequestedParts(all),
    isSameCompany: () => true,
    context,
    unknown: new Set(),
  })
  for (const part of new Set(all)) {
    if (!isGood && random() < 0.2) continue
    const exemptions = random() < 0.3 ? EXEMPTIONS.filter(() => random() < 0.5).join('; ') : ''
    const rohs = isGood
      ? exemptions === ''
        ? 'compliant'
        : 'compliant with exemptions'
      : pick(random, ['compliant', 'compliant', 'not compliant', 'incomplete', 'not declared'] as const)
    const svhc = random() < 0.2 ? { svhc_count: 1, svhc_names: ['Lead'], svhc_keys: ['00167'] } : {}
    const doubt = !isGood && random() < 0.15 ? { contradictions: ['over and not over'] } : {}
    const supplier = pick(random, ['Acme GmbH', 'Acme', 'Bolt & Co', ''])
    rows.keep(partRowOf({ part, rohs, supplier, exemptions, ...svhc, ...doubt }))
    // Two companies may declare the same number.
    if (random() < 0.15) rows.keep(partRowOf({ part, company_id: '123456789', supplier: 'Other Ltd' }))
  }
  const files = [`a.zip!x/${all[0] ?? 'none'}_2026.xml`, 'a.zip!broken.xml'].filter(() => random() < 0.2)
  const unreadable = files.map((file) =>
    finishRow(unreadableRow(file, 'not well-formed'), { ...context, failOn: [] }),
  )
  const [made] = rows.result(unreadable)
  const shown = [...made!.rows, ...unreadable]
  const summary = createSummary(context)
  summary.add(shown)
  const finished = summary.result([made!.product])
  const report: Report = {
    batches: {
      async *[Symbol.asyncIterator]() {
        yield { parts: shown, substances: [] }
      },
    },
    summary: async () => finished,
    excerpts: async () => new Map(),
    [Symbol.asyncDispose]: async () => undefined,
  }
  return { list, rows: made!.rows, files, product: made!.product, summary: finished, report }
}
