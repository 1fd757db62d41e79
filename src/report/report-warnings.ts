import type { AccountEntry } from '../base/account-entry.ts'
import { cleanText, escapeUnsafe } from '../base/clean-text.ts'
import type { Notice } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import { type FailOnRule, isListNamed } from './gate/fail-on.ts'
import type { Waiver } from './report-result.ts'
import type { ReportSummary } from './report-summary.ts'
import { ADDED_BY_MACOS } from './sources/declaration-files.ts'
import { shardText } from './sources/shard.ts'
import { SAID_ELSEWHERE } from './sources/source-account.ts'

/** A finished report, as far as it may need a warning. */
export interface ReportFacts {
  readonly summary: ReportSummary
  readonly failOn: readonly FailOnRule[] | undefined
  /** The names of the first files that ask for a declaration. */
  readonly requests: readonly string[]
  readonly hasAskedParts: boolean
  readonly withSubstances: boolean
  /** The names of the user's own substance lists. */
  readonly substanceLists?: readonly string[] | undefined
  readonly hasWaivers?: boolean
  /** The verdicts name the files that cannot be read. */
  readonly isSaidBeside?: boolean | undefined
  /** What it means that there is nothing to report. */
  readonly emptyText?: string | undefined
}

export function reportWarnings({
  summary: { count, counts, sources, waivers, reference, shard, otherLists, withoutMaterials },
  failOn,
  requests,
  hasAskedParts,
  withSubstances,
  substanceLists = [],
  hasWaivers,
  isSaidBeside = false,
  emptyText = 'nothing to report: no XML file in the sources',
}: ReportFacts): readonly Notice[] {
  const has = (word: string): boolean => failOn?.some((rule) => rule.word === word) ?? false
  const warnings: Notice[] = []
  const warn = (event: string, message: string, more: Partial<Notice> = {}): void => {
    warnings.push({ level: 'warning', event, message, ...more })
  }

  const entries = leftOutText(sources.entries)
  if (entries !== undefined) {
    const message = `${plural(entries.count, 'entry', 'entries')} skipped${entries.text}`
    const level = entries.needsLook ? 'warning' : 'info'
    warn('report.skipped', message, { level, data: { skipped: entries.count } })
  }
  const files = leftOutText(sources.files)
  if (files !== undefined) {
    const message = `${plural(files.count, 'file')} not read${files.text}`
    warn('report.left-out', message, { level: 'info', data: { files: files.count } })
  }
  if (counts.requests > 0) {
    warn(
      'report.requests',
      `${plural(counts.requests, 'file')} with a request for a declaration, not with a declaration: ${firstOf(requests, counts.requests)}`,
      { data: { requests: counts.requests } },
    )
  }
  if (counts.rows + counts.files + counts.skipped + counts.requests === 0) {
    if (shard === undefined) warn('report.empty', emptyText, { needsLook: true })
    else warn('report.empty', `no source is in shard ${shardText(shard)}`, { level: 'info' })
  }
  if (counts.unreadable > 0 && !isSaidBeside) {
    const isGated = findsUnreadable(failOn)
    const gate = isGated ? '' : '; the gate has no rule "unreadable"'
    warn('report.unreadable', `${plural(counts.unreadable, 'file')} cannot be read as a declaration${gate}`, {
      data: { unreadable: counts.unreadable },
      ...(isGated ? {} : { options: ['fail-on'] }),
    })
  }
  // Without the list of requested parts no row is `missing`, and the rule would pass silently.
  if (!hasAskedParts && has('missing')) {
    warn('report.not-asked', 'the rule "missing" matches nothing without the list of requested parts', {
      options: ['parts-file'],
    })
  }
  if (reference !== undefined && reference.oldTable !== '') {
    warn('report.old-table', `${reference.oldTable}; newer tables can be given`, {
      data: { newest: reference.tables.svhcUpdates.newest },
      options: ['svhc-updates', 'svhc-substances'],
    })
  }
  const withoutDate = reference?.withoutDate ?? 0
  if (withoutDate > 0 && failOn?.some((rule) => rule.word.startsWith('exemption-expires:'))) {
    warn(
      'report.exemptions-not-judged',
      `${plural(withoutDate, `${count.what} relies`, `${count.what}s rely`)} on an exemption whose date is not known; exemption-expires does not match it`,
      { data: { parts: withoutDate }, needsLook: true },
    )
  }
  if (hasWaivers && failOn === undefined) {
    warn('report.waivers-without-gate', 'waivers have no effect without a gate', {
      options: ['fail-on'],
    })
  }
  if (waivers !== undefined && waivers.runOut.length > 0) {
    const count = plural(waivers.runOut.length, 'waiver has', 'waivers have')
    warn('report.waivers-run-out', `${count} expired: ${named(waivers.runOut)}`)
  }
  if (waivers !== undefined && waivers.unmatched.length > 0) {
    const count = plural(waivers.unmatched.length, 'waiver matches', 'waivers match')
    warn('report.waivers-unmatched', `${count} no finding of the gate: ${named(waivers.unmatched)}`)
  }
  for (const { list: wanted } of failOn ?? []) {
    if (wanted === undefined || counts.declared === 0) continue
    if (otherLists.some((name) => isListNamed(name, wanted))) continue
    const known =
      otherLists.length === 0
        ? 'none has any'
        : `there are ${firstOf(otherLists.slice(0, MAX_NAMED), otherLists.length)}`
    warn(
      'report.unknown-list',
      `no declaration has the list "${cleanText(wanted, 60)}" of the rule over: ${known}`,
      {
        options: ['fail-on'],
        needsLook: true,
      },
    )
  }
  if (substanceLists.length > 0 && withoutMaterials > 0) {
    const left = `${withoutMaterials} of ${plural(counts.declared, 'declared row')}`
    const names = firstOf(substanceLists.slice(0, MAX_NAMED), substanceLists.length)
    warn('report.not-screened', `${left} not screened for ${names}: no material data (class D)`, {
      data: { rows: withoutMaterials },
      needsLook: withoutMaterials === counts.declared,
    })
  }
  if (withSubstances && counts.substances === 0 && counts.declared > 0) {
    warn(
      'report.no-substances',
      'no file declares substances; only class D declarations do: download them with format class D',
    )
  }
  return warnings
}

