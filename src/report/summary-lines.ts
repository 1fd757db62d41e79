import { plural } from '../base/units.ts'
import { dateLines } from './date-lines.ts'
import type { WaiverFacts } from './gate/waivers.ts'
import type { ReportSummary } from './report-summary.ts'
import { rollupLines } from './rollup/rollup-lines.ts'
import { type Shard, shardText } from './sources/shard.ts'

/** A report in a few lines: numbers of rows, RoHS status, SVHCs, the product, the result of the gate, the age of the lists. */
export function summaryLines(kind: 'parts' | 'substances', summary: ReportSummary): string[] {
  const { counts, gate, rollup, shard } = summary
  const rohs = Object.entries(counts.rohs)
    .filter(([, number]) => number > 0)
    .map(([status, number]) => `${number} ${status}`)
  const { withSvhc, withoutSvhc, incomplete, notDeclared } = counts.reach
  const reach = [
    withSvhc > 0 ? `${withSvhc} with SVHC` : '',
    withoutSvhc > 0 ? `${withoutSvhc} without SVHC` : '',
    incomplete > 0 ? `${incomplete} incomplete` : '',
    notDeclared > 0 ? `${notDeclared} not declared` : '',
  ]
  return [
    countLine(kind, counts),
    ...(counts.declared > 0 ? [`RoHS: ${join(rohs)}`, `REACH: ${join(reach)}`] : []),
    ...(shard === undefined ? [] : [shardLine(shard)]),
    ...(rollup === undefined ? [] : rollupLines(rollup)),
    ...(gate === undefined ? [] : [gateLine(gate)]),
    ...(summary.waivers === undefined ? [] : [waiverLine(summary.waivers)]),
    ...dateLines(summary),
  ]
}

/** `3 rows from 4 files: 1 declared, 2 unreadable; not in the report: 2 declared parts that are not on the list`. */
function countLine(kind: 'parts' | 'substances', counts: ReportSummary['counts']): string {
  const { rows, files, declared, missing, unreadable, superseded, notListed, requests } = counts
  const kinds = [
    `${declared} declared`,
    missing > 0 ? `${missing} missing` : '',
    unreadable > 0 ? `${unreadable} unreadable` : '',
  ]
  // With the history there are rows for them.
  const showsSuperseded = rows > declared + missing + unreadable
  const older = superseded > 0 ? `${superseded} superseded by newer declarations` : ''
  const left = [
    showsSuperseded ? '' : older,
    notListed > 0 ? `${plural(notListed, 'declared part')} not on the parts list` : '',
    requests > 0 ? `${plural(requests, 'file')} with a request for a declaration` : '',
  ]
  const subject =
    kind === 'parts'
      ? plural(rows, 'row')
      : `${plural(counts.substances, 'substance')} of ${plural(rows - unreadable, 'part')}`
  const hasKinds = missing + unreadable > 0 || showsSuperseded
  const all = hasKinds ? `: ${join([...kinds, showsSuperseded ? older : ''])}` : ''
  const notShown = join(left) === '' ? '' : `; not in the report: ${join(left)}`
  return `${subject} from ${plural(files, 'file')}${all}${notShown}`
}

function shardLine(shard: Shard): string {
  return `shard ${shardText(shard)} of the sources: the newest declarations within it; missing parts are not known`
}

/** `waivers.csv: 2 findings waived, 1 waiver has expired, 1 matches nothing`. */
export function waiverLine({ file, findings, runOut, unmatched }: WaiverFacts): string {
  return `${file}: ${join([
    `${plural(findings, 'finding')} waived`,
    runOut.length > 0 ? `${plural(runOut.length, 'waiver has', 'waivers have')} expired` : '',
    unmatched.length > 0 ? `${unmatched.length} ${unmatched.length === 1 ? 'matches' : 'match'} nothing` : '',
  ])}`
}

/** `fail-on svhc, missing: 3 rows match`. */
export function gateLine({ rules, matched }: NonNullable<ReportSummary['gate']>): string {
  const found =
    matched === 0 ? 'no rows match' : matched === 1 ? '1 row matches' : `${plural(matched, 'row')} match`
  return `fail-on ${rules.join(', ')}: ${found}`
}

function join(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ')
}

/** All counts, as tables of name and number. */
export function summaryTable({
  counts,
  gate,
  svhcs,
  lists,
}: ReportSummary): { readonly title: string; readonly rows: readonly (readonly [string, number])[] }[] {
  const { reach } = counts
  return [
    {
      title: 'Rows',
      rows: [
        ['rows', counts.rows],
        ['declared', counts.declared],
        ['missing', counts.missing],
        ...(counts.assembly > 0
          ? [['assemblies, evaluated from their parts', counts.assembly] as const]
          : []),
        ['unreadable', counts.unreadable],
        ['superseded by newer declarations', counts.superseded],
        ['not on the parts list', counts.notListed],
        ...(counts.requests > 0 ? [['requests', counts.requests] as const] : []),
        ['files', counts.files],
      ],
    },
    { title: 'RoHS status', rows: Object.entries(counts.rohs) },
    {
      title: 'REACH Candidate List',
      rows: [
        ['with SVHC above 0.1 %', reach.withSvhc],
        ['without SVHC', reach.withoutSvhc],
        ...(reach.incomplete > 0 ? [['incomplete', reach.incomplete] as const] : []),
        ['not declared', reach.notDeclared],
      ],
    },
    { title: 'SVHCs by number of parts', rows: svhcs.map(({ name, parts }) => [name, parts] as const) },
    {
      title: 'Declared lists by number of parts',
      rows: lists.map(({ name, parts }) => [name, parts] as const),
    },
    ...(gate === undefined
      ? []
      : [{ title: gateLine(gate), rows: [['rows matched', gate.matched] as const] }]),
  ]
}
