import { createHash } from 'node:crypto'
import canonicalJson from 'canonicalize'
import type { ArchiveDifference } from '../archive/archive-results.ts'
import { type ArchiveEntry, crcText } from '../archive/entry.ts'
import { MAX_SHOWN } from '../archive/problem.ts'
import type { VerifiedArchive } from '../archive/verify-archive.ts'
import { escapeUnsafe } from '../base/clean-text.ts'
import { smallest } from '../base/extremes.ts'
import { Failure } from '../base/failure.ts'
import { parseJson, repeatedKey } from '../base/json-text.ts'
import { formatCount, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { hashFile } from '../fs/file-hash.ts'
import { readSmallText } from '../fs/input-file.ts'
import { absolutePath } from '../fs/output-target.ts'
import type { Criteria } from '../request/request.ts'
import type { AccountedParts } from './accounting.ts'
import type { Download } from './download.ts'
import type { DownloadResult, Manifest } from './download-result.ts'
import type { RequestResult } from './send-requests.ts'

/** The criteria in results: with the names of the interface, without absent ones. */
export function criteriaResult(
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
  account: AccountedParts | undefined,
  partCount: number,
): Pick<DownloadResult, 'foundParts' | 'missingParts' | 'unknownParts' | 'nearParts'> {
  if (account === undefined)
    return partCount === 0 ? { foundParts: 0, missingParts: [], unknownParts: [], nearParts: [] } : {}
  const { foundCount, missing, unknown, near } = account
  return { foundParts: foundCount, missingParts: missing, unknownParts: unknown, nearParts: near }
}

/** Facts for a manifest besides the download. */
interface ManifestFacts {
  readonly tool: string
  readonly isSandbox: boolean
  readonly baseUrl: string
  readonly parts: readonly string[]
  readonly startedAtMs: number
  readonly finishedAtMs: number
}

/**
 * The evidence of a run: the request, the status and size of each response, the archive's SHA-256, each entry's CRC-32 and size.
 * Only `run` differs between two runs with the same responses.
 */
export function manifestOf(
  { output, archive, account, requests, criteria }: Download,
  { tool, isSandbox, baseUrl, parts, startedAtMs, finishedAtMs }: ManifestFacts,
): Manifest {
  const dates = requests.flatMap(({ answer }) => answer?.date ?? [])
  return {
    schema: 'matdecl.manifest/1',
    tool,
    ...(isSandbox && { sandbox: true }),
    request: { ...criteriaResult(baseUrl, criteria), parts },
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
      error: requestError(request),
    })),
    run: {
      startedAt: isoTime(startedAtMs),
      finishedAt: isoTime(finishedAtMs),
      serverDate: dates.length === 0 ? null : isoTime(smallest(dates)),
      requests: requests.map(({ attempts, seconds }) => ({ attempts, seconds: roundSeconds(seconds) })),
    },
  }
}

/** What came of a request, as results have it. */
export function requestFields(request: RequestResult) {
  const { parts, status, attempts, bytes, seconds, sha256 } = request
  return {
    parts,
    status: status ?? null,
    attempts,
    bytes,
    seconds: roundSeconds(seconds),
    sha256: sha256 ?? null,
    error: requestError(request),
  }
}

/** Why a request failed, for programs. */
function requestError({ error }: RequestResult): Manifest['requests'][number]['error'] {
  return error && { code: error.kind, message: error.message }
}

// The types of the package describe an ES module, but it is a CommonJS module.
const canonical = canonicalJson as unknown as (value: unknown) => string | undefined

/**
 * The canonical form of a manifest (RFC 8785: sorted keys, no whitespace, no line break at the end), so that the same facts have the
 * same hash.
 */
export function manifestText(manifest: unknown): string {
  // Fields that are undefined are left out, as in other JSON.
  return canonical(manifest) ?? ''
}

/** The content of the file of a manifest: its canonical form without secrets, with a checksum. */
export function manifestFile(manifest: Manifest, redact: (text: string) => string): string {
  const shown = JSON.parse(redact(manifestText(manifest))) as Manifest
  return manifestText({ ...shown, run: { ...shown.run, checksum: checksumOf(shown) } })
}

/** SHA-256 of the canonical form of a manifest without its checksum. */
function checksumOf(manifest: Manifest): string {
  const { checksum: _, ...run } = manifest.run
  return sha256Of({ ...manifest, run })
}

function sha256Of(manifest: unknown): string {
  return createHash('sha256').update(manifestText(manifest)).digest('hex')
}

/** A moment in RFC 3339, UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Seconds, to the millisecond. */
function roundSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

// The manifest of 200,000 entries with names of 200 bytes is smaller.
const LARGEST_BYTES = 64 * 1024 * 1024

/** A manifest that was read. */
export interface ReadManifest {
  readonly path: string
  readonly manifest: Manifest
  /** SHA-256 of its canonical form: of the file as it was written, also when it was formatted again. */
  readonly sha256: string
}

/** Reads the manifest of a download, at most 64 MiB. Throws `usage` when there is none, and `io` when it cannot be read. */
export async function readManifest(world: World, path: string): Promise<ReadManifest> {
  const source = { path: escapeUnsafe(path), absolute: absolutePath(world.cwd, path) }
  const { text } = await readSmallText(world, source, LARGEST_BYTES)
  const json = parseJson(text)
  if ('problem' in json) {
    const { line, message } = json.problem
    throw notAManifest(path, `is not JSON: line ${line}: ${message}`)
  }
  // The schemas need all of zod, which a download does not.
  const { manifest } = await import('./download-result.ts')
  const parsed = manifest.safeParse(json.value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue!.path.join('.')
    throw notAManifest(
      path,
      `is not a manifest of a download: ${where === '' ? '' : `${where}: `}${issue!.message}`,
    )
  }
  const names = parsed.data.archive?.entries.map(({ name }) => name) ?? []
  if (new Set(names).size < names.length) throw notAManifest(path, 'has two entries of the same name')
  requireUndamaged(path, text, json.value as Manifest, parsed.data)
  return { path, manifest: parsed.data, sha256: sha256Of(json.value) }
}