/** True unless there is a gate without a rule for files that cannot be read. */
export function findsUnreadable(failOn: readonly FailOnRule[] | undefined): boolean {
  return failOn?.some(({ word }) => ['unreadable', 'doubtful'].includes(word)) ?? true
}

const MAX_NAMED = 5

/** What is left out without a message of its own: `, not XML: a.txt`, or `: 2 not XML (a.txt, b.txt), 1 no regular file (p)`. */
function leftOutText({ named }: AccountEntry) {
  const left = named.filter(({ reason }) => !SAID_ELSEWHERE.has(reason))
  if (left.length === 0) return undefined
  const names = (places: readonly string[], count: number): string =>
    firstOf(places.slice(0, MAX_NAMED).map(escapeUnsafe), count)
  const texts = left.map(({ reason, count, places }) => `${count} ${reason} (${names(places, count)})`)
  const [{ reason, places, count }] = left as [AccountEntry['named'][number]]
  return {
    count: left.reduce((sum, one) => sum + one.count, 0),
    text: left.length === 1 ? `, ${reason}: ${names(places, count)}` : `: ${texts.join(', ')}`,
    needsLook: left.some((one) => one.reason !== ADDED_BY_MACOS),
  }
}

/** `P1 svhc (until 2026-01-31, Jo)`, and how many more. */
function named(waivers: readonly Waiver[]): string {
  const texts = waivers
    .slice(0, MAX_NAMED)
    .map(({ part, rule, until, owner }) => `${cleanText(part, 60)} ${rule} (until ${until}, ${owner})`)
  return firstOf(texts, waivers.length)
}

/** The first of `count` names, and how many more there are. */
function firstOf(names: readonly string[], count: number): string {
  return `${names.join(', ')}${count > names.length ? ` and ${count - names.length} more` : ''}`
}
