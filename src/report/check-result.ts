import * as z from 'zod'
import { accountEntry } from '../base/account-entry.ts'
import { plural } from '../base/units.ts'
import { MADE_UP } from '../compliance/company-names.ts'
import { listWarnings } from '../parts/list-warnings.ts'
import { type Document, plainText, TONE_SIGNS } from './document.ts'
import { escapeMarkup } from './formats/escape-markup.ts'
import { countPieces, gateTone } from './line-counts.ts'
import { htmlPage } from './page/html.ts'
import type { Product } from './product.ts'
import { productResult, resultAccount } from './report-result.ts'
import { NOTHING_TO_JUDGE } from './row-findings.ts'

const count = z.int().nonnegative()

/** The result of `matdecl check`, for programs. */
export const checkResult = z.object({
  schema: z.literal('matdecl.check/1'),
  status: z.literal('ok').describe('`ok`, or `failed` when a list does not pass or a request failed'),
  sync: z
    .looseObject({})
    .nullable()
    .describe('what was asked and what came, as in `matdecl.sync/1`; null with the `offline` option'),
  library: z.object({
    directory: z.string().describe('the directory of the library'),
    oldestAnswer: z.iso
      .datetime()
      .nullable()
      .describe('the oldest of the last answers for the parts of the lists; null without any'),
    neverAsked: count.describe('parts that were never asked for'),
  }),
  sandbox: z.boolean().optional().describe('true: the data is made up'),
  junit: z.string().optional().describe('the file, with the `junit` option'),
  output: z.string().optional().describe('the file or directory, with the `output` option'),
  account: z
    .object({
      parts: accountEntry.describe(
        'the parts of the lists, by what the library knows: found, or `missing`, `withdrawn` (found before, but no longer) or `unknown`: not answered',
      ),
      ...resultAccount.shape,
    })
    .describe('what came in, and what became of it'),
  ...listWarnings,
  failOn: z.array(z.string()).readonly().describe('the rules of the gate'),
  products: z
    .array(productResult.required({ passed: true }))
    .readonly()
    .describe('each list as a product'),
})

export type CheckResult = z.infer<typeof checkResult>

interface IndexFacts extends Pick<Document, 'nowMs' | 'version'> {
  readonly rules: readonly string[]
  readonly isMadeUp: boolean
}

/** A page with a line for each product, and for each part that fails the products that it is used in. `pages` are their pages. */
export function indexPage(
  products: readonly Product[],
  pages: readonly string[],
  { nowMs, version, rules, isMadeUp }: IndexFacts,
): AsyncGenerator<string, void, void> {
  const failing = products.filter(({ gate }) => gate?.passed === false).length
  const isClean = products.every(({ count }) => gateTone(count, true) === 'good')
  const document: Document = {
    title: 'Products',
    about: [['gate', rules.join(', ')]],
    nowMs,
    version,
    verdicts: [
      ...(isMadeUp ? [{ about: 'status', tone: 'none', text: MADE_UP } as const] : []),
      {
        about: 'gate',
        tone: failing > 0 ? 'bad' : isClean ? 'good' : 'warn',
        text:
          failing > 0
            ? `${failing} of ${plural(products.length, 'product')} ${failing === 1 ? 'does' : 'do'} not pass`
            : `${products.length === 1 ? 'the product passes' : `all ${products.length} products pass`}`,
      },
    ],
    sections: [],
  }
  return htmlPage(document, [productTable(products, pages), failingTable(products, pages)])
}

function productTable(products: readonly Product[], pages: readonly string[]): string {
  const rows = products.map((product, index) => {
    const { list, count, rollup, gate } = product
    const isPassed = gate?.passed === true
    const isEmpty = count.verdict === NOTHING_TO_JUDGE
    const tone = gateTone(count, isPassed)
    const cells = [
      link(pages[index]!, list),
      `${TONE_SIGNS[tone]} ${isPassed ? 'passes' : 'does not pass'}`,
      escapeMarkup(plainText(countPieces(count))),
      escapeMarkup(isEmpty ? '' : rollup.rohs),
      escapeMarkup(isEmpty ? '' : rollup.reach.status),
    ]
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
  })
  return table('Products', ['product', 'gate', 'lines', 'RoHS', 'REACH'], rows)
}

function failingTable(products: readonly Product[], pages: readonly string[]): string {
  const found = new Map<string, { readonly reason: string; readonly used: Map<string, string> }>()
  for (const [index, { list, gate }] of products.entries()) {
    for (const { part, findings = [], rules } of gate?.rows ?? []) {
      if (part === '') continue
      const reason = findings[0] ?? rules.join(', ')
      const one = found.get(part) ?? { reason, used: new Map<string, string>() }
      found.set(part, one)
      one.used.set(list, pages[index]!)
    }
  }
  if (found.size === 0) return ''
  const rows = [...found].map(([part, { reason, used }]) => {
    const links = [...used].map(([list, page]) => link(page, list)).join(', ')
    return `<tr><td>${escapeMarkup(part)}</td><td>${escapeMarkup(reason)}</td><td>${links}</td></tr>`
  })
  return table('Parts that do not pass', ['part', 'why', 'used in'], rows)
}

function table(caption: string, heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((name) => `<th scope="col">${name}</th>`).join('')
  return `<table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>\n`
}

function link(page: string, name: string): string {
  return `<a href="${encodeURIComponent(page)}">${escapeMarkup(name)}</a>`
}
