// Rows `list`, `verify`, `extract`, `extract-big` and `merge`: archives of several writers against unzip, bsdtar, 7zz and zipmerge.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { makeInput, medians, memoryRow, NODE, scaled, TOOL, timeRow, version } from './measure.mjs'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const MOST_MEBIBYTES = 150

export const ROWS = { list, verify, extract, 'extract-big': extractBig, merge }

async function list(folder) {
  const archive = join(folder, 'many.zip')
  makeInput('many', archive, scaled(100_000))
  const commands = [
    [NODE, TOOL, 'list', archive],
    ['bsdtar', '-tf', archive],
  ]
  const [ours, peer] = await medians(commands, { runs: 11 })
  return [
    timeRow('list', ours, peer, `${version('bsdtar')} -tf`, 3.5),
    memoryRow('list memory', ours.mebibytes, MOST_MEBIBYTES),
  ]
}

async function verify(folder) {
  const rows = []
  for (const [writer, archive] of declarations(folder)) {
    const [ours, peer] = await medians([
      [NODE, TOOL, 'verify', archive],
      ['unzip', '-tq', archive],
    ])
    rows.push(timeRow(`verify (${writer})`, ours, peer, `${version('unzip', '-v')} -tq`, 0.75))
    rows.push(memoryRow(`verify memory (${writer})`, ours.mebibytes, MOST_MEBIBYTES))
  }
  return rows
}

async function extract(folder) {
  const rows = []
  for (const [writer, archive] of declarations(folder)) {
    rows.push(...(await extractRows(`extract (${writer})`, folder, archive, 0.75, 1.6)))
  }
  return rows
}

async function extractBig(folder) {
  const archive = join(folder, 'big.zip')
  makeInput('large', archive, scaled(2048))
  return extractRows('extract-big', folder, archive, 0.6, 1.5)
}

async function merge(folder) {
  const inputs = join(folder, 'inputs')
  makeInput('parts', inputs, scaled(400))
  const script = await bundleMerge(folder)
  const output = join(folder, 'merged.zip')
  const clean = () => rmSync(output, { force: true })
  const commands = [
    [NODE, script, output, inputs],
    ['sh', '-c', `zipmerge ${output} ${inputs}/*.zip`],
  ]
  const [ours, peer] = await medians(commands, { clean })
  return [timeRow('merge', ours, peer, version('zipmerge', '-V'), 0.5)]
}

/** The same declarations, packed by each writer that is installed. */
function declarations(folder) {
  const name = join(folder, 'declarations')
  makeInput('declarations', name, scaled(10_000))
  return ['python', 'zip', '7zz', 'jar']
    .map((writer) => [writer, `${name}.${writer}.zip`])
    .filter(([, archive]) => existsSync(archive))
}

async function extractRows(id, folder, archive, reach, reachOfBest) {
  const target = join(folder, 'out')
  const clean = () => rmSync(target, { recursive: true, force: true })
  const peers = {
    [`${version('unzip', '-v')} -q`]: ['unzip', '-q', archive, '-d', target],
    [`${version('7zz', 'i')} x`]: ['7zz', 'x', '-bso0', '-bsp0', `-o${target}`, archive],
    [`${version('bsdtar')} -xf`]: ['sh', '-c', `mkdir ${target} && bsdtar -xf ${archive} -C ${target}`],
  }
  const commands = [[NODE, TOOL, 'extract', archive, target, '-q'], ...Object.values(peers)]
  const [ours, ...others] = await medians(commands, { clean })
  const named = others.map((peer, index) => [Object.keys(peers)[index], peer])
  const [best] = named.toSorted(([, one], [, other]) => one.seconds - other.seconds)
  return [
    timeRow(id, ours, others[0], named[0][0], reach),
    timeRow(id, ours, best[1], `the best: ${best[0]}`, reachOfBest),
  ]
}

/** Bundles a program that only merges: no command does. */
async function bundleMerge(folder) {
  const outfile = join(folder, 'merge.mjs')
  const contents = `
    import * as syncDisk from 'node:fs'
    import * as disk from 'node:fs/promises'
    import { mergeArchives } from './src/archive/merge-archives.ts'
    const [output, inputs] = process.argv.slice(2)
    const world = { disk, syncDisk, cwd: process.cwd, interrupt: new AbortController().signal }
    const reporter = { notice: () => undefined, progress: () => undefined }
    const paths = (await disk.readdir(inputs)).sort().map((name) => inputs + '/' + name)
    await mergeArchives(world, paths.map((path) => ({ path })), output, { reporter })
  `
  // Next to the source, which it imports by relative paths.
  const entry = join(ROOT, `bench-merge-${process.pid}.ts`)
  writeFileSync(entry, contents)
  try {
    await build({
      input: entry,
      platform: 'node',
      transform: { target: 'node20.18' },
      output: { file: outfile, format: 'esm', codeSplitting: false },
    })
  } finally {
    rmSync(entry)
  }
  return outfile
}
