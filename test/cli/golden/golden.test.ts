import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

// What commands print and write, as files beside this one: a change to what users see is a change to these.
// After an intended change: npx vitest run test/cli/golden -u

const NOW = Date.parse('2026-11-22T12:00:00Z')
const LISTS = join(import.meta.dirname, '../../parts/lists')
const PARTS =
  'Part Number,Qty\nEXC188R60001KA,4\nEXC188R60016KA,1\nNOT-THERE,2\nEXC188R60001KA,1\n1.2E+05,3\n'
const V1 =
  '{"apikey":"0123456789abcdef","format":"XML","supplier":"100200300","partNumbers":"\\"A-1\\", B-2"}'
const ALL = ['--sandbox', '--concurrency', '1']

const SESSIONS: Readonly<Record<string, readonly string[]>> = {
  download: [
    'download --supplier 100200300 -o all.zip -l',
    'download --supplier 100200300 -o all.zip',
    'download --supplier 100200300 -o all.zip --overwrite -q',
    'download --parts-file parts.csv --batch-size 1 -o parts.zip -x --manifest --missing missing.txt --report report.csv',
    'download --parts-file parts.csv -o gate.zip --fail-if-missing',
    'download --part EXC188R60001KA --part NOT-THERE -o two.zip --json --manifest two.json',
    'download --part NOT-THERE -o none.zip',
    'download --supplier 999999998 -o none.zip --fail-if-empty',
    'download --supplier 100200300 --format 1752B --format-class D -o {supplier}-{format}-{class}.zip -v',
    'download --supplier 100200300 --since last-run -o new.zip',
    'download --supplier 100200300 --parts-file parts.csv -n',
    'download --supplier 100200300 --parts-file parts.csv --batch-size 2 -n --json',
    'download -o x.zip',
    'download --supplier 100200300 --start-date 2026-13-01 -o x.zip',
    'download --supplier 100200300 --colour -o x.zip',
    'download --supplier 100200300 -o no/../..',
    'download --supplier 100200300 -o x.zip --log-format json -v',
  ],
  archives: [
    'list all.zip',
    'list all.zip --json',
    'list all.zip broken.zip nothing.zip',
    'verify all.zip parts.zip',
    'verify parts.zip --manifest parts.zip.manifest.json',
    'verify all.zip --manifest parts.zip.manifest.json',
    'verify broken.zip --json',
    'verify text.zip unsafe.zip',
    'extract all.zip out',
    'extract all.zip out',
    'extract all.zip out --overwrite --include *0001* --json',
    'extract all.zip flat --flat --exclude *00* -q',
    'extract unsafe.zip unsafe',
    'extract nothing.zip',
  ],
  terminal: [
    'report all.zip --fail-on not-compliant,svhc',
    'report all.zip --parts-file parts.csv --quantity-column Qty',
    'diff all.zip parts.zip',
    'list parts.zip',
    'verify all.zip parts.zip broken.zip',
    'extract parts.zip seen',
    'parts parts.csv',
    'migrate v1.txt',
    'config show',
    'download --supplier 100200300 --parts-file parts.csv -o shown.zip -l',
    'download --supplier 12 -n --format PDF',
  ],
  others: [
    'parts parts.csv',
    'parts parts.csv --json',
    'parts parts.csv -o clean.csv',
    'parts nothing.csv',
    'migrate v1.txt',
    'migrate v1.txt --json',
    'config show',
    'config show --json',
    'config path',
    'login',
    'help exit-codes',
    'version',
    '--version --json',
    'downlaod',
    'report',
    'report nothing.zip',
    'diff all.zip',
    'sandbox --port 99999',
  ],
}

