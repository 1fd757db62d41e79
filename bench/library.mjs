// Rows about a library that is full already: a night on which nothing is new, and a parts list that is checked for the second time.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { classCArchive } from './make-declarations.mjs'
import { ENV, medians, memoryRow, NODE, scaled, TOOL, timeRow } from './measure.mjs'

const DAY_MS = 86_400_000
const NIGHTS = 40
const PER_REQUEST = 300
const PER_ARCHIVE = 100

export const ROWS = { 'sync-night': syncNight, 'check-warm': checkWarm }

// The CPU is that of a run beyond a download of the same parts, which sends as many requests without a library.
async function syncNight(folder) {
  const list = join(folder, 'parts.txt')
  const library = join(folder, 'library')
  const parts = numbered(scaled(12_000))
  writeFileSync(list, parts.join('\n'))
  const server = createServer((_, response) => response.writeHead(204).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}`
  const service = ['--base-url', url, '--parts-file', list, '--rate', '100000', '-q']
  const sync = [NODE, TOOL, 'sync', '--library', library, ...service]
  const download = [NODE, TOOL, 'download', ...service]
  const nights = nightsOf(parts, url)
  const clean = () => writeRecords(library, nights)
  clean()
  const requests = countRequests(sync)
  const plain = countRequests(download)
  const output = ['-o', join(folder, 'night.zip'), '--overwrite']
  const [ours, peer] = await medians([sync, [...download, ...output]], { clean })
  server.close()
  const cpu = ours.cpu - peer.cpu
  return [
    {
      id: 'sync-night requests',
      ours: requests,
      peer: plain,
      against: `requests without dates; ${NIGHTS} nights before`,
      ratio: requests / plain,
      reach: Math.ceil((1 + 1 / plain) * 1000) / 1000,
    },
    {
      id: 'sync-night',
      ours: cpu,
      peer: 1,
      against: 'CPU beyond that of the requests',
      ratio: cpu,
      reach: 1,
    },
  ]
}

/** A part number for each of `count` parts. */
function numbered(count) {
  return Array.from({ length: count }, (_, index) => `PN-${index}`)
}

function countRequests([program, ...args]) {
  const { stdout } = spawnSync(program, [...args, '--dry-run', '--json'], { env: ENV, maxBuffer: 1 << 30 })
  return JSON.parse(stdout).requests.length
}

/** All parts were found on the first night, and nothing was new since. */
function nightsOf(parts, baseUrl) {
  const nowMs = Date.now()
  return Array.from({ length: NIGHTS }, (_, night) => {
    const at = nowMs - (NIGHTS - night) * DAY_MS
    const start = night === 0 ? {} : { start: new Date(at - 3 * DAY_MS).toISOString().slice(0, 10) }
    return chunks(parts, PER_REQUEST).map((some, index) =>
      answer(`${night}-${index}`, baseUrl, some, { at, ...start, found: night === 0 ? some : [] }),
    )
  }).flatMap((answers) => [...answers, { end: true, run: answers[0].run, at: answers[0].at }])
}

// The lines are spread over all archives.
async function checkWarm(folder) {
  const library = join(folder, 'library')
  const parts = numbered(scaled(20_000))
  mkdirSync(library)
  const answers = []
  for (const some of chunks(parts, PER_ARCHIVE)) answers.push(await archived(library, some, answers.length))
  writeRecords(library, answers)
  const list = join(folder, 'list.csv')
  const listed = Array.from({ length: scaled(1_000) }, (_, index) => parts[(index * 7_919) % parts.length])
  writeFileSync(list, ['Part Number,Qty', ...listed.map((part) => `${part},1`)].join('\n'))
  // The usual gate would fail: the categories have made-up names.
  const check = [
    NODE,
    TOOL,
    'check',
    list,
    '--library',
    library,
    '--offline',
    '-q',
    '--fail-on',
    'unreadable',
  ]
  const [ours] = await medians([check])
  return [
    timeRow('check-warm', ours, { seconds: 1.5 }, 'seconds', 1),
    memoryRow('check-warm memory', ours.mebibytes, 250),
  ]
}

/** Adds an archive of declarations to a library; resolves with its record. */
async function archived(library, parts, number) {
  const at = Date.now() - DAY_MS
  const archive = `${new Date(at).toISOString().slice(0, 10)}T000000Z-${number + 1}.zip`
  const path = join(library, archive)
  await classCArchive(path, parts.length, { first: number * PER_ARCHIVE })
  const { size, mtimeMs } = statSync(path)
  const facts = { at, found: parts, archive, bytes: size, modified: Math.round(mtimeMs) }
  return answer(`0-${number}`, 'https://api.example.com', parts, facts)
}

function answer(id, baseUrl, parts, facts) {
  const search = { baseUrl, api: 'v2', format: '1752A' }
  const [run] = id.split('-')
  const made = { status: 200, attempts: 1, seconds: 1, bytes: 0, others: 0, entries: [], tool: 'bench' }
  return { id, run, search, parts, listed: true, date: facts.at, ...made, ...facts }
}

/** Writes the record of a library: each line begins with its checksum. */
function writeRecords(library, records) {
  mkdirSync(join(library, '.matdecl'), { recursive: true })
  const lines = records.map((record) => {
    const text = JSON.stringify({ v: 1, ...record })
    return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`
  })
  writeFileSync(join(library, '.matdecl', 'answers.jsonl'), lines.join(''))
}

function chunks(all, size) {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  )
}
