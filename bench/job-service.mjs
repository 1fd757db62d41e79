// The service of the job benchmark: 200 ms a request and 1 ms a part, no limits. A process of its own, so that its work is not the tool's.
import { createServer } from 'node:http'
import { crc32, deflateRawSync } from 'node:zlib'

const XML_BYTES = 2_000
const answers = new Map()

const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://service')
  if (url.pathname !== '/v2/download') {
    response.writeHead(404).end()
    return
  }
  const parts = url.searchParams.getAll('partNumbers[]')
  process.stdout.write(`${parts[0]} ${parts.length}\n`)
  // Made once: the peer is not to pay for what the tool did not, nor the other way round.
  const body = answers.get(request.url) ?? archiveOf(parts)
  answers.set(request.url, body)
  setTimeout(() => {
    response.writeHead(200, { 'Content-Type': 'application/zip', 'Content-Length': body.length })
    response.end(body)
  }, 200 + parts.length)
})

server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))

function archiveOf(parts) {
  const locals = []
  const records = []
  let offset = 0
  for (const part of parts) {
    const data = Buffer.from(declarationOf(part))
    const packed = deflateRawSync(data)
    const name = Buffer.from(`${part}.xml`)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt16LE(0x5c64, 8)
    fields.writeUInt32LE(crc32(data), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(data.length, 18)
    fields.writeUInt16LE(name.length, 22)
    locals.push(Buffer.from('PK\u0003\u0004', 'latin1'), fields, name, packed)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    records.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), fields, tail, name)
    offset += 30 + name.length + packed.length
  }
  const directory = Buffer.concat(records)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

function declarationOf(part) {
  const head = `<MainDeclaration xmlns="http://webstds.ipc.org/175x/2.0" version="2.0"><Product unitType="Each"><ProductID itemNumber="${part}"/><MaterialInfo>`
  let text = head
  for (let index = 0; text.length < XML_BYTES; index += 1) {
    text += `<SubstanceCategory name="Category ${index} of ${part}"><Threshold overThreshold="false" threshold="0.1%"/></SubstanceCategory>`
  }
  return `${text}</MaterialInfo></Product></MainDeclaration>`
}
