// Packs the files of the working directory with an npm package: node npm.mjs WRITER OUT
// All but yazl are installed for this alone: npm install --no-save adm-zip archiver fflate jszip @zip.js/zip.js
import { createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const [writer, out] = process.argv.slice(2)
const files = readdirSync('.', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .toSorted()

const WRITERS = {
  archiver: async () => {
    const { ZipArchive } = await import('archiver')
    const archive = new ZipArchive({ zlib: { level: 9 } })
    archive.directory('.', false)
    await Promise.all([archive.finalize(), pipeline(archive, createWriteStream(out))])
  },
  jszip: () => withJszip({}),
  'jszip-streamed': () => withJszip({ streamFiles: true }),
  'adm-zip': async () => {
    const { default: AdmZip } = await import('adm-zip')
    const archive = new AdmZip()
    archive.addLocalFolder('.')
    archive.writeZip(out)
  },
  fflate: async () => {
    const { zipSync } = await import('fflate')
    writeFileSync(out, zipSync(Object.fromEntries(files.map((name) => [name, readFileSync(name)]))))
  },
  'fflate-streamed': async () => {
    const { Zip, ZipDeflate } = await import('fflate')
    const chunks = []
    const archive = new Zip((error, chunk) => {
      if (error) throw error
      chunks.push(chunk)
    })
    for (const name of files) {
      const entry = new ZipDeflate(name)
      archive.add(entry)
      entry.push(readFileSync(name), true)
    }
    archive.end()
    writeFileSync(out, Buffer.concat(chunks))
  },
  'zip.js': () => withZipJs({}),
  'zip.js-zip64': () => withZipJs({ zip64: true }),
  'zip.js-plain': () => withZipJs({ dataDescriptor: false, extendedTimestamp: false, msDosCompatible: true }),
  yazl: async () => {
    const { ZipFile } = await import('yazl')
    const archive = new ZipFile()
    for (const name of files) archive.addFile(name, name)
    archive.end()
    await pipeline(archive.outputStream, createWriteStream(out))
  },
}

async function withJszip(options) {
  const { default: JSZip } = await import('jszip')
  const archive = new JSZip()
  for (const name of files) archive.file(name, readFileSync(name))
  writeFileSync(out, await archive.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE', ...options }))
}

async function withZipJs(options) {
  const { BlobReader, BlobWriter, configure, ZipWriter } = await import('@zip.js/zip.js')
  configure({ useWebWorkers: false })
  const archive = new ZipWriter(new BlobWriter(), options)
  for (const name of files) await archive.add(name, new BlobReader(new Blob([readFileSync(name)])))
  const blob = await archive.close()
  writeFileSync(out, Buffer.from(await blob.arrayBuffer()))
}

await WRITERS[writer]()
