import { cleanText, escapeUnsafe, nearest } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { calendarDate, parseCalendarDate } from '../../base/units.ts'
import { plainName } from '../../compliance/entry-keys.ts'
import { type Finding, kindOf } from '../../compliance/finding.ts'
import {
  FAIL_ON_WORDS,
  type FindingRule,
  KIND_WORDS,
  RULE_WORDS,
  VALUE_EXAMPLES,
} from '../../compliance/finding-rules.ts'
import { type ListIdentity, listFirstDay, readListIdentity } from '../../compliance/list-identity.ts'
import { monthsBefore } from '../../compliance/response-date.ts'
import { rowName } from '../columns.ts'
import type { GateResult } from '../report-result.ts'
import {
  about,
  type FindingContext,
  findingText,
  findingWord,
  isFailing,
  NOTHING_TO_JUDGE,
  type OverallVerdict,
  type RowFinding,
} from '../row-findings.ts'
import type { JudgedRow, RowGate } from '../rows/report-row.ts'

/** A rule to fail on: its word, and the findings that it matches. */
export interface FailOnRule {
  readonly word: string
  readonly matches: (finding: Finding) => boolean
  /** What the rule alone finds in a declared row, such as an age: only a gate asks for it. */
  readonly find?: (row: JudgedRow, context: FindingContext) => readonly Finding[]
  /** The list that it names, as written. */
  readonly list?: string
}

/** The rules that findings match, in their order; a waived finding matches none. */
export function gateOf(findings: readonly RowFinding[], rules: readonly FailOnRule[]): RowGate {
  if (findings.length === 0 || rules.length === 0) return NO_MATCH
  const matched = findings.filter((finding) => rules.some(({ matches }) => matches(finding)))
  const open = matched.filter(({ waivers }) => waivers === undefined)
  return {
    open: rules.filter(({ matches }) => open.some(matches)).map(({ word }) => word),
    waived: matched.filter(({ waivers }) => waivers !== undefined),
  }
}

const NO_MATCH: RowGate = { open: [], waived: [] }

function plainRule(word: string): FailOnRule {
  const isKind = KIND_WORDS.includes(word)
  return { word, matches: (finding) => (isKind ? kindOf(finding) : finding.rule) === word }
}

/** Rules with a value. */
const VALUE_RULES: Readonly<Record<string, (value: string) => FailOnRule>> = {
  stale: staleRule,
  older: olderRule,
  over: overRule,
  'exemption-expires': expiresRule,
}

const EXAMPLES: Readonly<Record<string, string>> = VALUE_EXAMPLES

/** Rules without a value. */
const PLAIN_WORDS: readonly string[] = [...KIND_WORDS, ...RULE_WORDS]

/**
 * Reads rules such as `not-compliant,svhc,missing,stale:EUREACH-0624`. An unknown word is a Failure of kind `usage` that
 * suggests the nearest known one.
 */
export function parseFailOn(text: string): FailOnRule[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  if (words.length === 0) throw usageFailure('no rules given', allWords())
  return [...new Set(words)].map(readRule)
}

function readRule(word: string): FailOnRule {
  const lower = word.toLowerCase()
  const family = Object.keys(VALUE_RULES).find((one) => lower.startsWith(`${one}:`))
  if (family !== undefined) return VALUE_RULES[family]!(word.slice(family.length + 1).trim())
  if (lower.startsWith('indicated:') && word.slice(10).trim() !== '') return listRule(word.slice(10).trim())
  if (PLAIN_WORDS.includes(lower)) return plainRule(lower)
  const best = nearest(lower, FAIL_ON_WORDS)
  const message = `unknown rule "${cleanText(word, 60)}"`
  const hint = best === undefined ? allWords() : `did you mean ${EXAMPLES[best.replace(':', '')] ?? best}?`
  throw new Failure('usage', message, { hint, ...(best === undefined ? { options: ['fail-on'] } : {}) })
}

/**
 * The rule of a waiver: the word of one rule, `stale` and the like for that rule with any value, or a rule with what it is about, such
 * as `svhc:7439-92-1`. Throws what `parseFailOn` does, also for a rule that matches whatever is found.
 */
export function readWaiverRule(text: string): string {
  const word = text.trim()
  const [, rule = '', subject] = /^([\w-]+):\s*(.*)$/s.exec(word) ?? []
  if (subject && PLAIN_WORDS.includes(rule.toLowerCase())) return `${rule.toLowerCase()}:${subject}`
  const family = word.toLowerCase()
  if (KIND_WORDS.includes(rule.toLowerCase() || family)) {
    throw usageFailure(`"${family}" stands for many rules`, 'name the rule that is waived, such as missing')
  }
  return Object.hasOwn(VALUE_RULES, family) ? family : readRule(word).word
}

