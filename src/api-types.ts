import type { FailureKind } from './base/failure.ts'

/** A line of the log: `event` is a stable id such as `request.retry`; further fields depend on it. */
export interface LogEvent {
  /** RFC 3339, UTC. */
  readonly time: string
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'trace'
  readonly event: string
  readonly message: string
  readonly [field: string]: unknown
}

/** What a failed command gives; facts that were known by then stand beside the error. */
export interface ErrorResult {
  readonly schema: string
  readonly status: 'failed'
  readonly error: {
    readonly code: FailureKind
    readonly exitCode: number
    readonly message: string
    readonly hint?: string
    readonly httpStatus?: number
    /** Several mistakes told at once. */
    readonly problems?: readonly string[]
    readonly [detail: string]: unknown
  }
  readonly [fact: string]: unknown
}

/** An entry of an archive. */
export interface Entry {
  readonly name: string
  readonly folder: boolean
  readonly bytes: number
  readonly packedBytes: number
  /** RFC 3339, or null. */
  readonly modified: string | null
  /** Eight hexadecimal digits. */
  readonly crc32: string
  readonly method: string
}

export interface DownloadResult {
  readonly schema: 'matdecl.download/1'
  readonly status: 'ok' | 'empty' | 'partial' | 'skipped'
  readonly request: Readonly<Record<string, unknown>>
  readonly plan: { readonly requests: number; readonly parts: number }
  readonly requests: readonly {
    readonly parts: readonly string[]
    readonly status: number
    readonly attempts: number
    readonly bytes: number
    readonly seconds: number
    readonly sha256?: string
    readonly [fact: string]: unknown
  }[]
  readonly archive: {
    readonly path: string
    readonly bytes: number
    readonly sha256: string
    readonly entries: number
  } | null
  /** With `list`. */
  readonly entries?: readonly Entry[]
  readonly extracted: { readonly path: string; readonly files: number; readonly bytes: number } | null
  readonly report: Readonly<Record<string, unknown>> | null
  /** How many parts were asked for and found; with parts and without `noReconcile`, as the following. */
  readonly foundParts?: number
  readonly missingParts?: readonly string[]
  readonly unknownParts?: readonly string[]
  readonly rateLimit: Readonly<Record<string, number>> | null
  readonly startedAt: string
  readonly finishedAt: string
  readonly [fact: string]: unknown
}

export interface VerifyResult {
  readonly schema: 'matdecl.verify/1'
  readonly status: 'ok'
  readonly archives: readonly {
    readonly path: string
    readonly status: 'ok'
    readonly bytes: number
    readonly unpackedBytes: number
    readonly entries: number
    readonly [fact: string]: unknown
  }[]
}

export interface ExtractResult {
  readonly schema: 'matdecl.extract/1'
  readonly status: 'ok'
  readonly archive: string
  readonly extracted: { readonly path: string; readonly files: number; readonly bytes: number }
}

/** One part. Several values in one text are joined by `; `. */
export interface ReportRow {
  readonly part: string
  readonly requester_part: string
  readonly name: string
  readonly supplier: string
  readonly company_id: string
  readonly date: string
  readonly standard: string
  readonly classes: string
  readonly rohs: string
  readonly exemptions: string
  readonly rohs_list: string
  /** Null, not 0, where no REACH list was declared. */
  readonly svhc_count: number | null
  readonly svhc: string
  readonly reach_list: string
  readonly mass_mg: number | null
  readonly declared_percent: number | null
  readonly status: 'declared' | 'missing' | 'unreadable'
  readonly note: string
  readonly source: string
}

export interface ReportResult {
  readonly schema: 'matdecl.report/1'
  readonly status: 'ok'
  /** The rows; with `substances` those of the substance table. Absent with `output`. */
  readonly rows?: readonly ReportRow[]
  readonly columns?: readonly string[]
  readonly counts: Readonly<Record<string, unknown>>
  readonly [fact: string]: unknown
}