test.each(Object.entries(SESSIONS))(
  'a session of %s prints and writes the same',
  { timeout: 180_000 },
  (name, lines) =>
    withFolder(async (cwd) => {
      const isOnScreen = name === 'terminal'
      await writeFile(join(cwd, 'parts.csv'), PARTS)
      await writeFile(join(cwd, 'v1.txt'), V1)
      await writeFile(join(cwd, 'text.zip'), 'no archive')
      await writeFile(join(cwd, 'unsafe.zip'), zip([{ name: '../up.xml', data: 'x' }]))
      const env = {
        XDG_STATE_HOME: join(cwd, 'state'),
        XDG_CONFIG_HOME: join(cwd, 'config'),
        XDG_DATA_HOME: join(cwd, 'data'),
        MATDECL_TOKEN: 'tok-0123456789',
      }
      const screen = {
        isTTY: true,
        columns: 90,
        env: { ...env, LANG: 'C.UTF-8', TERM: 'xterm' },
      }
      const run = (argv: readonly string[]) => cli(argv, { cwd, env, nowMs: NOW, ...(isOnScreen && screen) })
      const style = isOnScreen ? ['--color', 'always', '--no-progress', '--no-input'] : []
      const shownOf = (text: string): string =>
        text
          .replaceAll(cwd, '')
          .replaceAll(process.version, 'vNODE')
          .replaceAll(process.versions.node, 'NODE')
          .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:0')
          // The service has the time of the machine, and its port is in the identity of a request.
          .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
            time.startsWith('2026-11-22T12:00') ? time : 'TIME',
          )
          // Of the moments of the run, too.
          .replace(/(?<="checksum":")[0-9a-f]{64}/g, 'CHECKSUM')
          // How long a request took and when it ended hang on when its pieces came in.
          .replace(/(?<="attempts":\d+,(?:"bytes":\d+,)?"seconds":)[\d.]+/g, '0')
          .replace(/(?<="finishedAt":")[^"]+/g, 'TIME')
          .replace(/(?<=matdecl\/|identity":")[0-9a-f]{64}/g, 'IDENTITY')
      if (name !== 'download') {
        for (const words of [['--supplier', '100200300', '-o', 'all.zip'], PARTS_RUN])
          expect((await run(['download', '-q', ...ALL, ...words])).code).toBe(0)
        const whole = await readFile(join(cwd, 'all.zip'))
        await writeFile(join(cwd, 'broken.zip'), whole.subarray(0, whole.length / 2))
      }
      const shown: string[] = []
      for (const line of lines) {
        const words = line.split(' ')
        const { code, stdout, stderr } = await run([
          ...words,
          ...(words[0] === 'download' ? ALL : []),
          ...style,
        ])
        shown.push(`$ matdecl ${line}\n${stdout}${stderr === '' ? '' : `--\n${stderr}`}-> ${code}\n`)
      }
      for (const file of (await readdir(cwd, { recursive: true })).sort()) {
        if (!/\.(?:json|txt|csv)$/.test(file)) shown.push(`== ${file}\n`)
        else shown.push(`== ${file}\n${await readFile(join(cwd, file), 'utf8')}\n`)
      }
      await expect(shownOf(shown.join('\n'))).toMatchFileSnapshot(`files/${name}.txt`)
    }),
)

const PARTS_RUN = ['--parts-file', 'parts.csv', '-o', 'parts.zip', '--manifest']

const FILES = (await readdir(LISTS)).filter((name) => /\.(?:csv|tsv|txt|xlsx)$/.test(name)).sort()

test.each(FILES)('the list %s is read as before', { timeout: 60_000 }, (file) =>
  withFolder(async (cwd) => {
    await copyFile(join(LISTS, file), join(cwd, file))
    const shown: string[] = []
    for (const words of [['-v'], ['--json']]) {
      const { code, stdout, stderr } = await cli(['parts', file, ...words], { cwd, nowMs: NOW })
      shown.push(
        `$ matdecl parts ${file} ${words[0]}\n${stdout}${stderr === '' ? '' : `--\n${stderr}`}-> ${code}\n`,
      )
    }
    await expect(shown.join('\n').replaceAll(cwd, '')).toMatchFileSnapshot(`files/lists/${file}.txt`)
  }),
)
