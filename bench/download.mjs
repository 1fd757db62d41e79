// Rows `download` and `memory` of the benchmark: a stored ZIP over loopback to tmpfs, verified and published, against curl, unzip and sha256sum.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, createReadStream, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'

const TOOL = fileURLToPath(new URL('../bin/matdecl.js', import.meta.url))
const RUNS = 5
const GIB = 1024 ** 3
const MOST_MEBIBYTES = 150
const ENV = { PATH: process.env.PATH, MATDECL_TOKEN: 'bench-token' }

export const ROWS = { download, memory }

async function download(folder) {
  const archive = makeStored(folder, GIB)
  return withServer(archive, async (url) => {
    const times = { ours: [], peer: [] }
    const output = join(folder, 'got.zip')
    for (let round = 0; round < RUNS; round += 1) {
      times.ours.push(await seconds(process.execPath, ours(url, output)))
      rmSync(output)
      times.peer.push(
        await seconds('sh', [
          '-c',
          `curl -s -o '${output}' '${url}/v2/download' && unzip -tqq '${output}' && sha256sum '${output}'`,
        ]),
      )
      rmSync(output)
    }
    const [own, peer] = [median(times.ours), median(times.peer)]
    const against = `${version('curl')} -o, unzip -tq, sha256sum`
    return [
      {
        id: 'download',
        ours: own,
        peer,
        against,
        ratio: own / peer,
        reach: 0.8,
        isReached: own / peer <= 0.8,
      },
    ]
  })
}

async function memory(folder) {
  const rows = []
  for (const [name, bytes] of [
    ['256 MiB', GIB / 4],
    ['1 GiB', GIB],
    ['4 GiB', 4 * GIB + 4096],
  ]) {
    const archive = makeStored(folder, bytes)
    const mebibytes = await withServer(archive, (url) => peakMebibytes(ours(url, join(folder, 'got.zip'))))
    rmSync(join(folder, 'got.zip'))
    rmSync(archive)
    const ratio = mebibytes / MOST_MEBIBYTES
    rows.push({
      id: `memory ${name}`,
      ours: mebibytes,
      peer: MOST_MEBIBYTES,
      against: 'MiB of peak RSS at most',
      ratio,
      reach: 1,
      isReached: ratio <= 1,
    })
  }
  return rows
}

function ours(url, output) {
  return [TOOL, 'download', '--base-url', url, '--supplier', '123456789', '-o', output, '-q']
}

/** A ZIP of one stored entry of pseudo-random bytes; with ZIP64 records where the size asks for them. */
function makeStored(folder, bytes) {
  const path = join(folder, `stored-${bytes}.zip`)
  const file = openSync(path, 'w')
  const name = Buffer.from('declarations.bin')
  const block = Buffer.alloc(1 << 20)
  let state = 12_345
  for (let at = 0; at < block.length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    block.writeUInt32LE(state, at)
  }
  let checksum = 0
  for (let left = bytes; left > 0; left -= block.length)
    checksum = crc32(block.subarray(0, Math.min(left, block.length)), checksum)
  const isLarge = bytes >= 0xffffffff
  const size32 = isLarge ? 0xffffffff : bytes
  const localExtra = isLarge ? Buffer.concat([u16(1), u16(16), u64(bytes), u64(bytes)]) : Buffer.alloc(0)
  const common = (version) =>
    Buffer.concat([
      u16(version),
      u16(0),
      u16(0),
      u16(0),
      u16(0x5a21),
      u32(checksum),
      u32(size32),
      u32(size32),
      u16(name.length),
    ])
  const version = isLarge ? 45 : 20
  const local = Buffer.concat([u32(0x04034b50), common(version), u16(localExtra.length), name, localExtra])
  writeSync(file, local)
  for (let left = bytes; left > 0; left -= block.length)
    writeSync(file, block.subarray(0, Math.min(left, block.length)))
  const directoryAt = local.length + bytes
  const central = Buffer.concat([
    u32(0x02014b50),
    u16(version),
    common(version),
    u16(localExtra.length),
    u16(0),
    u16(0),
    u16(0),
    u32(0),
    u32(0),
    name,
    localExtra,
  ])
  const end64 = isLarge
    ? Buffer.concat([
        u32(0x06064b50),
        u64(44),
        u16(45),
        u16(45),
        u32(0),
        u32(0),
        u64(1),
        u64(1),
        u64(central.length),
        u64(directoryAt),
        u32(0x07064b50),
        u32(0),
        u64(directoryAt + central.length),
        u32(1),
      ])
    : Buffer.alloc(0)
  const end = Buffer.concat([
    u32(0x06054b50),
    u16(0),
    u16(0),
    u16(1),
    u16(1),
    u32(central.length),
    u32(isLarge ? 0xffffffff : directoryAt),
    u16(0),
  ])
  writeSync(file, Buffer.concat([central, end64, end]))
  closeSync(file)
  return path
}

async function withServer(archive, use) {
  const server = createServer((request, response) => {
    if (!request.url.includes('/download')) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'Content-Type': 'application/zip', 'Content-Length': statSync(archive).size })
    createReadStream(archive, { highWaterMark: 1 << 20 }).pipe(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use(`http://127.0.0.1:${server.address().port}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

async function seconds(program, args) {
  const started = process.hrtime.bigint()
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], env: ENV })
  const [status] = await once(child, 'exit')
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`)
  return Number(process.hrtime.bigint() - started) / 1e9
}

// GNU time tells the peak of the whole process.
async function peakMebibytes(args) {
  const child = spawn('/usr/bin/time', ['-f', '%M', process.execPath, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: ENV,
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [status] = await once(child, 'exit')
  if (status !== 0) throw new Error(said)
  return Number(said.trim().split('\n').at(-1)) / 1024
}

function version(program) {
  return spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.split(/\s/).slice(0, 2).join(' ')
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

function u16(value) {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function u32(value) {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

function u64(value) {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
