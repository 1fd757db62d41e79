// The day of a user on Windows: each check runs the program in a directory below C:\, and looks at its exit code, output and files.
import { spawn } from 'node:child_process'
import {
  closeSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { drive, nodeOptions, runThere, wineEnv } from './wine.mjs'

const DEMO = ['--sandbox', '--supplier', '100200300']
const XLSX = 'PK\u0003\u0004'

/**
 * Runs the checks with `program`, the words before the arguments of matdecl. Resolves with the failures, each a line; `say` gets a
 * line for each check.
 */
export async function smoke(name, program, { node, say }) {
  const folder = join(drive, 'day', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const failures = []
  const run = (args, { preload = [], env = {} } = {}) => {
    const more = { ...nodeOptions(...preload), TEMP: 'C:\\', ...env }
    const [first, ...words] = program
    return runThere(first, [...words, ...args], { cwd: folder, more, timeoutMs: 60_000 })
  }
  const path = (...names) => join(folder, ...names)
  const read = (...names) => readFileSync(path(...names), 'utf8')
  const files = () => readdirSync(folder).toSorted()
  const hold = (file) => holdOpen(node, folder, file)
  const check = async (title, body) => {
    const wrong = []
    const expect = (what, isTrue, detail = '') => {
      if (!isTrue) wrong.push(`${what}${detail === '' ? '' : `: ${String(detail).trim().slice(0, 400)}`}`)
    }
    const expectRun = (args, code, pattern, options) => {
      const result = run(args, options)
      const text = `${result.stdout}${result.stderr}`
      expect(`${args.join(' ')} exits with ${code}, not ${result.code}`, result.code === code, text)
      if (pattern !== undefined) expect(`${args.join(' ')} prints ${pattern}`, pattern.test(text), text)
      return text
    }
    try {
      await body({ expect, expectRun })
    } catch (error) {
      wrong.push(String(error?.stack ?? error))
    }
    say(`${wrong.length === 0 ? 'ok  ' : 'FAIL'} ${name}: ${title}`)
    failures.push(...wrong.map((line) => `${name}: ${title}: ${line}`))
  }
  const startSandbox = () => runSandbox(program, folder)
  await day({ check, path, read, files, hold, startSandbox })
  return failures
}

async function day({ check, path, read, files, hold, startSandbox }) {
  await check('version and help', ({ expectRun }) => {
    expectRun(['--version'], 0, /^matdecl \d/)
    expectRun(['download', '--help'], 0, /--supplier/)
  })
  await check('download, list and extract', ({ expect, expectRun }) => {
    expectRun(['download', ...DEMO, '-o', 'demo.zip', '-l', '-x', '--manifest'], 0, /extracted 28 files/)
    expect('28 files', readdirSync(path('demo')).length === 28)
    expect('nothing else is left', files().join() === 'demo,demo.zip,demo.zip.manifest.json', files())
  })
  await check('an existing file is not replaced without being asked', ({ expect, expectRun }) => {
    const before = read('demo.zip')
    expectRun(['download', ...DEMO, '-o', 'demo.zip'], 9, /exists/)
    expect('unchanged', read('demo.zip') === before)
    expectRun(['download', ...DEMO, '-o', 'demo.zip', '--overwrite'], 0)
  })
  await check('verify, also against the manifest', ({ expectRun }) => {
    expectRun(['verify', 'demo.zip', '--manifest', 'demo.zip.manifest.json'], 0, /matches/)
  })
  await check('extract: new, existing, into it', ({ expect, expectRun }) => {
    expectRun(['extract', 'demo.zip', 'out\\deep'], 0, /28 files/)
    expectRun(['extract', 'demo.zip', 'out\\deep'], 9, /exists/)
    const [first] = readdirSync(path('out', 'deep'))
    writeFileSync(path('out', 'deep', first), 'old')
    expectRun(['extract', 'demo.zip', 'out/deep', '--overwrite'], 0)
    expect('replaced', read('out', 'deep', first) !== 'old')
    expect('no temporary directory', readdirSync(path('out')).join() === 'deep', readdirSync(path('out')))
  })
  await check('a file in the place of a directory', ({ expect, expectRun }) => {
    writeFileSync(path('taken'), '')
    expectRun(['extract', 'demo.zip', 'taken', '--overwrite'], 9, /not a directory/)
    expect('still a file', read('taken') === '')
  })
  await check(
    'a damaged archive leaves nothing, and an obstacle changes nothing',
    async ({ expect, expectRun }) => {
      const names = ['a/b/c/1.xml', 'a/b/2.xml', 'a/3.xml', 'z/last.xml']
      await writeZip(path('deep.zip'), names)
      const bytes = readFileSync(path('deep.zip'))
      const damaged = Buffer.from(bytes)
      damaged[damaged.indexOf('z/last.xml') + 12] ^= 0xff
      writeFileSync(path('damaged.zip'), damaged)
      expectRun(['extract', 'damaged.zip', 'damaged'], 8)
      expect('nothing', !existsSync(path('damaged')))
      rmSync(path('damaged.zip'))
      mkdirSync(path('blocked'))
      writeFileSync(path('blocked', 'a'), 'mine')
      expectRun(['extract', 'deep.zip', 'blocked', '--overwrite'], 9, /in the way of a directory/)
      expect('the file', read('blocked', 'a') === 'mine' && readdirSync(path('blocked')).length === 1)
      expect(
        'no temporary directory',
        files().every((name) => !name.startsWith('.')),
        files(),
      )
      expectRun(['extract', 'deep.zip', 'deep'], 0, /4 files/)
    },
  )
  await check('a drive or share that is not there', ({ expectRun }) => {
    expectRun(['extract', 'demo.zip', 'Q:\\x'], 9, /no drive or share Q:/)
    expectRun(['report', 'demo.zip', '-o', 'Q:\\x\\r.csv'], 9)
  })
  await check('names of devices, streams and drives', ({ expect, expectRun }) => {
    for (const name of ['NUL', 'CON.zip', 'trail.', 'ab:c.zip', 'a?b.zip', 'new\\AUX\\a.zip'])
      expectRun(['download', ...DEMO, '-o', name], 2, /reserved|dot or a space|stream|does not allow/)
    expectRun(['download', ...DEMO, '-o', 'C:rel.zip', '-q'], 0)
    expect('in the working directory', existsSync(path('rel.zip')), files())
    expect(
      'no other name',
      files()
        .join()
        .match(/NUL|CON|trail|AUX|:/) === null,
      files(),
    )
  })
  await check('wildcards', ({ expectRun }) => {
    expectRun(['verify', '*.ZIP'], 0, /demo\.zip: 28[\s\S]*rel\.zip: 28/)
    expectRun(['list', 'no*.zip'], 2, /no file matches/)
    expectRun(['report', 'dem?.zip', '-o', 'wild.csv'], 0, /31 rows/)
  })
  await check('reports in every format', ({ expect, expectRun }) => {
    for (const ending of ['csv', 'tsv', 'json', 'ndjson', 'xlsx', 'html', 'md', 'parquet'])
      expectRun(['report', 'demo.zip', '-o', `all.${ending}`, '-q'], 0)
    expect('a workbook', read('all.xlsx').startsWith(XLSX))
    expectRun(['report', 'demo', '-o', 'folder.csv', '-q'], 0)
    expect('sources with /', /demo\/1752A/.test(read('folder.csv')), read('folder.csv').slice(0, 600))
  })
  await check('a workbook that is open in Excel', async ({ expect, expectRun }) => {
    const before = read('all.xlsx')
    const held = await hold('all.xlsx')
    try {
      expectRun(['report', 'demo.zip', '-o', 'all.xlsx', '--overwrite'], 9, /is open in another program/)
    } finally {
      await held.release()
    }
    expect('unchanged', read('all.xlsx') === before)
    expectRun(['report', 'demo.zip', '-o', 'all.xlsx', '--overwrite'], 0)
  })
  await check('a parts list: missing parts, roll-up, gate', ({ expect, expectRun }) => {
    writeFileSync(path('bom.csv'), 'part number,quantity\r\nEXC188R60000KA,2\r\nNOT-THERE,1\r\n')
    expectRun(
      [
        'download',
        ...DEMO,
        '--parts-file',
        'bom.csv',
        '-o',
        'bom.zip',
        '--missing',
        'missing.txt',
        '--report',
        'bom.html',
      ],
      0,
      /1 missing/,
    )
    expect('the missing part', read('missing.txt').trim() === 'NOT-THERE', read('missing.txt'))
    expectRun(['report', 'bom.zip', '--parts-file', 'bom.csv', '--fail-on', 'missing'], 13)
    expectRun(['diff', 'demo.zip', 'bom.zip'], 0, /removed/)
  })
  await check('entry names that Windows does not have', async ({ expect, expectRun }) => {
    await writeZip(path('names.zip'), ['fine.xml', 'what?.xml'])
    expectRun(['verify', 'names.zip'], 0, /cannot be extracted on Windows/)
    expectRun(['extract', 'names.zip', 'names'], 8, /"what\?\.xml": name contains \?/)
    expect('nothing was written', !existsSync(path('names')))
    expectRun(['extract', 'names.zip', 'names', '--exclude', 'what*'], 0)
  })
  await check('settings, token file and token command', ({ expectRun }) => {
    writeFileSync(path('t.cmd'), '@echo secret-of-cmd\r\n')
    writeFileSync(path('token.txt'), 'secret-of-file\r\n')
    const config = (text) => writeFileSync(path('c.toml'), `base-url = "https://localhost:9"\n${text}\n`)
    const shown = ['doctor', '--config', 'c.toml']
    config("token-file = 'token.txt'")
    expectRun(shown, 7, /not checked: who can read [\s\S]*found a token in c\.toml:2: token-file/)
    config(`token-command = ["cmd", "/c", 't.cmd']`)
    expectRun(shown, 7, /found a token in c\.toml:2: token-command/)
    config(`token-command = "t"`)
    expectRun(shown, 3, /\["cmd", "\/c", "t", …\]/)
    config(String.raw`token-file = "C:\Users\x"`)
    expectRun(['config', 'show', '--config', 'c.toml'], 3, /single quotes/)
    expectRun(['config', 'path'], 0, /AppData\\(Roaming|Local)\\matdecl/)
  })
  await check('FAT and exFAT, without hard links', ({ expect, expectRun }) => {
    const options = { preload: ['exfat'] }
    expectRun(['download', ...DEMO, '-o', 'fat.zip', '-x', '--report', 'fat.csv'], 0, /extracted 28/, options)
    expectRun(['download', ...DEMO, '-o', 'fat.zip'], 9, /exists/, options)
    expectRun(['report', 'demo.zip', '-o', 'fat.csv'], 9, /exists/, options)
    expectRun(['extract', 'fat.zip', 'fat', '--overwrite'], 0, /28/, options)
    expect(
      'no drafts or locks',
      files().every((name) => !name.startsWith('.')),
      files(),
    )
  })
  await check(
    'device numbers that differ (Node 22.12 to 22.16 on Windows 11 24H2)',
    ({ expect, expectRun }) => {
      const text = expectRun(['download', ...DEMO, '-o', 'dev.zip', '-x'], 0, /extracted 28/, {
        preload: ['devices'],
      })
      expect('one request', !/retrying|disappeared/.test(text), text)
      expectRun(['extract', 'dev.zip', 'dev', '--overwrite'], 0, /28/, { preload: ['devices'] })
    },
  )
  await check('errors that libuv has no name for', ({ expectRun }) => {
    const options = { preload: ['unknown'] }
    for (const args of [
      ['verify', 'offline.zip'],
      ['extract', 'demo.zip', 'offline'],
      ['report', 'offline.zip'],
      ['report', 'demo.zip', '-o', 'offline.csv'],
      ['download', ...DEMO, '-o', 'offline.zip'],
      ['download', ...DEMO, '-o', 'o.zip', '--parts-file', 'offline.csv'],
    ])
      expectRun(args, 9, /unexpected error of Windows[\s\S]*hint: check/, options)
  })
  await check('a stopped run resumes', async ({ expect, expectRun }) => {
    const sandbox = await startSandbox()
    try {
      const args = [
        '--base-url',
        sandbox.url,
        '--batch-size',
        '1',
        '--parts-file',
        'three.txt',
        '--concurrency',
        '1',
        '-o',
        'three.zip',
      ]
      const env = { MATDECL_TOKEN: 'try-me' }
      writeFileSync(path('three.txt'), 'EXC188R60000KA\nEXC188R60001KA\nEXC188R60003KA\n')
      expectRun(['download', ...args], 42, undefined, { preload: ['killed'], env })
      expect('a job directory', existsSync(path('three.zip.parts')), files())
      expect('no archive yet', !existsSync(path('three.zip')))
      const text = expectRun(['download', ...args, '--manifest'], 0, /3 found/, { env })
      const { requests } = JSON.parse(read('three.zip.manifest.json'))
      expect('responses are used again', /resum|earlier run/.test(text), `${text}${JSON.stringify(requests)}`)
      expect(
        'no lock and no job directory',
        files().every((one) => !/three.*(?:lock|parts)$/.test(one)),
        files(),
      )
    } finally {
      await sandbox.stop()
    }
  })
  await check('no secret and no temporary file is left', ({ expect }) => {
    expect(
      'hidden files',
      files().every((name) => !name.startsWith('.')),
      files(),
    )
  })
}

async function writeZip(path, names) {
  const zip = new ZipFile()
  for (const name of names) zip.addBuffer(Buffer.from('<a/>'), name)
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}

// Holds a file open without sharing, until it is released.
async function holdOpen(node, folder, file) {
  const mark = join(folder, 'held')
  const child = spawn('wine', [node, 'C:\\app\\hold.mjs', file, '60000'], {
    cwd: folder,
    env: { ...wineEnv, MATDECL_HELD: 'held' },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  for (let tries = 0; !existsSync(mark) && tries < 300; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
  return {
    release: async () => {
      rmSync(mark, { force: true })
      await ended
    },
  }
}

// The mock service in a process of its own, so that its URL stays the same.
async function runSandbox(program, folder) {
  const said = join(folder, '..', 'sandbox.txt')
  rmSync(said, { force: true })
  const out = openSync(said, 'w')
  const args = [...program, 'sandbox', '--token', 'try-me']
  const child = spawn('wine', args, {
    cwd: folder,
    env: { ...wineEnv, ...nodeOptions() },
    stdio: ['ignore', out, 'ignore'],
  })
  closeSync(out)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const found = () => /http:\S+/.exec(readFileSync(said, 'utf8'))?.[0]
  for (let tries = 0; found() === undefined && tries < 300; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
  return {
    url: found(),
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
