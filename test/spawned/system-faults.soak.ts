import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ended, start } from '../support/binary.ts'
import { TOKEN } from '../support/cli.ts'
import { fileA, productXml } from '../support/declarations.ts'
import { needs } from '../support/programs.ts'
import { type TestService, testService } from '../support/service.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const PARTS = ['A-1', 'A-2', 'A-3', 'B-1', 'B-2', 'B-3']
const SHIM = join(import.meta.dirname, '..', 'support', 'system-fault.c')

/** A command, and the files and directories that it promises. */
interface Command {
  readonly name: string
  readonly argv: (url: string) => readonly string[]
  readonly outputs: readonly string[]
  readonly requests: number
}

const COMMANDS: readonly Command[] = [
  {
    name: 'download',
    argv: (url) => [
      ...['download', '--base-url', url, '--parts-file', 'parts.txt', '--batch-size', '2'],
      ...['-o', 'o.zip', '-x', 'o', '--report', 'r.csv', '--rate', '100000', '--json'],
    ],
    outputs: ['o.zip', 'o', 'r.csv'],
    requests: 3,
  },
  { name: 'extract', argv: () => ['extract', 'a.zip', 'o', '--json'], outputs: ['o'], requests: 0 },
  {
    name: 'report',
    argv: () => ['report', 'a.zip', '-o', 'r.csv', '--json'],
    outputs: ['r.csv'],
    requests: 0,
  },
  {
    name: 'sync',
    argv: (url) => [
      ...['sync', '--base-url', url, '--library', 'lib', '--parts-file', 'parts.txt', '--batch-size', '2'],
      ...['--rate', '100000', '--json', '--max-age', '1h'],
    ],
    outputs: [],
    requests: 3,
  },
]

/** What a call does when it fails. */
function errnoOf(call: string): number {
  const { EACCES, EIO, ENOSPC } = constants.errno
  if (call === 'open') return EACCES
  return /write|mkdir/.test(call) ? ENOSPC : EIO
}

test.skipIf(process.platform !== 'linux' || !needs('cc'))(
  'one system call that fails: no lie, no loss, and the next run completes',
  { timeout: 3_600_000 },
  () =>
    withFolder(async (root) => {
      const shim = join(root, 'fault.so')
      execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', shim, SHIM, '-ldl'])
      await using service = await testService(({ target }) => ({ body: archiveOf(partsIn(target)) }))
      const faults: Fault[] = []
      for (const command of COMMANDS) {
        const good = await prepare(root, `${command.name}-good`)
        const log = join(root, `${command.name}.log`)
        const run = await runIn(good, command.argv(service.url), { ...preload(shim, good), FAULT_LOG: log })
        expect(run, run.stderr).toMatchObject({ code: 0 })
        const calls = (await readFile(log, 'utf8')).trimEnd().split('\n')
        const promised = await contents(good, command)
        for (const [index, call] of calls.entries())
          faults.push({ command, at: index + 1, call, promised, files: (await readdir(good)).toSorted() })
      }
      expect(faults.length).toBeGreaterThan(300)
      const wrong: string[] = []
      const codes = new Map<string, number>()
      const next = faults.values()
      const worker = async (number: number): Promise<void> => {
        for (const fault of next) {
          // Each has a service of its own, so that its requests can be counted.
          await using own = await testService(({ target }) => ({ body: archiveOf(partsIn(target)) }))
          const folder = await prepare(root, `w${number}-${fault.command.name}-${fault.at}`)
          const { code, problems } = await tryFault(fault, folder, shim, own)
          const key = `${fault.command.name}: exit ${code}`
          codes.set(key, (codes.get(key) ?? 0) + 1)
          wrong.push(...problems.map((each) => `${fault.command.name} ${fault.at} ${fault.call}: ${each}`))
        }
      }
      await Promise.all([worker(0), worker(1)])
      process.stderr.write(
        `${faults.length} faults; ${[...codes]
          .sort()
          .map((each) => each.join(' × '))
          .join(', ')}\n`,
      )
      expect(wrong).toEqual([])
    }),
)

interface Fault {
  readonly command: Command
  readonly at: number
  readonly call: string
  readonly promised: ReadonlyMap<string, string>
  /** What is in the directory after a good run. */
  readonly files: readonly string[]
}

