import { escapeUnsafe } from '../../base/clean-text.ts'
import { tidy } from '../../compliance/quantity.ts'
import { type ReachStatus, worstReach } from '../../compliance/reach.ts'
import { type RohsStatus, worstRohs } from '../../compliance/rohs.ts'
import { type Bom, nameIn } from '../../parts/bom.ts'
import { type AssemblyLine, MOST_LISTED, type Rollup } from '../report-result.ts'
import { addExemption, type FactsOf, type PartSummary, type RollupExemption } from './rollup-facts.ts'
import { assemblyMasses, productMass, productPieces } from './rollup-mass.ts'

/**
 * The summary of a whole product: the worst status, exemptions and SVHCs with their parts, parts without data, and the mass where
 * everything is known. An assembly is judged by its parts, and by its own declaration beside them where it has one; its own mass is
 * not counted. Files that could not be read may be about any part: with one, nothing is better than incomplete.
 */
export function rollUp(bom: Bom, facts: FactsOf, unreadable: number): Rollup {
  const all = new Set([bom.top, ...bom.assemblies.values()].flatMap((pieces) => [...pieces.keys()]))
  const { assemblies } = bom
  const isLeaf = (part: string): boolean => !assemblies.has(part)
  const leaves = [...all].filter(isLeaf).sort(byText)
  const declared = [...assemblies.keys()].filter((part) => facts(part) !== undefined).sort(byText)
  const judged = [...leaves, ...declared]
  const statusOf = (part: string): RohsStatus => facts(part)?.rohs ?? 'not declared'
  const withStatus = (status: RohsStatus): readonly string[] =>
    judged.filter((part) => statusOf(part) === status)
  const unstated = leaves.filter((part) => statusOf(part) === 'not declared')
  const missing = unstated.filter((part) => facts(part) === undefined).length
  const pieces = productPieces(bom)
  return {
    rohs: statusOfAll(judged, statusOf, isLeaf, unreadable),
    parts: leaves.length,
    pieces: sum(leaves.map((part) => pieces.get(part))),
    statuses: countStatuses(leaves, statusOf),
    leftOut: bom.leftOut,
    notCompliant: listed(withStatus('not compliant')),
    incomplete: listed(withStatus('incomplete')),
    withoutData: {
      parts: unstated.slice(0, MOST_LISTED).map((part) => ({
        part: nameIn(bom, part),
        reason: facts(part) === undefined ? 'missing' : 'not declared',
      })),
      missing,
      notDeclared: unstated.length - missing,
      unreadable,
    },
    exemptions: exemptionsIn(judged, facts),
    svhcs: svhcsIn(judged, facts),
    reach: countReach(leaves, declared, facts, unreadable),
    mass: productMass(bom, leaves, pieces, facts),
    assemblies: {
      count: assemblies.size,
      declared: declared.length,
      flattened: bom.flattened ?? null,
      lines: assemblyLines(bom, facts, pieces),
    },
  }
}

/** An assembly that declares nothing about RoHS is judged by its parts alone. */
function statusOfAll(
  judged: readonly string[],
  statusOf: (part: string) => RohsStatus,
  isLeaf: (part: string) => boolean,
  unreadable: number,
): RohsStatus {
  const statuses = judged.filter((part) => isLeaf(part) || statusOf(part) !== 'not declared').map(statusOf)
  return worstRohs(unreadable > 0 ? [...statuses, 'incomplete'] : statuses)
}

