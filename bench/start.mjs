// Row `start` of the benchmark: what the quick answers cost beyond Node itself.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const TOOL = fileURLToPath(new URL('../bin/matdecl.js', import.meta.url))
const RUNS = 21
const REACH = 1.25

export const ROWS = { start }

async function start() {
  return ['--version', '--help', 'completion bash'].map((line) => {
    const times = { ours: [], peer: [] }
    for (let round = 0; round < RUNS; round += 1) {
      times.ours.push(seconds([TOOL, ...line.split(' ')]))
      times.peer.push(seconds(['-e', '0']))
    }
    const [ours, peer] = [median(times.ours), median(times.peer)]
    const ratio = ours / peer
    return {
      id: `start ${line}`,
      ours,
      peer,
      against: `node ${process.versions.node} -e 0`,
      ratio,
      reach: REACH,
      isReached: ratio <= REACH,
    }
  })
}

function seconds(args) {
  const started = process.hrtime.bigint()
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore', env: { PATH: process.env.PATH } })
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`)
  return Number(process.hrtime.bigint() - started) / 1e9
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
