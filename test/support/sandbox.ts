import { crc32 } from 'node:zlib'
import { SaxesParser } from 'saxes'
import { fromBufferPromise } from 'yauzl'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts'
import { createFakeClock } from './world.ts'

/** A running mock service with a clock that only its own waits advance, and functions to request from it. */
export interface Running extends Sandbox {
  readonly clock: ReturnType<typeof createFakeClock>
  /** A v2 download with the token and headers of the interface; `query` as in the URL. */
  readonly ask: (query: string, headers?: Readonly<Record<string, string>>) => Promise<Response>
  /** A v1 download with the key. */
  readonly askLegacy: (payload: Readonly<Record<string, unknown>>) => Promise<Response>
  readonly get: (path: string) => Promise<Response>
}

/** Starts a service on a free port; `await using` closes it. */
export async function running(options: Partial<SandboxOptions> = {}): Promise<Running> {
  const clock = createFakeClock()
  const sandbox = await startSandbox({ clock, token: 'let-me-in', ...options })
  const authorization = { Authorization: `Bearer ${sandbox.token}` }
  const usual = { ...authorization, 'Content-Type': 'application/json', Accept: 'application/zip' }
  return {
    ...sandbox,
    clock,
    ask: (query, headers = {}) =>
      fetch(`${sandbox.url}/v2/download?${query}`, { headers: { ...usual, ...headers } }),
    askLegacy: (payload) =>
      fetch(`${sandbox.url}/api/download`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ apikey: sandbox.token, ...payload }),
      }),
    get: (path) => fetch(`${sandbox.url}${path}`, { headers: authorization }),
  }
}

/** The entries of an archive, in its order, by name; throws if one is damaged or occurs twice. */
export async function unzipped(answer: Response | Buffer): Promise<ReadonlyMap<string, string>> {
  const whole = answer instanceof Response ? Buffer.from(await answer.arrayBuffer()) : answer
  const zip = await fromBufferPromise(whole, { lazyEntries: true })
  const entries = new Map<string, string>()
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    if (crc32(bytes) !== entry.crc32) throw new Error(`${entry.fileName}: wrong CRC-32`)
    if (entries.has(entry.fileName)) throw new Error(`${entry.fileName} is there twice`)
    entries.set(entry.fileName, bytes.toString('utf8'))
  }
  return entries
}

/** An element as a strict XML parser with namespaces sees it. */
export interface Seen {
  readonly local: string
  readonly uri: string
  readonly prefix: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Seen[]
}

/** The root of a document; throws if the document is not well-formed. */
export function parsedXml(xml: string): Seen {
  const parser = new SaxesParser({ xmlns: true })
  const top: Seen[] = []
  const open: Seen[] = []
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ local, uri, prefix, attributes }) => {
    const values = Object.entries(attributes).map(([name, { value }]) => [name, value])
    const seen: Seen = { local, uri, prefix, attributes: Object.fromEntries(values), children: [] }
    ;(open.at(-1)?.children ?? top).push(seen)
    open.push(seen)
  })
  parser.on('closetag', () => open.pop())
  parser.write(xml).close()
  if (top.length !== 1) throw new Error(`${top.length} root elements`)
  return top[0]!
}

/** Every element of this local name below, in document order. */
export function all(seen: Seen, local: string): readonly Seen[] {
  return seen.children.flatMap((child) => [...(child.local === local ? [child] : []), ...all(child, local)])
}