function assemblyLines(
  bom: Bom,
  facts: FactsOf,
  pieces: ReadonlyMap<string, number | undefined>,
): readonly AssemblyLine[] {
  const masses = assemblyMasses(bom, facts)
  const isLeaf = (part: string): boolean => !bom.assemblies.has(part)
  const statusOf = (part: string): RohsStatus => facts(part)?.rohs ?? 'not declared'
  return [...bom.assemblies.keys()].slice(0, MOST_LISTED).map((assembly) => {
    const inside = partsIn(bom, assembly)
    const leaves = inside.filter(isLeaf)
    const judged = inside.filter((part) => isLeaf(part) || facts(part) !== undefined)
    return {
      part: nameIn(bom, assembly),
      declared: facts(assembly) !== undefined,
      quantity: tidied(pieces.get(assembly)),
      rohs: statusOfAll(judged, statusOf, isLeaf, 0),
      parts: leaves.length,
      withoutData: leaves.filter((part) => statusOf(part) === 'not declared').length,
      withSvhc: judged.filter((part) => hasSvhc(facts(part))).length,
      massMg: tidied(masses.get(assembly)),
    }
  })
}

/** The assembly and everything in it, each once. */
function partsIn({ assemblies }: Bom, assembly: string): readonly string[] {
  const found = new Set([assembly])
  for (const part of found) for (const inner of assemblies.get(part)?.keys() ?? []) found.add(inner)
  return [...found]
}

function exemptionsIn(parts: readonly string[], facts: FactsOf): Rollup['exemptions'] {
  const users = new Map<string, string[]>()
  const known = new Map<string, RollupExemption>()
  for (const part of parts) {
    for (const exemption of facts(part)?.exemptions.values() ?? []) {
      push(users, exemption.identity, part)
      addExemption(known, exemption)
    }
  }
  return [...known.values()]
    .map(({ identity, expires, status }) => ({
      exemption: identity,
      expires: expires === '' ? null : expires,
      status,
      ...listed(users.get(identity)!),
    }))
    .sort((a, b) => byText(a.expires ?? '9999', b.expires ?? '9999') || byText(a.exemption, b.exemption))
    .slice(0, MOST_LISTED)
}

function svhcsIn(parts: readonly string[], facts: FactsOf): Rollup['svhcs'] {
  const users = new Map<string, string[]>()
  for (const part of parts) for (const name of facts(part)?.svhcs ?? []) push(users, name, part)
  return [...users]
    .map(([substance, used]) => {
      const { parts: first, count } = listed(used)
      return { substance, parts: first, count }
    })
    .sort((a, b) => b.count - a.count || byText(a.substance, b.substance))
    .slice(0, MOST_LISTED)
}

function countReach(
  parts: readonly string[],
  assemblies: readonly string[],
  facts: FactsOf,
  unreadable: number,
): Rollup['reach'] {
  const statuses = parts.map((part): ReachStatus => facts(part)?.reach ?? 'not declared')
  const others = assemblies.map((part) => facts(part)!.reach).filter((status) => status !== 'not declared')
  const count = (wanted: ReachStatus): number => statuses.filter((status) => status === wanted).length
  return {
    status: worstReach([...statuses, ...others, ...(unreadable > 0 ? (['incomplete'] as const) : [])]),
    withSvhc: count('SVHC'),
    withoutSvhc: count('no SVHC'),
    incomplete: count('incomplete'),
    notDeclared: count('not declared'),
  }
}

function countStatuses(
  parts: readonly string[],
  statusOf: (part: string) => RohsStatus,
): Record<string, number> {
  const counts: Partial<Record<RohsStatus, number>> = {}
  for (const part of parts) counts[statusOf(part)] = (counts[statusOf(part)] ?? 0) + 1
  return counts
}

function hasSvhc(facts: PartSummary | undefined): boolean {
  return facts !== undefined && facts.svhcs.size > 0
}

function listed(parts: readonly string[]): { readonly parts: readonly string[]; readonly count: number } {
  return { parts: parts.slice(0, MOST_LISTED).map(escapeUnsafe), count: parts.length }
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

function sum(numbers: readonly (number | undefined)[]): number | null {
  let total = 0
  for (const number of numbers) {
    if (number === undefined) return null
    total += number
  }
  return tidy(total)
}

function tidied(value: number | undefined): number | null {
  return value === undefined ? null : tidy(value)
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