/** Matches an exemption in use whose earliest known date is on or before this one; a date that is not known does not match. */
function expiresRule(date: string): FailOnRule {
  if (parseCalendarDate(date) === undefined) {
    throw usageFailure(
      `${cleanText(`exemption-expires:${date}`, 60)} does not name a calendar date`,
      'name the last day to look at as YYYY-MM-DD, such as exemption-expires:2027-06-30',
    )
  }
  return askedFor('exemption-expires', date, (row) => {
    const { exemptionExpires: day } = row
    return day !== '' && day <= date ? [`relies on an exemption with the nominal date ${day}`] : []
  })
}

const STALE_HINT =
  'name the oldest acceptable list, such as stale:EUREACH-0624 (June 2024, MMYY) or stale:EUROHS-1907 (July 2019, YYMM), or its age in months or years, such as stale:12m or stale:1y'

function staleRule(value: string): FailOnRule {
  const months = monthsIn(value)
  if (months !== undefined) return tooOldRule(value.toLowerCase(), months)
  const limit = readListIdentity(value)
  if (limit.family === 'other' || limit.month === undefined) {
    throw usageFailure(
      `${cleanText(`stale:${value}`, 60)} names neither a dated EUREACH or EUROHS list nor an age`,
      STALE_HINT,
    )
  }
  const isAboutSvhc = limit.family === 'svhc'
  return askedFor('stale', limit.identity.toUpperCase(), ({ judged: { rohs, reach } }) =>
    (isAboutSvhc ? [...reach.lists, ...reach.unidentified] : rohs.lists).filter((identity) =>
      isOlder(identity, limit),
    ),
  )
}

/** The months of `24m` or `2y`; undefined for other text. */
function monthsIn(age: string): number | undefined {
  const [, number, unit] = /^([1-9]\d{0,2})([my])$/i.exec(age) ?? []
  return number === undefined ? undefined : Number(number) * (unit!.toLowerCase() === 'm' ? 1 : 12)
}

/** About the Candidate List, which has a new version twice a year; the RoHS list has stayed the same for years. To the day. */
function tooOldRule(age: string, months: number): FailOnRule {
  return askedFor('stale', age, ({ judged: { reach } }, { nowMs, dates }) => {
    const isOld = (identity: string): boolean => {
      const day = dates?.listDay(identity) ?? listFirstDay(identity)
      return day === undefined || day < monthsBefore(calendarDate(nowMs), months)
    }
    return [...reach.unidentified, ...reach.lists.filter(isOld)]
  })
}

/** Matches a declaration whose date, or the oldest of those that count, is more than so many months ago, or not known. */
function olderRule(value: string): FailOnRule {
  const months = monthsIn(value)
  if (months === undefined) {
    throw usageFailure(
      `${cleanText(`older:${value}`, 60)} names no age`,
      'name the age of the oldest acceptable declaration in months or years, such as older:24m or older:2y',
    )
  }
  return askedFor('older', value.toLowerCase(), ({ date, isUndated }, { nowMs }) => {
    if (isUndated || date === '') return ['a declaration has no date that is understood']
    return date < monthsBefore(calendarDate(nowMs), months) ? [`the declaration is of ${date}`] : []
  })
}

/**
 * Matches a part with an entry above its threshold in this list, or with an answer in it that is not understood; the name may leave out
 * the version: `over:IEC_62474`.
 */
function overRule(name: string): FailOnRule {
  const wanted = plainName(name)
  if (wanted === '') {
    throw usageFailure(
      `${cleanText(`over:${name}`, 60)} names no list`,
      'name a list, such as over:Prop_65_substances',
    )
  }
  return {
    word: `over:${cleanText(name, 60).replaceAll('; ', ', ')}`,
    matches: ({ rule, subject }) => rule === 'over' && isListNamed(subject, name),
    find: (row) =>
      row.judged.otherLists
        .filter(({ list, over, doubts }) => isListNamed(list, name) && over.length === 0 && doubts.length > 0)
        .map(({ list, doubts }) => {
          const sentence = `may be over in ${list}: ${doubts.map(({ text }) => text).join(', ')}`
          return about(row, 'over', list, [], sentence, list)
        }),
    list: name,
  }
}

/** Throws `usage` for `indicated:NAME` of a list that is not given: nothing would match it. */
export function requireListsOf(rules: readonly FailOnRule[], lists: readonly string[]): void {
  const known = lists.map((name) => listRule(name).word)
  const unknown = rules.find(
    ({ word }) =>
      word.startsWith('indicated:') && !known.some((one) => one.toLowerCase() === word.toLowerCase()),
  )
  if (unknown === undefined) return
  throw new Failure('usage', `the rule ${unknown.word} names a substance list that is not given`, {
    hint: known.length === 0 ? 'give the list' : `there are ${known.join(', ')}`,
    options: known.length === 0 ? ['substance-list'] : ['fail-on'],
  })
}

/** Matches what the user's own list of this name indicates. */
function listRule(name: string): FailOnRule {
  const word = `indicated:${cleanText(name, 60).replaceAll('; ', ', ')}`
  return { word, matches: (finding) => findingWord(finding).toLowerCase() === word.toLowerCase() }
}

/** True for the name of the list, or its beginning up to a space or mark. */
export function isListNamed(list: string, name: string): boolean {
  if (plainName(list) === plainName(name)) return true
  const isStart = list.toLowerCase().startsWith(name.toLowerCase())
  return isStart && !/^[\p{L}\p{N}]/u.test(list.slice(name.length))
}

