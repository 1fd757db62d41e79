import { createHash } from 'node:crypto'
import type { Criteria, PartGroup } from './request.ts'

/** The search of a run, before it is split into requests. */
interface SearchFacts {
  readonly baseUrl: string
  readonly criteria: Criteria
  readonly groups: readonly PartGroup[]
}

/**
 * Fingerprint of a search: base URL, criteria, parts in their order with their start dates. Independent of batching, rate, output
 * and secrets. SHA-256 in hex.
 */
export function requestFingerprint({ baseUrl, criteria, groups }: SearchFacts): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify(['matdecl.request/1', ...criteriaFacts(baseUrl, criteria)]))
  for (const { startDate, parts } of groups) {
    hash.update(JSON.stringify([startDate ?? null, parts.length]))
    for (let from = 0; from < parts.length; from += 10_000) {
      hash.update(JSON.stringify(parts.slice(from, from + 10_000)))
    }
  }
  return hash.digest('hex')
}

/**
 * Fingerprint of the criteria of a search: base URL, criteria and whether parts are listed, without the parts themselves, which may
 * change between runs, and the start date. SHA-256 in hex.
 */
export function searchFingerprint(baseUrl: string, criteria: Criteria, hasParts: boolean): string {
  const facts = ['matdecl.watch/1', ...criteriaFacts(baseUrl, criteria), hasParts]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

function criteriaFacts(baseUrl: string, criteria: Criteria): unknown[] {
  const { api, format, formatClass, supplier, startDate: _, query, ...newer } = criteria
  const facts = [baseUrl, api, format, formatClass ?? null, supplier ?? null, query ?? []]
  // A newer parameter counts only where it is given, so that the fingerprints of older searches stay the same.
  const given = Object.entries(newer).filter(([, value]) => value !== undefined)
  return given.length === 0 ? facts : [...facts, Object.fromEntries(given)]
}
