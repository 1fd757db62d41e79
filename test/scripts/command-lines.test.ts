import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/commands.ts'
import { optionsOf } from '../../src/cli/options.ts'
import { valueOfText } from '../../src/cli/settings/resolve.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { cli } from '../support/cli.ts'
import { parseLine } from '../support/command-line.ts'
import { type Fence, fencesIn, invocationsIn } from '../support/markdown-commands.ts'
import { needs, pathOf } from '../support/programs.ts'
import { IS_SOAK } from '../support/soak.ts'
import { toolCommand } from '../support/tool-command.ts'
import { createFakeClock } from '../support/world.ts'

const root = join(import.meta.dirname, '..', '..')
const PAGES = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith('.md'),
)
// In the suite only the commands of the first page run.
const RUN_PAGES = IS_SOAK ? PAGES : ['README.md']
const pages = PAGES.map((path) => ({ path, page: readFileSync(join(root, path), 'utf8') }))

const folder = mkdtempSync(join(tmpdir(), 'matdecl-docs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// Files a reader is assumed to have: parts that pass every gate, archives and reports of them, a v1 request.
const PARTS = ['EXC188R60000KA', 'EXC188R60003KA']
const FIXTURES = join(folder, 'fixtures')
const V1 =
  '{"apikey":"made-up","format":"XML","supplier":"123456789","partNumbers":"\\"A\\"","startdate":"2020-01-01"}'

let sandbox: Sandbox
let freePort: number
beforeAll(async () => {
  freePort = await unusedPort()
  sandbox = await startSandbox({
    clock: { ...createFakeClock(), nowMs: Date.now, sleep: () => Promise.resolve() },
    ratePerMinute: 10_000,
    token: 'docs-token',
  })
  mkdirSync(join(FIXTURES, 'xml'), { recursive: true })
  writeFileSync(join(FIXTURES, 'any.csv'), `part number\n${PARTS.join('\n')}\n`)
  writeFileSync(join(FIXTURES, 'any.txt'), `${PARTS.join('\n')}\n`)
  writeFileSync(join(FIXTURES, 'any.json'), V1)
  const parts = PARTS.flatMap((part) => ['--part', part])
  const got = await cli(['--base-url', sandbox.url, ...parts, '-o', 'any.zip', '-x', 'xml', '--overwrite'], {
    cwd: FIXTURES,
    env: { MATDECL_TOKEN: sandbox.token },
  })
  expect(got.stderr).toContain('verified')
  return sandbox.close
})

const runnable = (page: string): Fence[] =>
  fencesIn(page).filter(({ language, notRun }) => language === 'sh' && notRun === undefined)

// Command lines that are not run: in other languages, in prose, in blocks with a reason.
function otherLines(page: string): string[][] {
  const blocks = runnable(page)
  const others = fencesIn(page).filter((fence) => !blocks.some(({ line }) => line === fence.line))
  return [...others.map(({ text: body }) => body), ...inlineCode(page)].flatMap(invocationsIn)
}

// The blocks of a page share a directory, as for a reader who runs them in order.
describe
  .skipIf(!needs('bash', 'jq'))
  .each(pages.filter(({ path, page }) => RUN_PAGES.includes(path) && runnable(page).length > 0))(
  '$path',
  ({ path, page }) => {
    const cwd = join(folder, path.replaceAll('/', '-'))
    for (const block of runnable(page)) {
      test.skipIf(!needs(...block.needs))(`line ${block.line}: ${block.text.split('\n')[0]}`, async () => {
        mkdirSync(cwd, { recursive: true })
        const script = pointed(block.text)
        lay(script, cwd)
        const { code, output } = await run(script, cwd)
        expect(block.exits, output).toContain(code)
        expect(output).not.toMatch(/internal|^\s+at /m)
      })
    }
  },
)

test('command lines in prose and in other languages are valid', async () => {
  const lines = pages.flatMap(({ path, page }) => otherLines(page).map((argv) => ({ path, argv })))
  expect(lines.length).toBeGreaterThan(20)
  for (const { path, argv } of lines)
    expect(await problemIn(argv), `${path}: matdecl ${argv.join(' ')}`).toBe('')
})

// A path without either would be a file, which the second run would refuse to overwrite.
test('output paths have an extension, or a trailing slash for a directory', () => {
  const places = pages.flatMap(({ path, page }) =>
    [...page.matchAll(/matdecl(?: download)? [^|\n`]*?(?:-o|--output) ([^\s`']+)/g)].map(([, name]) => ({
      path,
      name,
    })),
  )
  expect(places.length).toBeGreaterThan(10)
  for (const { path, name } of places) expect(name, path).toMatch(/^-$|[/\\]$|\.[a-z]+$/)
})

test('most blocks run', () => {
  const blocks = pages.flatMap(({ page }) => fencesIn(page)).filter(({ language }) => language === 'sh')
  expect(blocks.length).toBeGreaterThan(25)
  expect(blocks.filter(({ notRun }) => notRun !== undefined).length).toBeLessThan(7)
})

test('every example of the help is a valid command line', async () => {
  for (const { examples } of COMMANDS) {
    for (const { line } of examples) {
      const [argv] = invocationsIn(line.replace(/^source <\((.*)\)$/, '$1'))
      expect(await problemIn(argv!), line).toBe('')
    }
  }
})

test('every linked page exists', () => {
  for (const { path, page } of pages) {
    for (const [, target = ''] of page.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (/^https?:/.test(target)) continue
      expect(existsSync(join(root, path, '..', target)), `${path} links to ${target}`).toBe(true)
    }
  }
})

// The sandbox replaces a real service, and one of its suppliers the supplier.
function pointed(script: string): string {
  return script
    .replaceAll('https://api.example.com', sandbox.url)
    .replaceAll('http://127.0.0.1:8402', sandbox.url)
    .replaceAll('8403', String(freePort))
    .replaceAll('123456789', '100200300')
    .replace(/MATDECL_TOKEN=(?:'[^']*'|\S+)/g, `MATDECL_TOKEN=${sandbox.token}`)
    .replaceAll('--token try-me', `--token ${sandbox.token}`)
}

// Files that a line reads and that no earlier line of the page created.
function lay(script: string, cwd: string): void {
  if (script.includes('examples/')) cpSync(join(root, 'examples'), join(cwd, 'examples'), { recursive: true })
  // Names with a time differ for a reader, who is slower.
  for (const name of readdirSync(cwd)) if (/_\d{4}-\d\d-\d\dT\d{6}Z\.zip$/.test(name)) rmSync(join(cwd, name))
  const written = new Set(
    [...script.matchAll(/(?:-o|--output|--missing|--junit|--report|>) ?(\S+)/g)].map(([, name]) => name),
  )
  for (const [name] of script.matchAll(/(?<![\w/.~-])[\w-]+\.(?:zip|csv|txt|json|sh)\b/g)) {
    const ending = name.slice(name.lastIndexOf('.'))
    if (!existsSync(join(cwd, name)) && !written.has(name))
      copyFileSync(join(FIXTURES, `any${ending}`), join(cwd, name))
  }
  for (const name of ['xml', 'incoming']) {
    if (!script.includes(`report ${name}/`) || existsSync(join(cwd, name))) continue
    mkdirSync(join(cwd, name))
    for (const file of readdirSync(join(FIXTURES, 'xml')))
      copyFileSync(join(FIXTURES, 'xml', file), join(cwd, name, file))
  }
}

async function run(script: string, cwd: string): Promise<{ code: number | null; output: string }> {
  const { program, args } = toolCommand()
  const tool = [program, ...args].map((word) => `'${word}'`).join(' ')
  // A service that would run forever is stopped when it listens; one in the background serves until the script ends.
  const prelude = `matdecl() {
  if [ "$1" != sandbox ]; then ${tool} "$@"; return; fi
  if [ "$BASHPID" != $$ ]; then exec ${tool} "$@"; fi
  coproc SERVICE { exec ${tool} "$@"; }
  read -r line <&"\${SERVICE[0]}" && kill -INT "$SERVICE_PID"
  wait "$SERVICE_PID" || [ $? = 130 ]
}
export -f matdecl
set -eo pipefail
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
`
  const child = spawn('bash', ['--norc', '--noprofile', '-c', `${prelude}${script}`], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: join(cwd, 'home'),
      MATDECL_BASE_URL: sandbox.url,
      MATDECL_TOKEN: sandbox.token,
      // The function that stands for the tool is known to bash alone.
      PARALLEL_SHELL: pathOf('bash'),
    },
  })
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  return { code, output: `${stdout}${stderr}` }
}

async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

function inlineCode(page: string): string[] {
  const prose = fencesIn(page).reduce((rest, { text: body }) => rest.replace(body, ''), page)
  return [...prose.matchAll(/`(matdecl [^`\n]+)`/g)].map(([, line]) => line!)
}

/** Why the tool refuses this command line; '' when it accepts it. */
async function problemIn(argv: readonly string[]): Promise<string> {
  try {
    const typed = await parseLine(argv)
    if (typed === undefined) return ''
    for (const row of optionsOf(typed.command)) {
      for (const value of typed.given.get(row.key) ?? []) {
        if (typeof value !== 'string' || /[$%]/.test(value)) continue
        if ('reason' in valueOfText(row, value)) return `--${row.name} does not take ${value}`
      }
    }
    return ''
  } catch (error) {
    // Prose may leave the operands out.
    const { message } = error as Error
    return message.startsWith('missing ') ? '' : message
  }
}
