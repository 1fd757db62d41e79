// Rows `start` and `start-bin`: the time of short commands beyond Node itself.
import { join } from 'node:path'
import { buildProgram, makeExecutable, TARGETS } from '../scripts/executable.mjs'
import { nodeBinary } from '../scripts/node-binaries.mjs'
import { makeInput, medians, NODE, TOOL, timeRow, version } from './measure.mjs'

const RUNS = 21
const TARGET = 'linux-x64'

export const ROWS = { start, 'start-bin': startBin }

async function start(folder) {
  const archive = join(folder, 'small.zip')
  makeInput('many', archive, 10)
  const rows = []
  for (const [args, reach] of [
    [['--version'], 2.5],
    [['--help'], 2.5],
    [['list', archive], 3.5],
  ]) {
    const [ours, peer] = await medians(
      [
        [NODE, TOOL, ...args],
        [NODE, '-e', '0'],
      ],
      { runs: RUNS },
    )
    rows.push(timeRow(`start ${args[0]}`, ours, peer, `${version('node')} -e 0`, reach))
  }
  return rows
}

async function startBin(folder) {
  if (`${process.platform}-${process.arch}` !== TARGET) return []
  const executable = join(folder, 'matdecl')
  await buildProgram(join(folder, 'program'))
  makeExecutable(TARGET, join(folder, 'program'), executable)
  const node = nodeBinary(TARGETS[TARGET].node)
  const [ours, peer] = await medians(
    [
      [executable, '--version'],
      [node, '-e', '0'],
    ],
    { runs: RUNS },
  )
  return [timeRow('start-bin --version', ours, peer, `${version(node).replace(node, 'node')} -e 0`, 2)]
}
