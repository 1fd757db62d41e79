import { readdir, readFile } from 'node:fs/promises'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { Failure, isFailure } from '../../src/base/failure.ts'
import { type Notice, type Progress, withOptions } from '../../src/base/notice.ts'
import { Secrets } from '../../src/base/redact.ts'
import { type Fetched, type FetchOptions, fetchArchive } from '../../src/download/fetch-archive.ts'
import type { RunContext } from '../../src/download/run-context.ts'
import { Admission } from '../../src/http/admission.ts'
import { openService, type Service, type ServiceOptions } from '../../src/http/service.ts'
import { IncomingResponse } from '../../src/library/incoming.ts'
import { realEvery, type TestWorld, testWorld, withFolder } from './world.ts'
import { zip } from './zip.ts'

export const TOKEN = 'tok-Zm9vYmFy.9f8e7d6c5b4a'

/** The archive that the servers of these tests serve: about 1,000 bytes. */
export const ARCHIVE: Buffer = zip([{ name: 'part.xml', data: Buffer.alloc(860, 'x'), method: 0 }])

/** The outcome of a fetch, with everything that tests check. */
export interface Fetching {
  readonly got: Fetched<string> | undefined
  readonly failure: Failure | undefined
  /** The bytes of the body, if it is there. */
  readonly bytes: Buffer | undefined
  /** Every name left in the directory, except for the note of the request, which the run removes. */
  readonly files: readonly string[]
  /** How many bytes a later run can continue. */
  readonly kept: number
  readonly notices: readonly Notice[]
  readonly world: TestWorld
  /** All output: notices, message, hint. */
  readonly words: string
}

type Options = Partial<Omit<ServiceOptions, 'reporter'>> &
  Partial<Pick<FetchOptions<string>, 'signal' | 'request' | 'verify'>> &
  Partial<Pick<RunContext, 'retries' | 'maxWaitMs'>> & {
    readonly maxBytes?: number
    /** Shared by several requests. */
    readonly admission?: Admission
    readonly world?: TestWorld
    readonly folder?: string
    /** The timeouts count real time. Otherwise the clock of the world counts them. */
    readonly hasSocketTimeouts?: boolean
    readonly onProgress?: (progress: Progress) => void
  }

/** One request through the real code against `baseUrl`, with short timeouts and a clock that does not wait. */
export async function fetching(baseUrl: string, options: Options = {}): Promise<Fetching> {
  return options.folder === undefined
    ? withFolder((folder) => fetchInto(folder, baseUrl, options))
    : fetchInto(options.folder, baseUrl, options)
}

async function fetchInto(folder: string, baseUrl: string, options: Options): Promise<Fetching> {
  const world = options.world ?? testWorld()
  try {
    return await withService(baseUrl, { ...options, world }, (_, fetchOne) => fetchOne(options, folder))
  } catch (error) {
    if (!isFailure(error)) throw error
    const words = `${error.message}\n${hintOf(error)}`
    return {
      got: undefined,
      failure: error,
      bytes: undefined,
      files: await readdir(folder),
      kept: 0,
      notices: [],
      world,
      words,
    }
  }
}

type FetchOne = (options?: Options, folder?: string) => Promise<Fetching>

/** A service, and sequential requests to it, each into its own directory unless one is given. */
export async function withService<T>(
  baseUrl: string,
  options: Options,
  body: (service: Service, fetchOne: FetchOne, notices: readonly Notice[]) => Promise<T>,
): Promise<T> {
  const given = options.world ?? testWorld()
  const world = options.hasSocketTimeouts ? { ...given, clock: { ...given.clock, every: realEvery } } : given
  const notices: Notice[] = []
  const reporter = {
    notice: (notice: Notice) => void notices.push(notice),
    progress: (progress: Progress) => options.onProgress?.(progress),
  }
  const service = await openService(world, {
    baseUrl,
    token: TOKEN,
    secrets: new Secrets(),
    userAgent: 'matdecl/0.0.0-test',
    connectTimeoutMs: 2_000,
    responseTimeoutMs: 120,
    stallTimeoutMs: 120,
    slowWindowMs: 400,
    reporter,
    ...options,
  })

  async function fetchOne(more: Options = {}, folder?: string): Promise<Fetching> {
    if (folder === undefined) return withFolder((fresh) => fetchOne(more, fresh))
    const search = { baseUrl, api: 'v2', format: '1752A' } as const
    const requested = { id: 'body', run: 'run', search, parts: ['A B'], listed: true }
    const incoming = new IncomingResponse(world.disk, folder, requested)
    const { retries = 2, maxWaitMs = 300_000, maxBytes = 1024 ** 3 } = more
    const limits = { ...DEFAULT_ARCHIVE_LIMITS, maxBytes }
    const admission =
      more.admission ?? new Admission(world, { ratePerMinute: 1_000, concurrency: 4, maxWaitMs: 300_000 })
    const admitted = admission.begin()
    let got: Fetched<string> | undefined
    let failure: Failure | undefined
    try {
      const context = { world, service, retries, maxWaitMs, limits }
      got = await fetchArchive(context, {
        request: request(baseUrl),
        incoming,
        verify: sameArchive,
        admitted,
        reporter,
        onAccepted: () => undefined,
        signal: new AbortController().signal,
        closing: new AbortController().signal,
        label: 'request 1',
        ...more,
      })
    } catch (error) {
      if (!isFailure(error)) throw error
      failure = error
    }
    admitted.over()
    await incoming.close()
    const files = (await readdir(folder)).filter((name) => name !== 'body.note')
    const said = [...notices.map(({ message }) => message), failure?.message, failure && hintOf(failure)]
    const bytes = files.includes('body.zip') ? await readFile(incoming.path) : undefined
    const { kept } = incoming
    return { got, failure, files, bytes, kept, notices, world, words: said.join('\n') }
  }

  try {
    return await body(service, fetchOne, notices)
  } finally {
    await service.close()
  }
}

/** The hint as printed by the command. */
function hintOf({ hint, details }: Failure): string {
  return withOptions(hint ?? '', details.options)
}

/** The v2 request for one part, as built by the tool. */
export function request(baseUrl: string): FetchOptions<string>['request'] {
  return {
    method: 'GET',
    url: `${baseUrl}/v2/download?format=1752A&partNumbers[]=A%20B`,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/zip',
      'Accept-Encoding': 'identity',
      'User-Agent': 'matdecl/0.0.0-test',
    },
  }
}

/** The strictest check: any other bytes are a damaged archive. */
export async function sameArchive(path: string): Promise<string> {
  const bytes = await readFile(path)
  if (bytes.equals(ARCHIVE)) return 'verified'
  throw new Failure('archive', `${path}: no end of central directory`, {
    hint: 'fetch it again',
    rule: 'structure',
    file: path,
  })
}
