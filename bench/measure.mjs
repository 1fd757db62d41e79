// Shared by the rows: measured runs of programs, medians, and the format of a row.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const NODE = process.execPath
export const TOOL = fileURLToPath(new URL('../bin/matdecl.js', import.meta.url))
export const ENV = {
  PATH: process.env.PATH,
  LC_ALL: 'C.UTF-8',
  MATDECL_TOKEN: 'bench-token',
  XDG_STATE_HOME: join(tmpdir(), 'matdecl-bench-state'),
}

const SCALE = Number(process.env.MATDECL_BENCH_SCALE ?? '1')
const CORPUS = fileURLToPath(new URL('./corpus.py', import.meta.url))

/** A size of the table, made smaller with `--scale`. */
export function scaled(size) {
  return Math.max(1, Math.round(size * SCALE))
}

/** Makes an input with corpus.py. */
export function makeInput(kind, target, number) {
  const { status, stderr } = spawnSync('python3', [CORPUS, kind, target, String(number)], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`corpus.py ${kind} failed: ${stderr}`)
}

/** Runs a program to its end: seconds of wall clock and of CPU, and peak memory in MiB, by GNU time. */
export async function run([program, ...args], { cwd, env = {}, exits = [0] } = {}) {
  const startedMs = performance.now()
  const child = spawn('/usr/bin/time', ['-q', '-f', '%U %S %M', program, ...args], {
    cwd,
    env: { ...ENV, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr.on('data', (chunk) => {
    text += chunk
  })
  const [code] = await once(child, 'close')
  const seconds = (performance.now() - startedMs) / 1000
  if (!exits.includes(code)) throw new Error(`${program} ${args.join(' ')} exited with ${code}: ${text}`)
  const [user, system, kibibytes] = text.trim().split('\n').at(-1).split(' ').map(Number)
  return { seconds, cpu: user + system, mebibytes: kibibytes / 1024 }
}

/**
 * Runs commands in turn, so that a busy minute of the machine affects all alike; resolves with the medians of each. The first
 * round warms caches and does not count. `clean` runs before every command.
 */
export async function medians(commands, { runs = 5, cwd, clean = () => undefined } = {}) {
  const results = commands.map(() => [])
  for (let round = 0; round <= runs; round += 1) {
    for (const [index, command] of commands.entries()) {
      clean()
      const result = await run(command, { cwd })
      if (round > 0) results[index].push(result)
    }
  }
  clean()
  return results.map((some) => ({
    seconds: median(some.map(({ seconds }) => seconds)),
    cpu: median(some.map(({ cpu }) => cpu)),
    mebibytes: Math.max(...some.map(({ mebibytes }) => mebibytes)),
  }))
}

function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]
}

/** A row of seconds: the tool against a peer. */
export function timeRow(id, ours, peer, against, reach) {
  return {
    id,
    ours: ours.seconds,
    cpu: ours.cpu,
    peer: peer.seconds,
    peerCpu: peer.cpu,
    against,
    ratio: ours.seconds / peer.seconds,
    reach,
  }
}

/** A row of peak memory. */
export function memoryRow(id, mebibytes, most) {
  return { id, ours: mebibytes, peer: most, against: 'MiB of peak memory', ratio: mebibytes / most, reach: 1 }
}

/** The name of a program and its version, by the first number it prints for an option. */
export function version(program, option = '--version') {
  const { stdout, stderr } = spawnSync(program, [option], { encoding: 'utf8' })
  const number = /\d+\.\d+(?:\.\d+)?/.exec(`${stdout}${stderr}`)?.[0]
  if (number === undefined) throw new Error(`${program} is not installed`)
  return `${program} ${number}`
}
