// The service of the job rows: 200 ms per request and 1 ms per part, or no wait with `--fast`; without limits. A separate process, so that
// its CPU time does not count. With `--fast`, declarations are so large that archives of 4,000 and of 40,000 of them are both verified
// by worker threads, which need the same memory for both.
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

const IS_FAST = process.argv.includes('--fast')
const XML_BYTES = IS_FAST ? 8_000 : 2_000
const MTIME = new Date('2026-01-02T03:04:06Z')
const answers = new Map()

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://service')
  if (url.pathname !== '/v2/download') {
    response.writeHead(404).end()
    return
  }
  const parts = url.searchParams.getAll('partNumbers[]')
  process.stdout.write(`${parts[0]} ${parts.length}\n`)
  const readyMs = IS_FAST ? 0 : performance.now() + 200 + parts.length
  // Made once for both sides.
  const body = answers.get(request.url) ?? (await archiveOf(parts))
  if (!IS_FAST) answers.set(request.url, body)
  setTimeout(() => {
    response.writeHead(200, { 'Content-Type': 'application/zip', 'Content-Length': body.length })
    response.end(body)
  }, readyMs - performance.now())
})

server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))

function archiveOf(parts) {
  const zip = new ZipFile()
  for (const part of parts) zip.addBuffer(Buffer.from(declarationOf(part)), `${part}.xml`, { mtime: MTIME })
  zip.end()
  return buffer(zip.outputStream)
}

function declarationOf(part) {
  let text = `<MainDeclaration xmlns="http://webstds.ipc.org/175x/2.0" version="2.0"><Product unitType="Each"><ProductID itemNumber="${part}"/><MaterialInfo>`
  for (let index = 0; text.length < XML_BYTES; index += 1) {
    text += `<SubstanceCategory name="Category ${index} of ${part}"><Threshold overThreshold="false" threshold="0.1%"/></SubstanceCategory>`
  }
  return `${text}</MaterialInfo></Product></MainDeclaration>`
}
