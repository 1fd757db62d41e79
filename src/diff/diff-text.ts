import { formatCount, plural } from '../base/units.ts'
import { escapeMarkdown } from '../report/formats/markdown.ts'
import type { GateResult } from '../report/report-result.ts'
import { gateVerdict } from '../report/report-verdict.ts'
import { gateLine } from '../report/summary-lines.ts'
import type { ChangedPart, DeclarationDiff, ListUpdate, LonePart, Move, PartChanges } from './diff-result.ts'
import { changeFacts, diffVerdict } from './diff-rows.ts'

/** How a diff is styled. */
export interface DiffLook {
  readonly heading: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly faint: (text: string) => string
  readonly arrow: string
}

export const PLAIN_DIFF: DiffLook = {
  heading: (text) => text,
  good: (text) => text,
  bad: (text) => text,
  faint: (text) => text,
  arrow: '->',
}

/** A diff as text: the counts, one line for each list update, then the parts. */
export function* diffText(diff: DeclarationDiff, look: DiffLook): Generator<string> {
  yield `${countsLine(diff)}\n`
  if (diff.listUpdates.length > 0) {
    yield `\n${look.heading('lists updated, nothing else changed')}\n`
    for (const update of diff.listUpdates) yield `  ${updateLine(update, look.arrow)}\n`
  }
  yield* section('added', '+', diff.added, look, look.good)
  yield* section('removed', '-', diff.removed, look, look.bad)
  if (diff.changed.length > 0) yield `\n${look.heading('changed')}\n`
  for (const part of diff.changed) {
    yield `  ~ ${part.part}${supplierOf(part, look)}\n`
    for (const line of changeLines(part.changes, look.arrow)) yield `      ${line}\n`
  }
  for (const side of ['old', 'new'] as const) {
    for (const { source, reason } of diff.unreadable[side]) {
      yield `${look.bad(`  ! ${side} side unreadable: ${source}: ${reason}`)}\n`
    }
  }
  if (diff.gate) yield `\n${gateLine(diff.gate)}\n`
}

/** The same in GitHub's Markdown: what became worse and what the gate matches first. */
export function* diffMarkdown(diff: DeclarationDiff): Generator<string> {
  const { text } = diffVerdict(diff)
  yield `# Changes in material declarations\n\n**${escapeMarkdown(text)}**\n\n${escapeMarkdown(countsLine(diff))}\n`
  if (diff.gate) yield* gateMarkdown(diff.gate)
  if (diff.listUpdates.length > 0) {
    yield '\n## Lists updated, nothing else changed\n\n'
    for (const update of diff.listUpdates) yield `- ${escapeMarkdown(updateLine(update, '→'))}\n`
  }
  for (const [title, parts] of [
    ['Added', diff.added],
    ['Removed', diff.removed],
  ] as const) {
    if (parts.length === 0) continue
    yield `\n## ${title}\n\n| part | supplier | rohs | svhc | date |\n| --- | --- | --- | ---: | --- |\n`
    for (const { part, supplier, rohs, svhc_count, date } of parts) {
      yield `| ${[part, supplier, rohs, String(svhc_count ?? ''), date].map(escapeMarkdown).join(' | ')} |\n`
    }
  }
  if (diff.changed.length > 0)
    yield '\n## Changed\n\n| part | supplier | what changed |\n| --- | --- | --- |\n'
  for (const { part, supplier, changes } of diff.changed) {
    const lines = changeLines(changes, '→').map(escapeMarkdown)
    yield `| ${escapeMarkdown(part)} | ${escapeMarkdown(supplier)} | ${lines.join('<br>')} |\n`
  }
  const unreadable = [...diff.unreadable.old, ...diff.unreadable.new]
  if (unreadable.length > 0) yield '\n## Unreadable\n\n'
  for (const { source, reason } of unreadable) yield `- ${escapeMarkdown(`${source}: ${reason}`)}\n`
}

/** The rows that the gate matches, at most as many as a reviewer reads. */
function* gateMarkdown(gate: GateResult): Generator<string> {
  const { word, found } = gateVerdict(gate)
  yield `\n**${escapeMarkdown(`${word}: ${found} ${gate.rules.join(', ')}`)}**\n`
  if (gate.matched === 0) return
  yield '\n| part | gate | source |\n| --- | --- | --- |\n'
  for (const { part, rules, source } of gate.rows.slice(0, GATE_ROWS)) {
    yield `| ${[part, rules.join(', '), source].map(escapeMarkdown).join(' | ')} |\n`
  }
  const more = gate.matched - Math.min(gate.rows.length, GATE_ROWS)
  if (more > 0) yield `\n${formatCount(more)} more rows match.\n`
}

const GATE_ROWS = 50

/** `2 added, 1 removed, 3 changed, 8,123 with a newer list only, 40 unchanged`. */
export function countsLine(diff: DeclarationDiff): string {
  return diffCounts(diff)
    .map(([name, number]) => `${formatCount(number)} ${name}`)
    .join(', ')
}

/** What is counted, by name; what may be left out only if there is any. */
export function diffCounts(diff: DeclarationDiff): readonly (readonly [name: string, number: number])[] {
  const { superseded, unreadable } = diff.counts
  const moved = diff.listUpdates.reduce((total, { parts }) => total + parts, 0)
  const some = (name: string, number: number): readonly (readonly [string, number])[] =>
    number > 0 ? [[name, number]] : []
  return [
    ['added', diff.added.length],
    ['removed', diff.removed.length],
    ['changed', diff.changed.length],
    ...some('with only a list update', moved),
    ...some('with no compared value changed', diff.redated),
    ['unchanged', diff.unchanged],
    ...some('superseded before', superseded.old),
    ...some('superseded now', superseded.new),
    ...some('unreadable before', unreadable.old),
    ...some('unreadable now', unreadable.new),
  ]
}

function* section(
  title: string,
  mark: string,
  parts: readonly LonePart[],
  look: DiffLook,
  style: (text: string) => string,
): Generator<string> {
  if (parts.length === 0) return
  yield `\n${look.heading(title)}\n`
  for (const part of parts) {
    const svhc = part.svhc_count ? `, ${part.svhc_count} SVHC` : ''
    yield `  ${style(`${mark} ${part.part}`)}${supplierOf(part, look)}: ${part.rohs}${svhc}\n`
  }
}

function supplierOf({ supplier }: LonePart | ChangedPart, look: DiffLook): string {
  return supplier === '' ? '' : look.faint(` (${supplier})`)
}

function updateLine({ rohs_list, reach_list, parts, examples }: ListUpdate, arrow: string): string {
  const moves = [
    reach_list && `REACH ${moveText(reach_list, arrow)}`,
    rohs_list && `RoHS ${moveText(rohs_list, arrow)}`,
  ].filter((move) => move !== null)
  const more = parts > examples.length ? ' …' : ''
  return `${moves.join(', ')}: ${plural(parts, 'part')} (${examples.join(', ')}${more})`
}

function changeLines(changes: PartChanges, arrow: string): string[] {
  return changeFacts(changes).map(({ what, member, old, new: now }) =>
    member === undefined ? `${what}: ${old} ${arrow} ${now}` : `${member}: ${old}${now}`,
  )
}

function moveText(move: Move<string | number | null>, arrow: string): string {
  const shown = (value: string | number | null): string =>
    value === null || value === '' ? 'none' : String(value)
  return `${shown(move.old)} ${arrow} ${shown(move.new)}`
}