async function tryFault(
  { command, at, call, promised, files }: Fault,
  folder: string,
  shim: string,
  service: TestService,
): Promise<{ readonly code: number | null; readonly problems: readonly string[] }> {
  const problems: string[] = []
  const expectTrue = (isTrue: boolean, what: string): void => {
    if (!isTrue) problems.push(what)
  }
  const argv = command.argv(service.url)
  const [name = ''] = call.split(' ')
  const fault = { FAULT_AT: String(at), FAULT_ERRNO: String(errnoOf(name)) }
  const first = await runIn(folder, argv, { ...preload(shim, folder), ...fault })
  const said = `${first.stderr} ${first.stdout.slice(0, 300)}`
  expectTrue(first.code === 0 || first.code === 9, `exit ${first.code} ${first.signal}: ${said}`)
  const status: unknown = JSON.parse(first.stdout || '{}').status
  expectTrue(status === (first.code === 0 ? 'ok' : 'failed'), `exit ${first.code} with ${status}`)
  for (const [output, content] of promised) {
    const now = await contentOf(join(folder, output))
    if (now === undefined) expectTrue(first.code !== 0, `exit 0 without ${output}`)
    else expectTrue(now === content, `${output} has other content after exit ${first.code}: ${said}`)
  }
  const again = await runIn(folder, argv, {})
  const isWhole = (await contents(folder, command)).size === command.outputs.length
  const isDone = again.code === 0 || (again.code === 9 && isWhole && /exists/.test(again.stderr))
  expectTrue(isDone, `the next run: exit ${again.code} ${again.stderr} (after ${first.code}: ${said})`)
  for (const [output, content] of promised)
    expectTrue((await contentOf(join(folder, output))) === content, `${output} after the next run`)
  // A response that was in flight may be lost with the fault; of more than one, it says so.
  const lost = Math.max(
    1,
    Number(/(\d+) requests? in flight will be sent again/.exec(first.stderr)?.[1] ?? 1),
  )
  const requests = service.requests.length
  expectTrue(
    requests <= command.requests + lost,
    `${requests} requests instead of ${command.requests} (after ${first.code}: ${said})`,
  )
  if (command.name === 'sync') {
    const checked = await runIn(folder, ['verify', '--library', 'lib'], {})
    expectTrue(checked.code === 0, `verify --library: ${checked.code} ${checked.stderr}`)
    const report = await runIn(folder, ['report', '--library', 'lib', '-o', '-'], {})
    expectTrue(
      PARTS.every((part) => report.stdout.includes(part)),
      `the library lacks parts: ${report.stderr}`,
    )
  }
  if (again.code === 0) {
    const left = (await readdir(folder)).filter((one) => !files.includes(one))
    expectTrue(left.length === 0, `left: ${left} (after ${first.code}: ${said})`)
  }
  return { code: first.code, problems }
}

async function prepare(root: string, name: string): Promise<string> {
  const folder = join(root, name)
  await mkdir(join(folder, 'home'), { recursive: true })
  await writeFile(join(folder, 'parts.txt'), PARTS.join('\n'))
  await writeFile(join(folder, 'a.zip'), archiveOf(PARTS))
  return folder
}

function preload(shim: string, folder: string): Record<string, string> {
  return { LD_PRELOAD: shim, FAULT_ROOT: folder }
}

async function runIn(folder: string, argv: readonly string[], env: Readonly<Record<string, string>>) {
  const child = start(argv, {
    cwd: folder,
    env: { MATDECL_TOKEN: TOKEN, HOME: join(folder, 'home'), ...env },
  })
  child.stdin!.end()
  return ended(child)
}

async function contents(folder: string, { outputs }: Command): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const output of outputs) {
    const content = await contentOf(join(folder, output))
    if (content !== undefined) found.set(output, content)
  }
  return found
}

/** A file, or all files of a directory, as a text; undefined when nothing is there. */
async function contentOf(path: string): Promise<string | undefined> {
  const facts = await stat(path).catch(() => undefined)
  if (facts === undefined) return undefined
  if (facts.isFile()) return readFile(path, 'latin1')
  const names = (await readdir(path)).toSorted()
  const files = await Promise.all(names.map((name) => readFile(join(path, name), 'latin1')))
  return names.map((name, index) => `${name}\n${files[index]}`).join('\n')
}

const partsIn = (target: string): string[] => new URL(target, 'http://x').searchParams.getAll('partNumbers[]')

function archiveOf(parts: readonly string[]): Buffer {
  return zip(parts.map((part) => ({ name: `${part}.xml`, data: fileA(productXml([part], '')) })))
}
