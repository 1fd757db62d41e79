// Rows `download`, `memory` and the second half of `resume`: one large stored ZIP over loopback to tmpfs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { ENV, makeInput, medians, memoryRow, NODE, run, scaled, TOOL, timeRow, version } from './measure.mjs'

const GIB_IN_MIB = 1024
// What was sent has arrived by then.
const ARRIVAL_MS = 2_000

export const ROWS = { download, memory, 'resume-answer': resumeAnswer }

async function download(folder) {
  const archive = join(folder, 'stored.zip')
  makeInput('stored', archive, scaled(GIB_IN_MIB))
  const output = join(folder, 'got.zip')
  const clean = () => rmSync(output, { force: true })
  const [ours, peer] = await withService(archive, ({ url }) => {
    const script = `curl -s -o '${output}' '${url}/v2/download' && unzip -tqq '${output}' && sha256sum '${output}'`
    return medians([command(url, output), ['sh', '-c', script]], { clean })
  })
  const against = `${version('curl')} -o, ${version('unzip', '-v')} -tq, sha256sum`
  return [timeRow('download', ours, peer, against, 0.5)]
}

async function memory(folder) {
  const rows = []
  for (const mebibytes of [256, GIB_IN_MIB, 4 * GIB_IN_MIB + 1]) {
    const archive = join(folder, 'stored.zip')
    const output = join(folder, 'got.zip')
    makeInput('stored', archive, scaled(mebibytes))
    const { mebibytes: peak } = await withService(archive, ({ url }) => run(command(url, output)))
    rows.push(memoryRow(`memory ${scaled(mebibytes)} MiB`, peak, 150))
    for (const path of [archive, output]) rmSync(path)
  }
  return rows
}

// One answer, killed at half: how much of it is sent twice? The service sends no more until then, so that what the kernel still
// holds, up to tens of MiB, does not count as the tool's.
async function resumeAnswer(folder) {
  const archive = join(folder, 'stored.zip')
  makeInput('stored', archive, scaled(GIB_IN_MIB))
  const total = statSync(archive).size
  const half = Math.floor(total / 2)
  return withService(
    archive,
    async (service) => {
      const [program, ...args] = command(service.url, join(folder, 'got.zip'))
      const child = spawn(program, args, { env: ENV, stdio: 'ignore' })
      const ended = once(child, 'exit')
      await service.sent(half)
      await new Promise((resolve) => setTimeout(resolve, ARRIVAL_MS))
      child.kill('SIGKILL')
      await ended
      await run([program, ...args])
      const again = service.total() - total
      const against = `bytes sent again of ${total}, in ${service.requests()} requests`
      return [{ id: 'resume answer', ours: again, peer: total, against, ratio: again / total, reach: 0.01 }]
    },
    half,
  )
}

function command(url, output) {
  return [NODE, TOOL, 'download', '--base-url', url, '--supplier', '123456789', '-o', output, '-q']
}

/** Serves an archive, with a strong ETag and ranges, while `use` runs. */
// With `holdAt`, the first response stops after that many bytes.
async function withService(archive, use, holdAt) {
  const { size } = statSync(archive)
  let requests = 0
  const sent = []
  const watchers = new Set()
  const server = createServer((request, response) => {
    if (!request.url.includes('/download')) {
      response.writeHead(404).end()
      return
    }
    const index = requests
    requests += 1
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? '0')
    const headers = { 'Content-Type': 'application/zip', 'Content-Length': size - start, ETag: '"stored"' }
    if (start === 0) response.writeHead(200, { ...headers, 'Accept-Ranges': 'bytes' })
    else response.writeHead(206, { ...headers, 'Content-Range': `bytes ${start}-${size - 1}/${size}` })
    const isHeld = index === 0 && holdAt !== undefined
    const range = isHeld ? { start, end: holdAt - 1 } : { start }
    const body = createReadStream(archive, { ...range, highWaterMark: 1 << 20 })
    sent[index] = 0
    body.on('data', (chunk) => {
      sent[index] += chunk.length
      for (const watch of watchers) watch()
    })
    response.on('close', () => body.destroy())
    body.pipe(response, { end: !isHeld })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const total = () => sent.reduce((sum, bytes) => sum + bytes, 0)
  try {
    return await use({
      url: `http://127.0.0.1:${server.address().port}`,
      requests: () => requests,
      total,
      sent: (bytes) => new Promise((resolve) => watchers.add(() => total() >= bytes && resolve())),
    })
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
