import { namesOfEntry } from './entry-keys.ts'
import { exemptionLabel, exemptionNumbers } from './exemptions.ts'
import { FINDING_KINDS, type FindingKind, type FindingRule } from './finding-rules.ts'
import type { Indication, NotScreened } from './indications.ts'
import type { PartJudgement } from './judge.ts'
import { readListIdentity } from './list-identity.ts'
import { tidy } from './quantity.ts'
import type { SvhcOver } from './reach.ts'
import { failingText, type Gap, label, named, type Wording } from './rohs.ts'
import type { Where } from './statements.ts'

/** Where a statement is made. */
export interface Place {
  /** The file, or the archive and the entry, as in the sources of a row. */
  readonly source: string
  /** The line of its element in the XML. */
  readonly line?: number | undefined
  /** The identity of its list. */
  readonly list?: string | undefined
  /** The day of the declaration, `YYYY-MM-DD`. */
  readonly date?: string | undefined
}

/** One thing that is found in a line of a report, made once: every place that shows or counts it asks here. */
export interface Finding extends Wording {
  readonly rule: FindingRule
  /** What it is about: a substance, group, list or exemption; empty for the part as a whole. */
  readonly subject: string
  /** Other names of the subject that a waiver may use: codes, CAS numbers, the group, the user's list. */
  readonly names: readonly string[]
  readonly sentence: string
  readonly place?: Place | undefined
}

/** The weight of a finding. */
export function kindOf({ rule }: Pick<Finding, 'rule'>): FindingKind {
  return FINDING_KINDS[rule]
}

/**
 * What the declarations of a part alone give rise to. `placeOf` makes a place of where a statement is made; `unaccepted` are the
 * declarations that their supplier has not accepted.
 */
export function declaredFindings(
  { rohs, reach, otherLists, contradictions, indications, notScreened, answers }: PartJudgement,
  unaccepted: readonly { readonly sentence: string; readonly origin: number }[],
  placeOf: (where: Where) => Place,
): readonly Finding[] {
  const at = (where: Where | undefined): Pick<Finding, 'place'> =>
    where === undefined ? {} : { place: placeOf(where) }
  const start = at({ origin: 0, line: 0, list: '' })
  const incomplete = (subject: string, lists: readonly string[], gaps: readonly Gap[]): readonly Finding[] =>
    gaps.map(({ text, where, finding, brief, ask }) => ({
      ...(finding ?? { rule: 'incomplete', subject, names: lists }),
      ...(brief === undefined ? {} : { brief }),
      ...(ask === undefined ? {} : { ask }),
      sentence: text.startsWith(subject) ? text : `${subject}: ${text}`,
      ...at(where),
    }))
  return [
    ...rohs.failing.map(
      (one): Finding => ({
        rule: 'not-compliant',
        subject: label(one.statement),
        names: namesOf([one.key, one.statement.code, ...one.statement.cas]),
        sentence: failingText(one),
        ...at(one.statement.where),
      }),
    ),
    ...incomplete('RoHS', rohs.lists, rohs.gaps),
    ...(rohs.status === 'not declared'
      ? [
          {
            rule: 'not-declared',
            subject: 'RoHS',
            names: [],
            ...silentText('RoHS', answers),
            ...start,
          } as const,
        ]
      : []),
    ...incomplete('REACH', [...reach.lists, ...reach.unidentified], reach.gaps),
    ...(reach.status === 'not declared'
      ? [
          {
            rule: 'reach-not-declared',
            subject: 'REACH',
            names: [],
            ...silentText('REACH', answers),
            ...start,
          } as const,
        ]
      : []),
    ...contradictions.map(
      (one): Finding => ({
        rule: 'contradictory',
        subject: one.subject,
        names: namesOf(one.names),
        sentence: one.text,
        ...(one.ask === undefined ? {} : { ask: one.ask }),
        ...at(one.where),
      }),
    ),
    ...indications.map(
      (one): Finding => ({
        rule: 'indicated',
        subject: one.about === 'list' ? one.group : one.substance,
        names: namesOf([...one.cas, one.about === 'list' ? one.substance : one.group]),
        ...indicatedText(one, { rohs, reach }),
        ...at(one.about === 'list' ? { ...one.at, list: one.group } : one.at),
      }),
    ),
    ...notScreened.map(
      (one): Finding => ({
        rule: 'not-screened',
        subject: one.substance,
        names: namesOf([...one.cas, ...one.groups, ...one.lists]),
        sentence: notScreenedText(one),
        ask: `{declaration} has ${one.substance} in ${one.where} without a share that we can read: how much of the material is it?`,
        ...at(one.at),
      }),
    ),
    ...unaccepted.map(
      ({ sentence, origin }): Finding => ({
        rule: 'unaccepted',
        subject: '',
        names: [],
        sentence,
        ...at({ origin, line: 0, list: '' }),
      }),
    ),
    ...reach.over.map(
      (one): Finding => ({
        rule: 'svhc',
        subject: one.name,
        names: namesOf([one.code, ...one.cas]),
        sentence: `${svhcText(one)} above 0.1 % per ${one.where.list}`,
        ...at(one.where),
      }),
    ),
    ...rohs.exemptions.map(
      (one): Finding => ({
        rule: 'exemption',
        subject: one.identity,
        names: namesOf([...exemptionNumbers(one.identity, one.list).map(exemptionLabel), one.subject]),
        sentence: `exemption ${one.identity}${one.subject === '' ? '' : ` for ${one.subject}`}`,
        ...at(one.where),
      }),
    ),
    ...otherLists.flatMap((list): readonly Finding[] =>
      list.over.length === 0
        ? []
        : [
            {
              rule: 'over',
              subject: list.list,
              names: namesOf(
                list.over.flatMap((one) => [label(one), one.code, ...one.cas, ...namesOfEntry(one)]),
              ),
              sentence: `over in ${list.list}: ${named(list.over.map(label))}`,
              ...at(list.over[0]!.where),
            },
          ],
    ),
  ]
}

