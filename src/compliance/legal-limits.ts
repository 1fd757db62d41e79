import { cleanText } from '../base/clean-text.ts'
import type { ListEntry } from './entry-keys.ts'
import { readThreshold } from './quantity.ts'

/** The limits of the law, in percent. */
interface Limit {
  readonly percent: number
  readonly of: 'material' | 'article'
}

/** 0.1 % of the article for a substance of the Candidate List (REACH, Article 33). */
export const SVHC_LIMIT: Limit = { percent: 0.1, of: 'article' }

/** The maximum concentration in a homogeneous material (RoHS, Annex II). */
export function groupLimit(group: string): Limit {
  return { percent: group === 'Cadmium' ? 0.01 : 0.1, of: 'material' }
}

/**
 * Why "not over" the threshold that is stated does not show that a substance is within the limit; undefined where it does. An entry
 * without a threshold has that of its list.
 */
export function weakThreshold({ threshold }: Pick<ListEntry, 'threshold'>, limit: Limit): string | undefined {
  const { percent, base, isUnread } = readThreshold(threshold)
  if (isUnread)
    return `"not over" a threshold that is not recognized ("${threshold.trim()}"), ${limitText(limit)}`
  if (percent !== undefined && percent > limit.percent)
    return `"not over" ${percent} %${ofBase(base)}, ${limitText(limit)}`
  const isDiluted = limit.of === 'material' ? base === 'article' || base === 'product' : base === 'product'
  return isDiluted
    ? `"not over" ${percent ?? limit.percent} %${ofBase(base)}, ${limitText(limit)}`
    : undefined
}

/** Some uses, by the words of lists for them. What begins with all is read as all, also without batteries, which RoHS leaves out. */
const SOME_USES =
  /^(?!\W*(?:all|any|every|alle|tou[st]|todos?|tutt[ie])\b).*(?:batter|akku|pile|textil|leather|leder|toy|spielzeug|child|jewel|schmuck|paint|coating|cable|cord|kabel|packag|verpackung|wiring board|laminate|lamp|skin|rubber|gummi|photograph|paper|papier|wood|holz|solder|plastic|kunststoff|glass|ceramic|keramik|alloy|legierung|housing|gehäuse|connector|terminal|plating|(?<!\p{L})(?:only|nur|ausschließlich|seulement|uniquement|solamente|soltanto|pins?|wires?|glas)(?!\p{L})|电池|電池|纺织|玩具|のみ|仅限)|\b(?:except|excluding|other than|apart from|au(?:ß|ss)er|ausgenommen|sauf|excepto|eccetto)\b(?!.*(?:batter|akku|pile))/isu

/** The same for "not over" in some uses only: no other of the statements is about all. */
export function weakApplication(
  { application = '' }: Pick<ListEntry, 'application'>,
  others: readonly Pick<ListEntry, 'application'>[],
): string | undefined {
  if (application === '' || !SOME_USES.test(application)) return undefined
  if (others.some(({ application: other = '' }) => !SOME_USES.test(other))) return undefined
  return `"not over" for some uses only: "${cleanText(application, 80)}"`
}

/** The same for a value such as `<5` beside "not over". */
export function weakValue(
  { upTo }: { readonly upTo?: number | undefined },
  limit: Limit,
): string | undefined {
  return upTo !== undefined && upTo > limit.percent
    ? `"not over" beside "< ${upTo} %", ${limitText(limit)}`
    : undefined
}

function ofBase(base: string | undefined): string {
  return base === undefined ? '' : ` of the ${base}`
}

function limitText({ percent, of }: Limit): string {
  return `the limit is ${percent} % of the ${of === 'material' ? 'homogeneous material' : 'article'}`
}
