import canonicalJson from 'canonicalize'
import { crcText } from '../archive/entry.ts'
import type { Criteria } from '../request/request.ts'
import type { Account } from './accounting.ts'
import type { Download } from './download.ts'
import type { DownloadResult, Manifest } from './download-result.ts'

/** The criteria in results: with the names of the interface, without absent ones. */
export function requestCriteria(
  baseUrl: string,
  { api, query, ...others }: Criteria,
): Omit<Manifest['request'], 'parts'> {
  return {
    api,
    baseUrl,
    ...others,
    query: query?.length ? Object.fromEntries(query) : undefined,
  }
}

/** The part counts in results: empty lists without parts, and nothing when accounting is off. */
export function accountFields(
  account: Account | undefined,
  partCount: number,
): Pick<DownloadResult, 'foundParts' | 'missingParts' | 'unknownParts' | 'nearParts'> {
  if (account === undefined)
    return partCount === 0 ? { foundParts: 0, missingParts: [], unknownParts: [], nearParts: [] } : {}
  const { foundCount, missing, unknown, near } = account
  return { foundParts: foundCount, missingParts: missing, unknownParts: unknown, nearParts: near }
}

/** Facts for a manifest besides the download. */
export interface ManifestFacts {
  readonly tool: string
  readonly baseUrl: string
  readonly criteria: Criteria
  readonly parts: readonly string[]
  readonly startedAtMs: number
  readonly finishedAtMs: number
}

/**
 * The evidence of a run: the request, the status and size of each response, the archive's SHA-256, each entry's CRC-32 and size.
 * Only `run` differs between two runs with the same responses.
 */
export function manifestOf(
  { output, archive, account, requests, serverDateMs }: Download,
  { tool, baseUrl, criteria, parts, startedAtMs, finishedAtMs }: ManifestFacts,
): Manifest {
  return {
    schema: 'matdecl.manifest/1',
    tool,
    request: { ...requestCriteria(baseUrl, criteria), parts },
    archive:
      archive === undefined
        ? null
        : {
            name: output.shown,
            bytes: archive.bytes,
            sha256: archive.sha256,
            entries: archive.entries.map(({ name, bytes, crc32 }) => ({
              name,
              bytes,
              crc32: crcText(crc32),
            })),
          },
    ...(account === undefined ? {} : accountFields(account, parts.length)),
    requests: requests.map((request) => ({
      parts: request.parts.length,
      status: request.status ?? null,
      bytes: request.bytes,
      sha256: request.sha256 ?? null,
      error: request.error,
    })),
    run: {
      startedAt: isoTime(startedAtMs),
      finishedAt: isoTime(finishedAtMs),
      serverDate: serverDateMs === undefined ? null : isoTime(serverDateMs),
      requests: requests.map(({ attempts, seconds }) => ({ attempts, seconds: roundSeconds(seconds) })),
    },
  }
}

// The types of the package describe an ES module, and it is a CommonJS module.
const canonical = canonicalJson as unknown as (value: unknown) => string | undefined

/**
 * The canonical form of a manifest (RFC 8785: sorted keys, no whitespace, no line break at the end), so that the same facts have the
 * same hash.
 */
export function manifestText(manifest: unknown): string {
  // Fields that are undefined are left out, as in other JSON.
  return canonical(manifest) ?? ''
}

/** A moment in RFC 3339, UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Seconds, to the millisecond. */
export function roundSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}
