import type { CategoryFacts, ExemptionFacts, ListFacts, QueryListFacts } from './facts.ts'
import { decimal, PLAIN, PREFIXED, quantity, type Writer } from './xml-writer.ts'

// Most of a class C file are lists and categories that all parts have in common: their XML is kept.
const WRITTEN: ReadonlyMap<Writer, WeakMap<CategoryFacts | ListFacts, string>> = new Map([
  [PLAIN, new WeakMap()],
  [PREFIXED, new WeakMap()],
])

/** A list of class C. */
export function listXml(e: Writer, list: ListFacts): string {
  const { identity, authority, categories } = list
  const owner = authority === 'IPC' ? 'IPC' : 'IEC'
  return writtenOnce(e, list, () =>
    e('SubstanceCategoryList', {}, [
      e('SubstanceCategoryListID', { identity, authority }),
      ...categories.map((category) => writtenOnce(e, category, () => categoryXml(e, category, owner))),
    ]),
  )
}

/** The class A statements about one list. */
export function queryListXml(e: Writer, { identity, statements }: QueryListFacts): string {
  return e('QueryList', {}, [
    e('QueryListID', { identity, authority: 'IPC' }),
    ...statements.map(({ code, text, isTrue }) =>
      e('Query', { code, statement: text, response: String(isTrue) }),
    ),
  ])
}

/** The exemptions of a category or a substance. */
export function exemptionsXml(e: Writer, { list, items, isUnusual }: ExemptionFacts): string {
  return e('ExemptionList', {}, [
    e('ExemptionListID', { identity: list, authority: 'IPC' }),
    ...items.map((identity) =>
      isUnusual
        ? e('ExemptionCode', { code: identity })
        : e('Exemption', { identity, description: `Exemption ${identity}` }),
    ),
  ])
}

function writtenOnce(e: Writer, facts: CategoryFacts | ListFacts, write: () => string): string {
  const written = WRITTEN.get(e)!
  const known = written.get(facts)
  if (known !== undefined) return known
  const xml = write()
  written.set(facts, xml)
  return xml
}

function categoryXml(e: Writer, category: CategoryFacts, authority: string): string {
  const { code, name, threshold, application, over, amount, concentrationPercent, exemptions } = category
  const children: string[] = []
  if (over !== undefined) children.push(e('Threshold', { overThreshold: String(over), threshold }))
  children.push(e('SubstanceCategoryID', { identity: code, authority }))
  if (amount !== undefined) children.push(e('Amount', quantity(amount)))
  if (concentrationPercent !== undefined) {
    children.push(e('Concentration', { value: decimal(concentrationPercent) }))
  }
  if (exemptions !== undefined) children.push(exemptionsXml(e, exemptions))
  return e('SubstanceCategory', { name, reportableApplication: application }, children)
}
