import { formatCount, plural } from '../../base/units.ts'
import { DATE_PASSED } from '../../compliance/exemption-dates.ts'
import type { AssemblyLine, Rollup } from './rollup-result.ts'

/** Parts named in one line; all are in the JSON result. */
const NAMED = 5
/** Exemptions, substances or assemblies with a line each. */
const LINES = 10

/** A product in a few lines: status, exemptions, SVHCs, parts without data, mass, assemblies. */
export function rollupLines(rollup: Rollup): readonly string[] {
  const { rohs, parts, pieces, leftOut, notCompliant, incomplete, exemptions, svhcs, reach } = rollup
  const amount = pieces === null ? 'not all quantities are known' : `${formatNumber(pieces)} pieces`
  return [
    `Product: RoHS ${rohs}, REACH ${reach.status} (${plural(parts, 'part')}, ${amount})`,
    ...(leftOut === 0 ? [] : [`  left out: ${plural(leftOut, 'row')} not fitted or with quantity 0`]),
    ...partsLine('not compliant', notCompliant),
    ...partsLine('incomplete', incomplete),
    ...withoutData(rollup.withoutData),
    ...limited(exemptions, 'exemption', ({ exemption, expires, status, parts: users, count }) => {
      const date = expires === null ? 'no date known' : expires
      const passed = status.startsWith(DATE_PASSED) ? `: ${DATE_PASSED}` : ''
      return `  exemption ${exemption} (${date}${passed}): ${named(users, count)}`
    }),
    ...limited(svhcs, 'SVHC', ({ substance, parts: users, count }) => {
      return `  SVHC ${substance}: ${named(users, count)}`
    }),
    ...(reach.notDeclared > 0 ? [`  no REACH statement: ${plural(reach.notDeclared, 'part')}`] : []),
    `  mass: ${massText(rollup.mass)}`,
    ...assemblyLines(rollup.assemblies),
  ]
}

function partsLine(what: string, { parts, count }: Rollup['notCompliant']): readonly string[] {
  return count === 0 ? [] : [`  ${what}: ${named(parts, count)}`]
}

function withoutData({ parts, missing, notDeclared, unreadable }: Rollup['withoutData']): readonly string[] {
  const count = missing + notDeclared
  const kinds = [
    missing > 0 ? `${formatCount(missing)} missing` : '',
    notDeclared > 0 ? `${formatCount(notDeclared)} not declared` : '',
  ].filter((kind) => kind !== '')
  const names = parts.map(({ part }) => part)
  return [
    ...(count === 0 ? [] : [`  without data: ${named(names, count)} (${kinds.join(', ')})`]),
    ...(unreadable === 0
      ? []
      : [`  unreadable: ${plural(unreadable, 'file')}, which may be about any of the parts`]),
  ]
}

function massText({ mg, knownMg, unknown, unknownCount }: Rollup['mass']): string {
  if (mg !== null) return formatMass(mg)
  const [first] = unknown
  const more = unknownCount > 1 ? ` and ${formatCount(unknownCount - 1)} more` : ''
  const why = first === undefined ? '' : `: ${first.part} (${first.reason})${more}`
  return `no total (${formatMass(knownMg)} known)${why}`
}

function assemblyLines({ count, declared, flattened, lines }: Rollup['assemblies']): readonly string[] {
  if (flattened !== null) return [`  assemblies: none, ${flattened}`]
  if (count === 0) return []
  const judged = declared === 0 ? '' : `, ${formatCount(declared)} with their own declaration`
  return [
    `  ${plural(count, 'assembly', 'assemblies')}, evaluated from their parts${judged}:`,
    ...limited(lines, 'assembly', assemblyText, count),
  ]
}

function assemblyText({ part, quantity, rohs, withoutData: silent, withSvhc, massMg }: AssemblyLine): string {
  const facts = [
    `RoHS ${rohs}`,
    silent > 0 ? `${formatCount(silent)} without data` : '',
    withSvhc > 0 ? `${formatCount(withSvhc)} with SVHC` : '',
    massMg === null ? '' : `${formatMass(massMg)} each`,
  ]
  const times = quantity === null ? '' : ` × ${formatNumber(quantity)}`
  return `    ${part}${times}: ${facts.filter((fact) => fact !== '').join(', ')}`
}

function limited<T>(
  items: readonly T[],
  what: string,
  text: (item: T) => string,
  count = items.length,
): readonly string[] {
  const more = count - Math.min(items.length, LINES)
  const plurals = what === 'assembly' ? 'more assemblies' : `more ${what}s`
  return [
    ...items.slice(0, LINES).map(text),
    ...(more > 0 ? [`  and ${plural(more, `more ${what}`, plurals)}`] : []),
  ]
}

function named(parts: readonly string[], count: number): string {
  const first = parts.slice(0, NAMED).join(', ')
  return count > NAMED ? `${first} and ${formatCount(count - NAMED)} more` : first
}

/** `1,200`, `2.5`. */
export function formatNumber(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : String(value)
}

/** `12.5 g`: four significant digits in the unit that suits. */
export function formatMass(mg: number): string {
  const [value, unit] = mg >= 1e6 ? [mg / 1e6, 'kg'] : mg >= 1e3 ? [mg / 1e3, 'g'] : [mg, 'mg']
  return `${Number(value.toPrecision(4))} ${unit}`
}