/** A rule about the age of what a declaration rests on: it matches the finding that it asks for. */
function askedFor(
  rule: FindingRule,
  value: string,
  tooOld: (row: JudgedRow, context: FindingContext) => readonly string[],
): FailOnRule {
  const word = `${rule}:${value}`
  return {
    word,
    matches: (finding) => findingWord(finding) === word,
    find(row, context) {
      const old = tooOld(row, context)
      return old.length === 0 ? [] : [about(row, rule, value, old, old.join(', '))]
    },
  }
}

/** A list without a date in its name, or with another name than the Candidate List, counts as older: it cannot be shown to be new enough. */
function isOlder(identity: string, limit: ListIdentity): boolean {
  const { month } = readListIdentity(identity)
  return month === undefined || month < limit.month!
}

function allWords(): string {
  return `the rules are ${PLAIN_WORDS.join(', ')}, over:LIST, stale:LIST, stale:12m, older:24m and exemption-expires:DATE, separated by commas`
}

function usageFailure(message: string, hint: string): Failure {
  return new Failure('usage', message, { hint, options: ['fail-on'] })
}

const MAX_MATCHES = 1_000

type MatchedRow = GateResult['rows'][number]

/** Collects lines and rows that rules match: those that fail, doubtful ones, then assemblies of such; undefined without rules. */
export function createRowMatches(rules: readonly FailOnRule[] | undefined) {
  const failed: MatchedRow[] = []
  const others: MatchedRow[] = []
  const assemblies: MatchedRow[] = []
  let matched = 0
  // A declaration was judged, or its absence was accepted.
  let isFounded = false
  let hasFailedProduct = false
  const keep = (row: MatchedRow, rows = others): void => {
    if (rows.length < MAX_MATCHES) rows.push(row)
  }
  const keepRow = (row: JudgedRow, alternateOf?: string): void => {
    const { part, sources, gate, line, findings, verdict } = row
    const found = findings.filter(
      (one) => one.waivers === undefined && rules!.some((rule) => rule.matches(one)),
    )
    const match = {
      part: escapeUnsafe(part),
      source: sources.join('; '),
      rules: gate.open,
      ...(line === undefined ? {} : { line: line.line }),
      ...(alternateOf === undefined ? {} : { alternateOf: escapeUnsafe(alternateOf) }),
      findings: found.map(findingText),
    }
    keep(match, isFailing(verdict) ? failed : others)
  }
  return {
    add(row: JudgedRow): void {
      isFounded ||= hasGround(row)
      if (row.gate.open.length === 0) return
      matched += 1
      keepRow(row)
    },
    /** The rows of a line: it matches once, by its own numbers or, as an assembly, by the lines in it. */
    addLine(rows: readonly JudgedRow[], alternateOf: (row: JudgedRow) => string | undefined): void {
      isFounded ||= rows.some(hasGround)
      const own = rows.filter(({ gate }) => gate.open.length > 0)
      for (const row of own) keepRow(row, alternateOf(row))
      const [first] = rows
      const inside = first?.line?.openInside ?? []
      if (own.length > 0 || inside.length > 0) matched += 1
      if (own.length > 0 || inside.length === 0) return
      const match = {
        part: rowName(first!),
        source: '',
        rules: inside,
        line: first!.line!.line,
        findings: [`in its lines: ${inside.join(', ')}`],
      }
      keep({ ...match, inside: true }, assemblies)
    },
    /** Takes what was found in a product. */
    addGate(gate: GateResult | undefined): void {
      if (gate === undefined) return
      isFounded ||= gate.passed
      hasFailedProduct ||= !gate.passed
      matched += gate.matched
      for (const row of gate.rows) keep(row)
    },
    /** Takes what describes a product as a whole, where none of its lines says so: a gate has not passed beside it. */
    addProduct(product: string, findings: readonly Finding[]): void {
      const words = (rules ?? []).filter(({ matches }) => findings.some(matches)).map(({ word }) => word)
      if (matched > 0 || words.length === 0) return
      const texts = findings.filter((one) => rules!.some((rule) => rule.matches(one))).map(findingText)
      matched += 1
      keep({ part: '', source: '', product, rules: words, findings: texts })
    },
    /**
     * What was judged has this verdict: nothing that was found is no pass, nor are lines none of which has a declaration, in each
     * product, nor is what `besides` matched elsewhere.
     */
    result(verdict: OverallVerdict, besides = 0): GateResult | undefined {
      const rows = [...failed, ...others, ...assemblies].slice(0, MAX_MATCHES)
      const isClean = matched + besides === 0 && !hasFailedProduct
      const passed = isClean && verdict !== NOTHING_TO_JUDGE && isFounded
      return rules && { rules: rules.map((rule) => rule.word), passed, matched, rows }
    },
  }
}

function hasGround({ status, gate }: JudgedRow): boolean {
  return status === 'declared' || gate.waived.length > 0
}
