// Rows `list`, `verify`, `extract`, `extract-big` and `merge` of the benchmark: archives against unzip, bsdtar, 7zz and zipmerge.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { build } from 'esbuild'
import { openZip, pad, seeded, write, xml, xmlArchive } from './make-archive.mjs'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const TOOL = join(ROOT, 'bin', 'matdecl.js')
const RUNS = 5
// A fifth of a second is soon disturbed.
const SHORT_RUNS = 21

export const ROWS = { list, verify, extract, 'extract-big': extractBig, merge }

async function list(folder) {
  const archive = join(folder, 'many.zip')
  write(archive, 100_000, (index) => [`decl/part-${pad(index)}.xml`, Buffer.from(`<r n="${index}"/>`)])
  return compare('list', 1.0, [TOOL, 'list', archive], {
    [version('unzip', '-v')]: ['unzip', '-l', archive],
    [version('bsdtar', '--version')]: ['bsdtar', '-tf', archive],
  })
}

async function verify(folder) {
  const archive = xmlArchive(folder)
  return compare('verify', 0.6, [TOOL, 'verify', archive], {
    [`${version('unzip', '-v')} -tq`]: ['unzip', '-tq', archive],
  })
}

async function extract(folder) {
  const archive = xmlArchive(folder)
  return compareExtract('extract', folder, archive)
}

async function extractBig(folder) {
  const archive = join(folder, 'big.zip')
  const random = seeded(7)
  const block = Buffer.concat(Array.from({ length: 513 }, () => xml(random, 32_768))).subarray(
    0,
    16 * 1024 ** 2,
  )
  // The block is packed once, to its last byte and without looking back, and repeated.
  const packed = deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH })
  const end = deflateRawSync(Buffer.alloc(0))
  const pieces = [...Array(128).fill(packed), end]
  let sum = 0
  for (let count = 0; count < 128; count += 1) sum = crc32(block, sum)
  const zip = openZip(archive)
  zip.add('declaration.xml', { pieces, method: 8, bytes: block.length * 128, sum })
  zip.close()
  return compareExtract('extract-big', folder, archive)
}

async function merge(folder) {
  const inputs = join(folder, 'inputs')
  mkdirSync(inputs)
  const random = seeded(11)
  const noise = Buffer.from(Array.from({ length: 1 << 20 }, () => random(256)))
  for (let input = 0; input < 400; input += 1) {
    write(join(inputs, `${pad(input)}.zip`), 250, (index) => {
      const bytes = 5_000 + random(11_000)
      const start = random(noise.length - bytes)
      return [`decl/part-${pad(input * 250 + index)}.xml`, noise.subarray(start, start + bytes), false]
    })
  }
  const script = await bundleMerge(folder)
  const output = join(folder, 'merged.zip')
  const clean = () => rmSync(output, { force: true })
  const peer = ['sh', '-c', `zipmerge ${output} ${inputs}/*.zip`]
  return compare('merge', 1.0, [script, output, inputs], { [version('zipmerge', '-V')]: peer }, clean)
}

/** A program of the merge alone: no command does only that. */
async function bundleMerge(folder) {
  const outfile = join(folder, 'merge.mjs')
  const contents = `
    import * as disk from 'node:fs/promises'
    import { mergeArchives } from './src/archive/merge-archives.ts'
    const [output, inputs] = process.argv.slice(2)
    const world = { disk, cwd: process.cwd, interrupt: new AbortController().signal }
    const reporter = { notice: () => undefined, progress: () => undefined }
    const paths = (await disk.readdir(inputs)).sort().map((name) => inputs + '/' + name)
    await mergeArchives(world, paths, output, { reporter })
  `
  const stdin = { contents, resolveDir: ROOT, loader: 'ts' }
  await build({
    stdin,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.18',
    outfile,
    logLevel: 'warning',
    // yauzl is CommonJS.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  })
  return outfile
}

function compareExtract(id, folder, archive) {
  const target = join(folder, 'out')
  const clean = () => rmSync(target, { recursive: true, force: true })
  const peers = {
    [`${version('unzip', '-v')} -q`]: ['unzip', '-q', archive, '-d', target],
    [`${version('7zz', 'i')} x`]: ['7zz', 'x', '-bso0', '-bsp0', `-o${target}`, archive],
    [`${version('bsdtar', '--version')} -xf`]: [
      'sh',
      '-c',
      `mkdir ${target} && bsdtar -xf ${archive} -C ${target}`,
    ],
  }
  const rows = compare(id, 1.0, [TOOL, 'extract', archive, target, '-q'], peers, clean)
  if (id === 'extract-big') return best(rows, 1.0)
  const [unzip] = rows
  return [{ ...unzip, reach: 0.5, isReached: unzip.ratio <= 0.5 }, ...best(rows, 0.9)]
}

function best(rows, reach) {
  const row = rows.toSorted((one, other) => one.peer - other.peer)[0]
  return [{ ...row, against: `the best: ${row.against}`, reach, isReached: row.ratio <= reach }]
}

/** Ours and every peer in turn, so that what disturbs the machine disturbs them alike; a row for each peer. */
function compare(id, reach, argv, peers, clean = () => undefined) {
  const sides = [['ours', [process.execPath, ...argv]], ...Object.entries(peers)]
  const times = new Map(sides.map(([name]) => [name, []]))
  // The first round warms the caches and does not count.
  const rounds = id === 'list' ? SHORT_RUNS : RUNS
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, [program, ...args]] of sides) {
      clean()
      const seconds = run(program, args)
      if (round > 0) times.get(name).push(seconds)
    }
  }
  clean()
  const ours = median(times.get('ours'))
  const rows = Object.keys(peers).map((against) => {
    const peer = median(times.get(against))
    return { id, ours, peer, against, ratio: ours / peer, reach, isReached: ours / peer <= reach }
  })
  return id === 'list' ? best(rows, reach) : rows
}

function run(program, args) {
  const started = process.hrtime.bigint()
  const { status, stderr } = spawnSync(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH },
  })
  const seconds = Number(process.hrtime.bigint() - started) / 1e9
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return seconds
}

function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]
}

/** The first line in which a tool names its version. */
function version(program, option) {
  const { stdout, stderr } = spawnSync(program, [option], { encoding: 'utf8' })
  const number = /\d+\.\d+(?:\.\d+)?/.exec(`${stdout}${stderr}`)?.[0]
  if (number === undefined) throw new Error(`${program} is not installed`)
  return `${program} ${number}`
}
