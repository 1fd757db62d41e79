import { approvalDate, type DeclarationClass } from './declaration-xml.ts'
import type { PartFacts } from './facts.ts'
import type { MockSearch } from './query.ts'

/** One class of a part as it was last declared. */
export interface RevisionFacts {
  /** The part with the facts of that declaration. */
  readonly part: PartFacts
  readonly declarationClass: DeclarationClass
  readonly approved: string
}

/**
 * The declaration that a request gets on this day: the newest of the requested class, or of D before C; undefined for none. Without a
 * day there is no bound. Of two approved on the same day, the part's own comes first, then the order of its revisions.
 */
export function declaredOn(
  part: PartFacts,
  formatClass: MockSearch['formatClass'],
  day: string | undefined,
): RevisionFacts | undefined {
  if (formatClass === 'checkDthenC') return newest(part, 'D', day) ?? newest(part, 'C', day)
  return newest(part, formatClass, day)
}

function newest(
  part: PartFacts,
  declarationClass: DeclarationClass,
  day: string | undefined,
): RevisionFacts | undefined {
  let found: RevisionFacts | undefined
  for (const state of [part, ...(part.revisions ?? [])]) {
    const approved = approvalDate(state, declarationClass)
    if (approved === undefined || (day !== undefined && approved > day)) continue
    if (found === undefined || approved > found.approved) found = { part: state, declarationClass, approved }
  }
  return found
}
