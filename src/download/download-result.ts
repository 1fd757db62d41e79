import type { Criteria } from '../request/request.ts'

/** What became of one request, for the JSON result and the manifest. */
export interface RequestResult {
  readonly parts: readonly string[]
  /** The last answer's status; undefined when none came. */
  readonly status: number | undefined
  readonly attempts: number
  readonly bytes: number
  readonly seconds: number
  readonly sha256: string | undefined
  /** Why it failed for good, where `--allow-partial` went on without it. */
  readonly error?: { readonly code: string; readonly message: string }
}

/** The criteria as results show them: the interface's own names, absent ones left out. */
export function requestFacts(
  baseUrl: string,
  criteria: Criteria,
  parts: number,
): Readonly<Record<string, unknown>> {
  return {
    api: criteria.api,
    baseUrl,
    format: criteria.format,
    formatClass: criteria.formatClass,
    supplier: criteria.supplier,
    parts,
    startDate: criteria.startDate,
    query: criteria.query?.length ? Object.fromEntries(criteria.query) : undefined,
  }
}

/** One entry's line of evidence. */
export interface EntryEvidence {
  readonly name: string
  readonly bytes: number
  readonly crc32: string
}

/** Everything the evidence of a run tells. What differs between two runs of the same answers stands under `run` alone. */
export interface ManifestFacts {
  readonly version: string
  readonly request: Readonly<Record<string, unknown>>
  readonly parts: readonly string[]
  readonly requests: readonly RequestResult[]
  readonly archive:
    | {
        readonly name: string
        readonly bytes: number
        readonly sha256: string
        readonly entries: readonly EntryEvidence[]
      }
    | undefined
  readonly accounting: Readonly<Record<string, unknown>> | undefined
  readonly startedAtMs: number
  readonly finishedAtMs: number
  readonly serverDateMs: number | undefined
}

/** The evidence (`--manifest`): the request, each answer's status and size, the archive's SHA-256, each entry's CRC-32 and size. */
export function manifestObject(facts: ManifestFacts): Readonly<Record<string, unknown>> {
  return {
    schema: 'matdecl.manifest/1',
    tool: `matdecl ${facts.version}`,
    request: { ...facts.request, parts: facts.parts },
    archive: facts.archive ?? null,
    ...facts.accounting,
    requests: facts.requests.map(({ parts, status, bytes, sha256, error }) => ({
      parts: parts.length,
      status: status ?? null,
      bytes,
      sha256: sha256 ?? null,
      ...(error === undefined ? {} : { error }),
    })),
    run: {
      startedAt: isoTime(facts.startedAtMs),
      finishedAt: isoTime(facts.finishedAtMs),
      serverDate: facts.serverDateMs === undefined ? null : isoTime(facts.serverDateMs),
      requests: facts.requests.map(({ attempts, seconds }) => ({
        attempts,
        seconds: Math.round(seconds * 1000) / 1000,
      })),
    },
  }
}

/** A moment in RFC 3339, UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