/** What a declaration without a list of a kind says instead: class A answers on the Candidate List are about REACH, others about RoHS. */
function silentText(
  what: 'RoHS' | 'REACH',
  answers: PartJudgement['answers'],
): Pick<Finding, 'sentence' | 'brief'> {
  const made = answers
    .filter(({ list }) => (readListIdentity(list).family === 'svhc') === (what === 'REACH'))
    .flatMap((one) => one.made)
  if (made.length === 0) return { sentence: `no ${what} list declared` }
  return {
    sentence: `class A states: ${named(made)}; no ${what} list`,
    brief: `class A: ${named(made, 1)}; no ${what} list`,
  }
}

/** What the material data have and the lists do not: `material data: 3 % Lead (7439-92-1) in Solder; the lists say not over`. */
function indicatedText(
  one: Indication,
  { rohs, reach }: Pick<PartJudgement, 'rohs' | 'reach'>,
): Pick<Finding, 'sentence' | 'ask' | 'brief'> {
  const { about, group, substance, cas, percent, where } = one
  const share = percent === undefined ? 'an unknown share of' : `${Number(percent.toPrecision(4))} %`
  const number = cas.length === 0 ? '' : ` (${cas.join(', ')})`
  const place = where === '' ? 'the part' : where
  const data = `${share} ${substance}${number} in ${place}`
  const brief = `material data: ${share} ${substance} in ${place}`
  if (about === 'list')
    return {
      sentence: `material data: ${data}, which is on ${group}`,
      brief: `${brief}, on ${group}`,
      ask: '',
    }
  const isStated =
    about === 'rohs'
      ? rohs.groups.some((answer) => answer.group === group && answer.answer === 'not over')
      : reach.lists.length > 0
  const sentence = `material data: ${data}; ${isStated ? 'the lists say not over' : 'no list declares it'}`
  const list = about === 'rohs' ? 'RoHS list' : 'Candidate List'
  const said = isStated
    ? `its ${list} says not over ${about === 'rohs' && group === 'Cd' ? '0.01' : '0.1'} %`
    : `it has no ${list} that says so`
  const ask =
    about === 'rohs'
      ? `the material data of {declaration} have ${data}; ${said}. Which is right?`
      : `by the material data of {declaration} ${share} of ${place} is ${substance}${number}, an SVHC; ${said}. Which is right?`
  return { sentence, ask, brief }
}

function namesOf(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== ''))]
}

/** `Lead (0.25 %)`: an SVHC with its worst case. */
function svhcText({ name, percent, massMg }: SvhcOver): string {
  const amount =
    percent !== undefined ? ` (${tidy(percent)} %)` : massMg !== undefined ? ` (${massMg} mg)` : ''
  return `${name}${amount}`
}

/** `Lead oxide (1317-36-8): RoHS Lead 3.2 % of Solder`. */
export function indicationText({ about, group, substance, cas, percent, where }: Indication): string {
  const share = percent === undefined ? 'an unknown share' : `${Number(percent.toPrecision(4))} %`
  const what =
    about === 'rohs' ? `RoHS ${group} ${share}` : about === 'svhc' ? `SVHC ${share}` : `${group} ${share}`
  const number = cas.length === 0 ? '' : ` (${cas.join(', ')})`
  return `${substance}${number}: ${what} of ${where === '' ? 'the part' : where}`
}

/** `Lead (7439-92-1) in Solder: its share is not known, not screened for RoHS Lead, SVHC`. */
export function notScreenedText({ substance, cas, where, groups, entries, lists }: NotScreened): string {
  const number = cas.length === 0 ? '' : ` (${cas.join(', ')})`
  const what = [...groups.map((group) => `RoHS ${group}`), ...(entries.length > 0 ? ['SVHC'] : []), ...lists]
  return `${substance}${number} in ${where}: its share is not known, not screened for ${what.join(', ')}`
}
