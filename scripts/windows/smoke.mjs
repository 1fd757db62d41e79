// The day of a user on Windows: each check runs the program in a directory below C:\, and looks at its exit code, output and files.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
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
  const hold = (file, env) => holdOpen(node, folder, file, env)
  const check = async (title, body) => {
    const wrong = []
    const expect = (what, isTrue, detail = '') => {
      if (!isTrue) wrong.push(`${what}${detail === '' ? '' : `: ${String(detail).trim().slice(0, 400)}`}`)
    }
    const expectRun = async (args, code, pattern, options) => {
      const result = await run(args, options)
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
  await day({ name, node, check, path, read, files, hold, startSandbox })
  return failures
}

async function day({ name, node, check, path, read, files, hold, startSandbox }) {
  await check('version and help', async ({ expectRun }) => {
    await expectRun(['--version'], 0, /^matdecl \d/)
    await expectRun(['download', '--help'], 0, /--supplier/)
  })
  await check('download, list and extract', async ({ expect, expectRun }) => {
    await expectRun(
      ['download', ...DEMO, '-o', 'demo.zip', '-l', '-x', '--manifest'],
      0,
      /extracted 28 files/,
    )
    expect('28 files', readdirSync(path('demo')).length === 28)
    expect('nothing else is left', files().join() === 'demo,demo.zip,demo.zip.manifest.json', files())
  })
  await check('an existing file is not replaced without being asked', async ({ expect, expectRun }) => {
    const before = read('demo.zip')
    await expectRun(['download', ...DEMO, '-o', 'demo.zip'], 9, /exists/)
    expect('unchanged', read('demo.zip') === before)
    await expectRun(['download', ...DEMO, '-o', 'demo.zip', '--overwrite'], 0)
  })
  await check('verify, also against the manifest', async ({ expectRun }) => {
    await expectRun(['verify', 'demo.zip', '--manifest', 'demo.zip.manifest.json'], 0, /matches/)
  })
  await check('extract: new, existing, into it', async ({ expect, expectRun }) => {
    await expectRun(['extract', 'demo.zip', 'out\\deep'], 0, /28 files/)
    await expectRun(['extract', 'demo.zip', 'out\\deep'], 9, /exists/)
    const [first] = readdirSync(path('out', 'deep'))
    writeFileSync(path('out', 'deep', first), 'old')
    await expectRun(['extract', 'demo.zip', 'out/deep', '--overwrite'], 0)
    expect('replaced', read('out', 'deep', first) !== 'old')
    expect('no temporary directory', readdirSync(path('out')).join() === 'deep', readdirSync(path('out')))
  })
  await check('a file in the place of a directory', async ({ expect, expectRun }) => {
    writeFileSync(path('taken'), '')
    await expectRun(['extract', 'demo.zip', 'taken', '--overwrite'], 9, /not a directory/)
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
      await expectRun(['extract', 'damaged.zip', 'damaged'], 8)
      expect('nothing', !existsSync(path('damaged')))
      rmSync(path('damaged.zip'))
      mkdirSync(path('blocked'))
      writeFileSync(path('blocked', 'a'), 'mine')
      await expectRun(['extract', 'deep.zip', 'blocked', '--overwrite'], 9, /in the way of a directory/)
      expect('the file', read('blocked', 'a') === 'mine' && readdirSync(path('blocked')).length === 1)
      expect(
        'no temporary directory',
        files().every((name) => !name.startsWith('.')),
        files(),
      )
      await expectRun(['extract', 'deep.zip', 'deep'], 0, /4 files/)
    },
  )
  await check('a drive or share that is not there', async ({ expectRun }) => {
    await expectRun(['extract', 'demo.zip', 'Q:\\x'], 9, /no drive or share Q:/)
    await expectRun(['report', 'demo.zip', '-o', 'Q:\\x\\r.csv'], 9)
  })
  await check('names of devices, streams and drives', async ({ expect, expectRun }) => {
    for (const name of ['NUL', 'CON.zip', 'trail.', 'ab:c.zip', 'a?b.zip', 'new\\AUX\\a.zip'])
      await expectRun(['download', ...DEMO, '-o', name], 2, /reserved|dot or a space|stream|does not allow/)
    await expectRun(['download', ...DEMO, '-o', 'C:rel.zip', '-q'], 0)
    expect('in the working directory', existsSync(path('rel.zip')), files())
    expect(
      'no other name',
      files()
        .join()
        .match(/NUL|CON|trail|AUX|:/) === null,
      files(),
    )
  })
  await check('wildcards', async ({ expectRun }) => {
    await expectRun(['verify', '*.ZIP'], 0, /demo\.zip: 28[\s\S]*rel\.zip: 28/)
    await expectRun(['list', 'no*.zip'], 2, /no file matches/)
    await expectRun(['report', 'dem?.zip', '-o', 'wild.csv'], 0, /31 rows/)
  })
  await check('reports in every format', async ({ expect, expectRun }) => {
    for (const ending of ['csv', 'tsv', 'json', 'ndjson', 'xlsx', 'html', 'md', 'parquet'])
      await expectRun(['report', 'demo.zip', '-o', `all.${ending}`, '-q'], 0)
    expect('a workbook', read('all.xlsx').startsWith(XLSX))
    await expectRun(['report', 'demo', '-o', 'folder.csv', '-q'], 0)
    expect('sources with /', /demo\/1752A/.test(read('folder.csv')), read('folder.csv').slice(0, 600))
  })
  await check('a workbook that is open in Excel', async ({ expect, expectRun }) => {
    const before = read('all.xlsx')
    const held = await hold('all.xlsx')
    try {
      await expectRun(
        ['report', 'demo.zip', '-o', 'all.xlsx', '--overwrite'],
        9,
        /another program is using it/,
      )
    } finally {
      await held.release()
    }
    expect('unchanged', read('all.xlsx') === before)
    await expectRun(['report', 'demo.zip', '-o', 'all.xlsx', '--overwrite'], 0)
  })
  await check('a parts list: missing parts, roll-up, gate', async ({ expect, expectRun }) => {
    writeFileSync(path('bom.csv'), 'part number,quantity\r\nEXC188R60000KA,2\r\nNOT-THERE,1\r\n')
    await expectRun(
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
    await expectRun(['report', 'bom.zip', '--parts-file', 'bom.csv', '--fail-on', 'missing'], 13)
    await expectRun(['diff', 'demo.zip', 'bom.zip'], 0, /removed/)
  })
  await check('entry names that Windows does not have', async ({ expect, expectRun }) => {
    await writeZip(path('names.zip'), ['fine.xml', 'what?.xml'])
    await expectRun(['verify', 'names.zip'], 0, /cannot be extracted on Windows/)
    await expectRun(['extract', 'names.zip', 'names'], 8, /"what\?\.xml": name contains \?/)
    expect('nothing was written', !existsSync(path('names')))
    await expectRun(['extract', 'names.zip', 'names', '--exclude', 'what*'], 0)
  })
  await check('settings, token file and token command', async ({ expectRun }) => {
    writeFileSync(path('t.cmd'), '@echo secret-of-cmd\r\n')
    writeFileSync(path('token.txt'), 'secret-of-file\r\n')
    const config = (text) => writeFileSync(path('c.toml'), `base-url = "https://localhost:9"\n${text}\n`)
    const shown = ['doctor', '--config', 'c.toml']
    config("token-file = 'token.txt'")
    await expectRun(shown, 7, /not checked: who can read [\s\S]*found a token in c\.toml:2: token-file/)
    config(String.raw`token-command = ["cmd", "/c", '.\t.cmd']`)
    await expectRun(shown, 7, /found a token in c\.toml:2: token-command/)
    config(`token-command = "t"`)
    await expectRun(shown, 3, /\["cmd", "\/c", "t", …\]/)
    config(String.raw`token-file = "C:\Users\x"`)
    await expectRun(['config', 'show', '--config', 'c.toml'], 3, /single quotes/)
    await expectRun(['config', 'path'], 0, /AppData\\(Roaming|Local)\\matdecl/)
  })
  await check('FAT and exFAT, without hard links', async ({ expect, expectRun }) => {
    const options = { preload: ['exfat'] }
    await expectRun(
      ['download', ...DEMO, '-o', 'fat.zip', '-x', '--report', 'fat.csv'],
      0,
      /extracted 28/,
      options,
    )
    await expectRun(['download', ...DEMO, '-o', 'fat.zip'], 9, /exists/, options)
    await expectRun(['report', 'demo.zip', '-o', 'fat.csv'], 9, /exists/, options)
    await expectRun(['extract', 'fat.zip', 'fat', '--overwrite'], 0, /28/, options)
    expect(
      'no drafts or locks',
      files().every((name) => !name.startsWith('.')),
      files(),
    )
  })
  await check(
    'device numbers that differ (Node 22.12 to 22.16 on Windows 11 24H2)',
    async ({ expect, expectRun }) => {
      const text = await expectRun(['download', ...DEMO, '-o', 'dev.zip', '-x'], 0, /extracted 28/, {
        preload: ['devices'],
      })
      expect('one request', !/retrying|disappeared/.test(text), text)
      await expectRun(['extract', 'dev.zip', 'dev', '--overwrite'], 0, /28/, { preload: ['devices'] })
    },
  )
  await check('errors that libuv has no name for', async ({ expectRun }) => {
    const options = { preload: ['unknown'] }
    for (const args of [
      ['verify', 'offline.zip'],
      ['extract', 'demo.zip', 'offline'],
      ['report', 'offline.zip'],
      ['report', 'demo.zip', '-o', 'offline.csv'],
      ['download', ...DEMO, '-o', 'offline.zip'],
      ['download', ...DEMO, '-o', 'o.zip', '--parts-file', 'offline.csv'],
    ])
      await expectRun(args, 9, /unexpected error of Windows[\s\S]*hint: check/, options)
  })
  await check('a program in the working directory is not started by its bare name', async ({ expectRun }) => {
    symlinkSync(node, path('planted.exe'))
    const config = (command) =>
      writeFileSync(path('p.toml'), `base-url = "https://localhost:9"\ntoken-command = ${command}\n`)
    const args = ['doctor', '--config', 'p.toml']
    config(`["planted", "-p", "'of-the-archive'"]`)
    await expectRun(args, 3, /planted cannot be run \(ENOENT\)/)
    config(`['.\\planted.exe', "-p", "'of-the-user'"]`)
    await expectRun(args, 7, /found a token in p\.toml:2: token-command/)
  })
  await check('a virus scanner that holds new files', async ({ expect, expectRun }) => {
    const options = { preload: ['scanner'] }
    const all = ['-o', 'scan.zip', '-x', '--report', 'scan.xlsx', '--manifest']
    await expectRun(['download', ...DEMO, ...all, '--overwrite'], 0, /extracted 28 files/, options)
    await expectRun(['download', ...DEMO, ...all], 9, /exists/, options)
    await expectRun(
      ['extract', 'scan.zip', 'scan', '--overwrite', '--include', '*1752A*'],
      0,
      /files/,
      options,
    )
    expect('the archive', existsSync(path('scan.zip')))
    expect(
      'nothing is left',
      files().every((name) => !name.startsWith('.')),
      files(),
    )
  })
  await check(
    'a folder or file that cannot be written is found before anything is sent',
    async ({ expect, expectRun }) => {
      const options = { preload: ['denied'] }
      mkdirSync(path('denied'))
      for (const [option, more] of [
        ['--output', ['-o', 'denied\\a.zip']],
        ['--extract', ['-o', 'ok.zip', '-x', 'denied\\x']],
        ['--report', ['-o', 'ok.zip', '--report', 'denied\\r.csv']],
        ['--manifest', ['-o', 'ok.zip', '--manifest', 'denied\\m.json']],
      ]) {
        const text = await expectRun(['download', ...DEMO, ...more], 9, /cannot write to .*denied/, options)
        expect(`${option} is named`, text.includes(option), text)
        expect('nothing was sent', !/requesting/.test(text) && !existsSync(path('ok.zip')), text)
      }
      writeFileSync(path('ro.zip'), 'old')
      chmodSync(path('ro.zip'), 0o444)
      await expectRun(
        ['download', ...DEMO, '-o', 'ro.zip', '--overwrite'],
        9,
        /ro\.zip is read-only[\s\S]*attrib/,
      )
      expect('unchanged', read('ro.zip') === 'old')
    },
  )
  await check('virtual and fresh drives', async ({ expect, expectRun }) => {
    const options = { preload: ['virtual'] }
    copyFileSync(path('demo.zip'), path('first.zip'))
    const other = join(drive, '..', 'drive_e', `${name}-first.csv`)
    mkdirSync(dirname(other), { recursive: true })
    writeFileSync(other, 'old')
    const csv = `E:\\${name}\\first.csv`
    mkdirSync(join(drive, '..', 'drive_e', name), { recursive: true })
    await expectRun(['report', 'demo.zip', '-o', csv, '--overwrite'], 0)
    await expectRun(['report', 'first.zip', '-o', csv, '--overwrite'], 0, undefined, options)
    await expectRun(['extract', 'first.zip', 'virtual\\x'], 0, /28 files/, options)
    await expectRun(['extract', 'first.zip', 'virtual\\x', '--overwrite'], 0, /28 files/, options)
    expect('28 files', readdirSync(path('virtual', 'x')).length === 28)
  })
  await check(
    'locks: of a process that runs, and with the number of another one',
    async ({ expect, expectRun }) => {
      const lock = path('.lock.zip.lock')
      writeFileSync(path('other'), '')
      const other = await hold('other', { MATDECL_SHARED: '1' })
      const asked = await runThere(node, ['-p', 'os.hostname()'], { cwd: path(), more: nodeOptions() })
      const host = asked.stdout.trim()
      const owner = {
        pid: other.pid,
        host,
        system: 'windows',
        startedAt: '2026-01-01T00:00:00.000Z',
        run: '0',
      }
      const hourAgo = Date.now() / 1000 - 3600
      const leave = () => {
        writeFileSync(lock, `${JSON.stringify(owner)}\n`)
        utimesSync(lock, hourAgo, hourAgo)
      }
      leave()
      await other.release()
      const another = await hold('other', { MATDECL_SHARED: '1' })
      owner.pid = another.pid
      leave()
      await expectRun(['download', ...DEMO, '-o', 'lock.zip'], 0)
      await another.release()
      leave()
      const running = await hold('.lock.zip.lock', { MATDECL_SHARED: '1' })
      owner.pid = running.pid
      leave()
      await expectRun(['download', ...DEMO, '-o', 'lock.zip', '--overwrite'], 11, /in use by process/)
      await running.release()
      await expectRun(['download', ...DEMO, '-o', 'lock.zip', '--overwrite'], 0)
      expect('no lock is left', !existsSync(lock), files())
    },
  )
  await check('texts of Windows programs, and names', async ({ expect, expectRun }) => {
    writeFileSync(path('token16.txt'), Buffer.from('\ufeffsecret-of-file\r\n', 'utf16le'))
    writeFileSync(
      path('latin.toml'),
      Buffer.from("# Schl\xfcssel\r\nbase-url = 'https://localhost:9'\r\n", 'latin1'),
    )
    await expectRun(['doctor', '--config', 'latin.toml'], 7, /found a token in MATDECL_TOKEN_FILE/, {
      env: { MATDECL_TOKEN_FILE: 'token16.txt' },
    })
    const plan = await expectRun(['download', '--sandbox', '--dry-run', '--json'], 0, undefined, {
      env: { MATDECL_PART: 'A-1\r\nB-2\r\n' },
    })
    expect('two parts', /"parts":\["A-1","B-2"\]/.test(plan), plan)
    // Windows counts characters: this name has 270 bytes.
    await expectRun(['extract', 'demo.zip', `${'部'.repeat(90)}`], 0, /28 files/)
  })
  await check(
    'what a user copies into cmd, and names in another Unicode form',
    async ({ expect, expectRun }) => {
      writeFileSync(path('my config.toml'), "base-url = 'https://localhost:9'\n")
      await expectRun(['doctor', '--config', 'my config.toml'], 3, /login --config "my config\.toml"/)
      await writeZip(path('umlaut.zip'), ['Erkla\u0308rung.xml', 'other.xml'])
      await expectRun(['extract', 'umlaut.zip', 'umlaut', '--include', 'Erkl\u00e4r*'], 0, /1 file/)
      expect('one file', readdirSync(path('umlaut')).length === 1, readdirSync(path('umlaut')))
    },
  )
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
      await expectRun(['download', ...args], 42, undefined, { preload: ['killed'], env })
      expect('a job directory', existsSync(path('three.zip.parts')), files())
      expect('no archive yet', !existsSync(path('three.zip')))
      const text = await expectRun(['download', ...args, '--manifest'], 0, /3 found/, { env })
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
async function holdOpen(node, folder, file, env = {}) {
  const mark = join(folder, 'held')
  const child = spawn('wine', [node, 'C:\\app\\hold.mjs', file, '60000'], {
    cwd: folder,
    env: { ...wineEnv, ...env, MATDECL_HELD: 'held' },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  for (let tries = 0; !existsSync(mark) && tries < 300; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
  return {
    pid: Number(readFileSync(mark, 'utf8')),
    release: async () => {
      rmSync(mark, { force: true })
      await ended
    },
  }
}

// The mock service in a process of its own, so that its URL stays the same.
async function runSandbox(program, folder) {
  // Not in the directory whose files are checked, and not the one of another program.
  const said = `${folder}-sandbox.txt`
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
