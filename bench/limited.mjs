// Row `limited`: 21 requests through limits of 10 per minute without headers: even spacing (nginx's limit_req), and a minute's
// count that includes refused requests (haproxy's stick table). With --scale fewer requests.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { NODE, run, scaled, TOOL, timeRow } from './measure.mjs'

const PER_MINUTE = 10
const REQUESTS = Math.max(3, scaled(21))
const MUST_TAKE = { seconds: ((REQUESTS - 1) * 60) / PER_MINUTE }
const MOST_REFUSED = 5

export const ROWS = { limited }

async function limited(folder) {
  const rows = []
  for (const [kind, limit] of [
    ['spacing', evenSpacing()],
    ['table', stickTable()],
  ]) {
    rows.push(...(await measure(`limited ${kind}`, limit, folder)))
  }
  return rows
}

async function measure(id, accepts, folder) {
  const zip = new ZipFile()
  zip.addBuffer(Buffer.from('<MainDeclaration/>'), 'a.xml')
  zip.end()
  const body = await buffer(zip.outputStream)
  let refused = 0
  const server = createServer((request, response) => {
    if (!request.url.startsWith('/v2/download')) return response.writeHead(404).end()
    const isAccepted = accepts(performance.now())
    if (!isAccepted) refused += 1
    response.writeHead(isAccepted ? 200 : 429, { 'Content-Length': isAccepted ? body.length : 0 })
    return response.end(isAccepted ? body : undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}`
  const parts = Array.from({ length: REQUESTS }, (_, index) => ['--part', `PN-${index}`]).flat()
  const options = ['--batch-size', '1', '--start-date', '2020-01-01', '-q', '-o', join(folder, `${id}.zip`)]
  try {
    const ours = await run([NODE, TOOL, '--base-url', url, ...parts, ...options])
    const against = `${REQUESTS} requests at ${PER_MINUTE} a minute`
    return [
      timeRow(id, ours, MUST_TAKE, against, 1.3),
      {
        id: `${id} refused`,
        ours: refused,
        peer: MOST_REFUSED,
        against: 'refused tries',
        ratio: refused / MOST_REFUSED,
        reach: 1,
      },
    ]
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function evenSpacing() {
  let last = Number.NEGATIVE_INFINITY
  return (atMs) => {
    if (atMs - last < 60_000 / PER_MINUTE) return false
    last = atMs
    return true
  }
}

function stickTable() {
  let since
  let current = 0
  let previous = 0
  return (atMs) => {
    since ??= atMs
    while (atMs - since >= 60_000) {
      previous = current
      current = 0
      since += 60_000
    }
    current += 1
    return current + (previous * (since + 60_000 - atMs)) / 60_000 <= PER_MINUTE
  }
}
