import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { catalogOf } from '../../src/sandbox/catalog.ts'
import { rohsList } from '../../src/sandbox/lists.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { builtPath } from '../support/built.ts'
import { entryNames } from '../support/entry-names.ts'
import { needs } from '../support/programs.ts'
import { soakTest } from '../support/soak.ts'
import { testWorld, withFolder } from '../support/world.ts'

const TOKEN = 'nightly-token-4711'
const OLD = '2020-05-05'
const NEW = '2999-12-31'

let folder = ''
let sandbox: Sandbox | undefined

afterEach(async () => {
  await sandbox?.close()
  sandbox = undefined
})

describe('the line in docs/cron.md, run as cron runs it', () => {
  soakTest('over four nights: nothing, something, something new, service down', { timeout: 120_000 }, () =>
    withFolder(async (fresh) => {
      folder = fresh
      sandbox = await serve({ 'Z-9': OLD })
      const { url } = sandbox
      await prepareHome(url)
      await writeFile(join(folder, 'parts.txt'), 'A-1\nB-2\nN-3\n')

      const none = await night()
      expect([none.code, none.output]).toEqual([
        12,
        expect.stringMatching(/^matdecl: error: none of .*parts\.txt/),
      ])
      expect(await archives()).toEqual([])

      await sandbox.close()
      sandbox = await serve({ 'A-1': NEW }, url)
      expect(await night(), 'something').toEqual({ code: 0, output: '' })
      const [first, ...others] = await archives()
      expect(others).toEqual([])
      expect(await entryNames(join(folder, 'library', first!))).toEqual([expect.stringContaining('A-1')])

      await sandbox.close()
      sandbox = await serve({ 'B-2': NEW }, url)
      expect(await night(), 'something new').toEqual({ code: 0, output: '' })
      const [, second] = await archives()
      expect(await entryNames(join(folder, 'library', second!))).toEqual([expect.stringContaining('B-2')])

      await sandbox.close()
      sandbox = undefined
      expect(await night(), 'service down').toEqual({ code: 7, output: '' })
      expect(await archives(), 'what came stays').toHaveLength(2)
      expect(await readdir(join(folder, 'library', '.matdecl', 'incoming'))).toEqual([])
    }),
  )
})

describe.skipIf(!needs('systemd-analyze'))('the units in docs/cron.md', () => {
  test('are valid', () =>
    withFolder(async (units) => {
      const [service, timer] = (await recipes('ini')) as [string, string]
      const known = service
        .replace('/usr/local/bin/matdecl', process.execPath)
        .replace('User=compliance', 'User=root')
      await writeFile(join(units, 'matdecl.service'), known)
      await writeFile(join(units, 'matdecl.timer'), timer)
      const paths = [join(units, 'matdecl.service'), join(units, 'matdecl.timer')]
      const verified = spawn('systemd-analyze', ['verify', ...paths], { stdio: ['ignore', 'ignore', 'pipe'] })
      const closed = once(verified, 'close') as Promise<[number | null]>
      const printed = await text(verified.stderr)
      expect([printed, (await closed)[0]]).toEqual(['', 0])
    }))
})

/** The service with these parts, each with its approval date; on the port of an earlier one if given. */
function serve(approvals: Readonly<Record<string, string>>, url?: string): Promise<Sandbox> {
  const supplier = { id: '123456789', name: 'Made Up' }
  const parts = Object.entries(approvals).map(([number, approved]) => ({
    supplier,
    numbers: [{ number, name: number }] as const,
    massMg: 1_000,
    regulatory: { approved, lists: [rohsList('EUROHS-1907')] },
    style: {},
  }))
  return startSandbox({
    clock: testWorld().clock,
    token: TOKEN,
    port: url === undefined ? 0 : Number(new URL(url).port),
    catalog: catalogOf([supplier], parts, 'night'),
  })
}

async function prepareHome(url: string): Promise<void> {
  await mkdir(join(folder, 'home', '.config', 'matdecl'), { recursive: true })
  await writeFile(join(folder, 'token'), `${TOKEN}\n`)
  await chmod(join(folder, 'token'), 0o600)
  const settings = `[profiles.nightly]\nbase-url = "${url}"\ntoken-file = "${join(folder, 'token')}"\nlibrary = "${join(folder, 'library')}"\nretries = 0\n`
  await writeFile(join(folder, 'home', '.config', 'matdecl', 'config.toml'), settings, { mode: 0o600 })
}

/** Runs the command of the cron line with an empty environment, as cron does: `HOME`, a short `PATH`, `sh -c`. */
async function night(): Promise<{ readonly code: number | null; readonly output: string }> {
  const [line] = await recipes('cron')
  const command = line!
    .replace(/^[\d* ]+/, '')
    .replace('/usr/local/bin/matdecl', `'${process.execPath}' '${builtPath('bin', 'matdecl.js')}'`)
    .replaceAll('/srv/compliance', folder)
  const env = [`HOME=${join(folder, 'home')}`, 'PATH=/usr/bin:/bin', 'SHELL=/bin/sh', 'LOGNAME=compliance']
  const child = spawn('env', ['-i', ...env, '/bin/sh', '-c', `${command} 2>&1`], {
    cwd: join(folder, 'home'),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  const output = await text(child.stdout)
  const [code] = await closed
  return { code, output }
}

/** The blocks of one language in docs/cron.md. */
async function recipes(language: string): Promise<string[]> {
  const page = await readFile('docs/cron.md', 'utf8')
  return page
    .split('```')
    .filter((block) => block.startsWith(`${language}\n`))
    .map((block) => block.slice(language.length + 1).trimEnd())
}

async function archives(): Promise<string[]> {
  return (await readdir(join(folder, 'library'))).filter((name) => name.endsWith('.zip')).sort()
}
