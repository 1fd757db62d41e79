// Row `start-bin` of the benchmark: what the quick answers of the standalone executable cost beyond its own Node.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { buildProgram, makeExecutable, TARGETS } from '../scripts/executable.mjs'
import { nodeBinary } from '../scripts/node-binaries.mjs'

const RUNS = 21
const REACH = 1.5
const TARGET = 'linux-x64'

export const ROWS = { 'start-bin': startBin }

async function startBin(folder) {
  if (`${process.platform}-${process.arch}` !== TARGET) return []
  const executable = join(folder, 'matdecl')
  await buildProgram(join(folder, 'program'))
  makeExecutable(TARGET, join(folder, 'program'), executable)
  const node = nodeBinary(TARGETS[TARGET].node)
  return ['--version', '--help', 'completion bash'].map((line) => {
    const times = { ours: [], peer: [] }
    for (let round = 0; round < RUNS; round += 1) {
      times.ours.push(seconds(executable, line.split(' ')))
      times.peer.push(seconds(node, ['-e', '0']))
    }
    const [ours, peer] = [median(times.ours), median(times.peer)]
    const ratio = ours / peer
    const against = `node ${TARGETS[TARGET].node.split('@')[1]} -e 0`
    return { id: `start-bin ${line}`, ours, peer, against, ratio, reach: REACH, isReached: ratio <= REACH }
  })
}

function seconds(program, args) {
  const started = process.hrtime.bigint()
  const { status } = spawnSync(program, args, { stdio: 'ignore', env: { PATH: process.env.PATH } })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`)
  return Number(process.hrtime.bigint() - started) / 1e9
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