/** Throws `archive` when a manifest is not as it was written. One of a program that writes no checksum has no other fields than these. */
function requireUndamaged(path: string, text: string, written: Manifest, known: Manifest): void {
  if (isAsWritten(text, written, known)) return
  throw new Failure('archive', escapeUnsafe(`${path} was changed after the download wrote it`), {
    hint: 'restore it from a copy: nothing in it can be relied on',
    options: ['manifest'],
    file: path,
  })
}

function isAsWritten(text: string, written: Manifest, known: Manifest): boolean {
  const { checksum } = known.run
  try {
    const isWhole =
      checksum === undefined
        ? manifestText(written) === manifestText(known)
        : checksum === checksumOf(written)
    // What a reader takes of a key that stands twice, the checksum is not about.
    return isWhole && repeatedKey(text) === undefined
  } catch (error) {
    // Nested more deeply than anything that a download writes: the stack overflows.
    if (error instanceof RangeError) return false
    throw error
  }
}

function notAManifest(path: string, problem: string): Failure {
  return new Failure('usage', escapeUnsafe(`${path} ${problem}`), {
    hint: 'name the file that the download wrote',
    options: ['manifest'],
    file: path,
  })
}

/** What differs, and the `archive` Failure that says so. */
export interface ManifestMismatch {
  readonly differences: readonly ArchiveDifference[]
  readonly failure: Failure
}

/** Compares a verified archive with its manifest: size, SHA-256, each entry's name, size and CRC-32. Undefined when they agree. */
export async function compareManifest(
  world: World,
  { path: manifestPath, manifest: { archive: recorded } }: ReadManifest,
  { path, bytes, entries }: VerifiedArchive,
): Promise<ManifestMismatch | undefined> {
  const failed = (problem: string, problems: readonly string[]): Failure =>
    new Failure(
      'archive',
      `${escapeUnsafe(path)}: does not match ${escapeUnsafe(manifestPath)}: ${problem}`,
      {
        hint: 'make sure that this is the manifest of the archive; restore a matching copy, or download it again',
        file: path,
        problems,
      },
    )
  if (recorded === null) {
    return { differences: [], failure: failed('it describes a download without an archive', []) }
  }
  const sha256 = await hashFile(world, absolutePath(world.cwd, path), bytes)
  const differences = archiveDifferences(recorded, { bytes, sha256, entries })
  if (differences.length === 0) return undefined
  const problems = differences.slice(0, MAX_SHOWN).map(describeDifference)
  const rest = differences.length - problems.length
  if (rest > 0) problems.push(`and ${plural(rest, 'more difference')}`)
  const summary = differences.length === 1 ? problems[0]! : plural(differences.length, 'difference')
  return { differences, failure: failed(summary, problems) }
}

type RecordedArchive = Pick<NonNullable<Manifest['archive']>, 'bytes' | 'sha256' | 'entries'>

/** An archive as it is now. */
interface FoundArchive {
  readonly bytes: number
  readonly sha256: string
  readonly entries: readonly Pick<ArchiveEntry, 'name' | 'bytes' | 'crc32'>[]
}

/**
 * Every difference between an archive and what was recorded of it: of the file first, then of entries in the order of the archive, then
 * missing entries in the order of the record.
 */
export function archiveDifferences(recorded: RecordedArchive, found: FoundArchive): ArchiveDifference[] {
  const differences: ArchiveDifference[] = [
    ...fieldChanged('bytes', recorded.bytes, found.bytes),
    ...fieldChanged('sha256', recorded.sha256.toLowerCase(), found.sha256),
  ]
  const missing = new Map(recorded.entries.map((entry) => [entry.name, entry]))
  for (const { name, bytes, crc32 } of found.entries) {
    const entry = missing.get(name)
    missing.delete(name)
    if (entry === undefined) differences.push({ kind: 'added', entry: name })
    else {
      const fields = [
        ...fieldChanged('bytes', entry.bytes, bytes),
        ...fieldChanged('crc32', entry.crc32.toLowerCase(), crcText(crc32)),
      ]
      for (const field of fields) differences.push({ ...field, entry: name })
    }
  }
  for (const name of missing.keys()) differences.push({ kind: 'missing', entry: name })
  return differences
}

function fieldChanged<T extends string | number>(
  field: NonNullable<ArchiveDifference['field']>,
  expected: T,
  found: T,
): ArchiveDifference[] {
  return expected === found ? [] : [{ kind: 'changed', field, expected, found }]
}

/** `"a.xml": changed, its size is 5 bytes and was 4`, safe for a terminal. */
export function describeDifference({ kind, entry, field, expected, found }: ArchiveDifference): string {
  const subject = entry === undefined ? 'the archive' : `"${escapeUnsafe(entry)}"`
  if (kind === 'added') return `${subject}: added`
  if (kind === 'missing') return `${subject}: missing`
  const values =
    field === 'bytes'
      ? `size is ${plural(Number(found), 'byte')} and was ${formatCount(Number(expected))}`
      : `${field === 'sha256' ? 'SHA-256' : 'CRC-32'} is ${found} and was ${escapeUnsafe(String(expected))}`
  return `${subject}: changed, its ${values}`
}
