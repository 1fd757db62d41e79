import type { Socket } from 'node:net'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { EXIT_CODES } from '../../src/base/failure.ts'
import { cli, TOKEN, tree } from '../support/cli.ts'
import { answer, head, type RawRequest, type RawServer, rawServer, reset } from '../support/raw-server.ts'
import { pick, seeded } from '../support/seeded.ts'
import { sweep } from '../support/soak.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const RUNS = sweep(8, 500)
const AT_ONCE = 8
const ZIP = 'Content-Type: application/zip'

type Play = (socket: Socket, body: Buffer, request: RawRequest, random: () => number) => void

// What can go wrong with one response. Those that are whole are played more often, so that most runs come to an end.
const FAULTS: readonly Play[] = [
  (socket) => reset(socket),
  (socket) => socket.destroy(),
  (socket) => socket.end('HTTP/1.1 2'),
  (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  (socket) => socket.end(head(200, [ZIP, 'Content-Length: 5, 6'])),
  (socket, body) =>
    socket.end(Buffer.concat([Buffer.from(head(200, [ZIP, `Content-Length: ${body.length}`])), cut(body)])),
  (socket, body) => {
    socket.write(
      Buffer.concat([
        Buffer.from(head(200, [ZIP, `Content-Length: ${body.length}`, 'ETag: "v1"', 'Accept-Ranges: bytes'])),
        cut(body),
      ]),
      () => reset(socket),
    )
  },
  (socket, body) => socket.end(Buffer.concat([Buffer.from(head(200, [ZIP])), cut(body)])),
  (socket, body) =>
    socket.end(
      Buffer.concat([
        Buffer.from(head(200, [ZIP, 'Transfer-Encoding: chunked'])),
        Buffer.from(`${body.length.toString(16)}\r\n`),
        body,
        Buffer.from('\r\n'),
      ]),
    ),
  (socket) => socket.end(`${head(200, [ZIP, 'Transfer-Encoding: chunked'])}zz\r\n`),
  (socket, body, _, random) => socket.write(answer(200, [ZIP], flipped(body, random))),
  (socket, body, _, random) =>
    socket.write(answer(200, [ZIP, 'ETag: "v1"', 'Accept-Ranges: bytes'], flipped(body, random))),
  (socket, body) =>
    socket.write(answer(206, [ZIP, `Content-Range: bytes 0-9/${body.length}`], body.subarray(0, 10))),
  (socket) => socket.write(answer(500, [], '{"message":"oops"}')),
  (socket) => socket.write(answer(503, ['Retry-After: 1'], '')),
  (socket) => socket.write(answer(429, ['Retry-After: 2'], '{"message":"slow down"}')),
  (socket) => socket.write(answer(429, ['Retry-After: 99999999999999999999'], '')),
  (socket) => socket.write(answer(408, [], '')),
  (socket) => socket.write(answer(200, ['Content-Type: text/html'], '<title>sign in</title>')),
  (socket) => socket.write(answer(200, ['Content-Type: application/json'], '{"message":"no"}')),
  (socket) => socket.write(answer(200, [ZIP], '')),
  (socket) => socket.write(answer(401, [], '{"message":"bad token"}')),
  (socket) => socket.write(answer(404, [], '{"message":"nothing here"}')),
  (socket) => socket.write(answer(413, [], '')),
  (socket) => socket.write(answer(302, ['Location: /elsewhere'], '')),
  (socket) => socket.write(answer(302, ['Location: file:///etc/passwd'], '')),
  (socket, body) => socket.write(answer(200, [ZIP, 'Content-Encoding: gzip'], body)),
  (socket, body) =>
    socket.write(Buffer.concat([Buffer.from(head(103, ['Link: </x>'])), answer(200, [ZIP], body)])),
  (socket) => socket.write(head(200, [ZIP, `X-Long: ${'x'.repeat(40_000)}`])),
  () => undefined,
  (socket, body) =>
    socket.write(Buffer.concat([Buffer.from(head(200, [ZIP, `Content-Length: ${body.length}`])), cut(body)])),
]

test(`${RUNS} runs against a service that fails by seed: each ends with the exact bytes, or with a documented code and nothing at the name`, async () => {
  const server = await chaoticServer()
  const counts = new Map<string, number>()
  try {
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < RUNS) {
        const seed = next
        next += 1
        const outcome = await oneRun(server, seed)
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  } finally {
    await server.close()
  }
  const summary = [...counts].sort().map(([outcome, count]) => `${outcome} ${count}`)
  process.stderr.write(`chaos: ${summary.join(', ')}\n`)
  expect([...counts.values()].reduce((sum, count) => sum + count)).toBe(RUNS)
  // Neither all well nor all ill: the faults are played, and most of them are got over.
  expect(counts.get('0 ok') ?? 0).toBeGreaterThan(RUNS / 10)
  expect(counts.size).toBeGreaterThanOrEqual(sweep(3, 5))
}, 240_000)

async function oneRun(server: RawServer, seed: number): Promise<string> {
  return withFolder(async (folder) => {
    const random = seeded(seed + 1_000_000)
    const parts = partsOf(seed)
    const result = await cli(
      [
        'download',
        '--base-url',
        `${server.url}/seed-${seed}`,
        '-o',
        'out.zip',
        '--json',
        '--quiet',
        '--batch-size',
        String(1 + Math.floor(random() * 2)),
        '--retries',
        String(Math.floor(random() * 6)),
        '--connect-timeout',
        '300ms',
        '--response-timeout',
        '300ms',
        '--stall-timeout',
        '300ms',
        '--max-wait',
        '1m',
        ...(random() < 0.3 ? ['--allow-partial'] : []),
        ...parts.flatMap((part) => ['--part', part]),
      ],
      { cwd: folder, random, hasSocketTimeouts: true },
    )
    const label = `seed ${seed}: exit ${result.code}, ${result.stderr}`
    const files = await tree(folder)
    const { status } = result.json() as { status: string }
    expect(result.stdout + result.stderr, label).not.toContain(TOKEN)
    expect(result.stderr, label).not.toMatch(/internal error/)
    if (result.code === 0 || result.code === 10) {
      if (status === 'ok') {
        expect(files, label).toEqual(['out.zip'])
        expect(await entriesOf(join(folder, 'out.zip')), label).toEqual(parts.map((part) => `${part}.xml`))
      }
      if (status === 'partial') {
        const named = (result.json() as { unknownParts: string[] }).unknownParts
        const came = files.includes('out.zip') ? await entriesOf(join(folder, 'out.zip')) : []
        expect([...came.map((name) => name.replace('.xml', '')), ...named].sort(), label).toEqual(
          [...parts].sort(),
        )
      }
    } else {
      expect(Object.values(EXIT_CODES), label).toContain(result.code)
      expect(status, label).toBe('failed')
      expect(
        files.filter((file) => !file.startsWith('out.zip.parts')),
        label,
      ).toEqual([])
    }
    return `${result.code} ${status}`
  })
}

/** A service whose responses follow from the seed in the path: some faults first, then the truth. */
function chaoticServer(): Promise<RawServer> {
  const asked = new Map<string, number>()
  return rawServer((request, socket) => {
    socket.on('error', () => undefined)
    const seed = Number(/^\/seed-(\d+)\/v2\/download/.exec(request.path)?.[1] ?? Number.NaN)
    if (Number.isNaN(seed)) {
      socket.write(answer(404, ['Content-Type: application/json'], '{"message":"no such thing"}'))
      return
    }
    const parts = [...request.path.matchAll(/partNumbers\[\]=([^&]*)/g)].map((match) =>
      decodeURIComponent(match[1]!),
    )
    const key = `${seed} ${parts[0]}`
    const attempt = asked.get(key) ?? 0
    asked.set(key, attempt + 1)
    const random = seeded(seed * 1000 + Number(parts[0]!.slice(5)) * 100 + attempt)
    const body = archiveOf(parts)
    const isBad = random() < 0.45 / (1 + attempt / 3)
    if (isBad) pick(random, FAULTS)(socket, body, request, random)
    else tellTruth(socket, body, request)
  })
}

function tellTruth(socket: Socket, body: Buffer, request: RawRequest): void {
  const from = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1]
  const headers = [ZIP, 'ETag: "v1"', 'Accept-Ranges: bytes']
  if (from === undefined || request.headers['if-range'] !== '"v1"') {
    socket.write(answer(200, headers, body))
    return
  }
  const start = Number(from)
  const range = `Content-Range: bytes ${start}-${body.length - 1}/${body.length}`
  socket.write(answer(206, [...headers, range], body.subarray(start)))
}

