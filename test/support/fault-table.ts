import { expect, test } from 'vitest'
import type { FailureKind } from '../../src/base/failure.ts'
import { ARCHIVE, type Fetching, fetching, TOKEN } from './fetching.ts'
import { type RawHandler, type RawServer, rawServer } from './raw-server.ts'

/** A fault of a server, and the expected outcome. */
export interface FaultRow {
  /** The title of the test. */
  readonly title: string
  readonly serve: RawHandler
  /** An archive on disk, nothing to save, or a failure of this kind. */
  readonly ends: 'saved' | 'empty' | FailureKind
  /** The number of requests that reach the server. */
  readonly requests: number
  /** Patterns that notices, message or hint match. */
  readonly says?: RegExp | readonly RegExp[]
  readonly status?: number
  /** How many bytes of the body a later run can continue; none unless given. */
  readonly keeps?: number
  readonly options?: Parameters<typeof fetching>[1]
  readonly also?: (run: Fetching, server: RawServer) => void | Promise<void>
}

/** One test for each row. After a failure there is no file but a body that a later run can continue, after a success the exact bytes; no output has the token. */
export function testFaults(rows: readonly FaultRow[]): void {
  test.each(rows.map((row) => [row.title, row] as const))('%s', async (_, row) => {
    const server = await rawServer(row.serve)
    try {
      const run = await fetching(server.url, row.options)
      expect(run.failure?.kind ?? (run.got?.archive === undefined ? 'empty' : 'saved'), run.words).toBe(
        row.ends,
      )
      expect(server.requests.length, run.words).toBe(row.requests)
      if (row.ends === 'saved') {
        expect(run.files).toEqual(['body.zip'])
        expect(run.bytes?.equals(ARCHIVE)).toBe(true)
      } else {
        expect(run.kept, run.words).toBe(row.keeps ?? 0)
        expect(run.files).toEqual(run.kept === 0 ? [] : ['body.zip'])
      }
      for (const pattern of [row.says ?? []].flat()) expect(run.words).toMatch(pattern)
      if (row.status !== undefined) expect(run.failure?.details.httpStatus).toBe(row.status)
      expect(run.words).not.toContain(TOKEN)
      expect(run.words).toBe(withoutControls(run.words))
      await row.also?.(run, server)
    } finally {
      await server.close()
    }
  })
}

function withoutControls(text: string): string {
  return text.replace(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '')
}
