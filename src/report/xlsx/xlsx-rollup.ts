import { toneOf } from '../html/html-tones.ts'
import { formatMass } from '../rollup/rollup-lines.ts'
import type { Rollup } from '../rollup/rollup-result.ts'
import type { NoteLine } from './xlsx-notes.ts'

/** Parts, exemptions, substances or assemblies that are named. */
const NAMED = 20
const LINES = 50

/** The product as lines of a sheet: what to know about it first, then why. */
export function rollupLinesOf(rollup: Rollup): readonly NoteLine[] {
  const { rohs, parts, pieces, notCompliant, incomplete, withoutData, exemptions, svhcs, mass } = rollup
  const silent = withoutData.missing + withoutData.notDeclared
  const heading = (...titles: string[]): NoteLine => titles.map((value) => ({ value, style: 'heading' }))
  return [
    heading('Product', '', ''),
    ['RoHS status of the product', { value: rohs, style: toneOf(rohs) }],
    ['different parts', parts],
    ['pieces', pieces ?? 'not all quantities are known'],
    ...(notCompliant.count === 0
      ? []
      : [['not compliant', notCompliant.count, named(notCompliant.parts, notCompliant.count)]]),
    ...(incomplete.count === 0
      ? []
      : [['incomplete', incomplete.count, named(incomplete.parts, incomplete.count)]]),
    ...(silent === 0
      ? []
      : [
          [
            'without a RoHS statement',
            silent,
            named(
              withoutData.parts.map(({ part }) => part),
              silent,
            ),
          ],
        ]),
    ...(withoutData.unreadable === 0
      ? []
      : [['files that cannot be read', withoutData.unreadable, 'may be about any of the parts']]),
    ['with SVHC above 0.1 %', rollup.reach.withSvhc],
    ['without a REACH statement', rollup.reach.notDeclared],
    ['mass', ...massCells(mass)],
    ...(exemptions.length === 0
      ? []
      : [[], heading('Exemptions of the product', 'Parts', 'What is known', 'Earliest date')]),
    ...exemptions
      .slice(0, LINES)
      .map(
        ({ exemption, expires, status, parts: users, count }): NoteLine => [
          { value: exemption, kind: 'code' },
          named(users, count),
          status,
          { value: expires ?? 'no date known', kind: 'day' },
        ],
      ),
    ...more(exemptions.length, 'exemptions'),
    ...(svhcs.length === 0 ? [] : [[], heading('SVHCs of the product', 'Parts')]),
    ...svhcs
      .slice(0, LINES)
      .map(({ substance, parts: users, count }): NoteLine => [substance, named(users, count)]),
    ...more(svhcs.length, 'SVHCs'),
    ...assemblyLines(rollup.assemblies, heading),
    [],
  ]
}

function massCells({ mg, knownMg, unknown, unknownCount }: Rollup['mass']): NoteLine {
  if (mg !== null) return [formatMass(mg)]
  const names = unknown.map(({ part, reason }) => `${part}: ${reason}`)
  return ['no total', `${formatMass(knownMg)} known; unknown: ${named(names, unknownCount)}`]
}

function assemblyLines(
  { count, flattened, lines }: Rollup['assemblies'],
  heading: (...titles: string[]) => NoteLine,
): readonly NoteLine[] {
  if (flattened !== null) return [['assemblies', 'none', flattened]]
  if (count === 0) return []
  return [
    [],
    heading('Assemblies', 'RoHS', 'What is in it', 'Quantity'),
    ...lines
      .slice(0, LINES)
      .map(({ part, rohs, quantity, parts, withoutData, withSvhc, massMg }): NoteLine => {
        const facts = [
          `${parts} different parts`,
          ...(withoutData > 0 ? [`${withoutData} without data`] : []),
          ...(withSvhc > 0 ? [`${withSvhc} with SVHC`] : []),
          ...(massMg === null ? [] : [`${formatMass(massMg)} each`]),
        ]
        return [
          { value: part, kind: 'code' },
          { value: rohs, style: toneOf(rohs) },
          facts.join(', '),
          quantity ?? 'unknown',
        ]
      }),
    ...more(count, 'assemblies'),
  ]
}

function more(count: number, what: string): readonly NoteLine[] {
  return count > LINES ? [[`and ${count - LINES} more ${what}`]] : []
}

function named(parts: readonly string[], count: number): string {
  const shown = parts.slice(0, NAMED).map((part) => part || 'a row without part number')
  const left = count - shown.length
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join(', ')
}