function partsOf(seed: number): string[] {
  const random = seeded(seed)
  return Array.from({ length: 1 + Math.floor(random() * 4) }, (_, index) => `PART-${index}`)
}

function archiveOf(parts: readonly string[]): Buffer {
  return zip(
    parts.map((part) => ({
      name: `${part}.xml`,
      data: `<Product><ProductID itemNumber="${part}"/></Product>`.padEnd(600, part),
    })),
  )
}

/** The names in an archive, each entry's bytes being exactly those that the service meant to send. */
async function entriesOf(path: string): Promise<string[]> {
  const listed = await cli(['list', path, '--json'])
  const { archives } = listed.json() as {
    archives: { entries: { name: string; crc32: string; bytes: number }[] }[]
  }
  const { entries } = archives[0]!
  for (const { name, crc32: found, bytes } of entries) {
    const data = dataOf(name.replace('.xml', ''))
    expect({ name, found, bytes }).toEqual({
      name,
      found: crc32(data).toString(16).padStart(8, '0'),
      bytes: data.length,
    })
  }
  expect((await cli(['verify', path])).code).toBe(0)
  return entries.map(({ name }) => name)
}

function dataOf(part: string): string {
  return `<Product><ProductID itemNumber="${part}"/></Product>`.padEnd(600, part)
}

function cut(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2))
}

function flipped(body: Buffer, random: () => number): Buffer {
  const copy = Buffer.from(body)
  const at = Math.floor(random() * copy.length)
  copy[at] = copy[at]! ^ (1 << Math.floor(random() * 8))
  return copy
}
