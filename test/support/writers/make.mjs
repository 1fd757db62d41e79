// Makes the archives of the writers that are installed again: node test/support/writers/make.mjs [TITLE…]
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const here = import.meta.dirname
const titles = process.argv.slice(2)
const table = join(here, 'writers.json')
const writers = JSON.parse(readFileSync(table, 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'writers-'))
try {
  const source = join(folder, 'source')
  mkdirSync(join(source, 'sub', 'empty'), { recursive: true })
  for (const [name, text] of Object.entries(JSON.parse(readFileSync(join(here, 'files.json'), 'utf8')))) {
    mkdirSync(dirname(join(source, name)), { recursive: true })
    writeFileSync(join(source, name), text)
  }
  for (const writer of writers) {
    if (titles.length > 0 && !titles.includes(writer.title)) continue
    const out = join(folder, writer.archive)
    const sh = (command, cwd) =>
      execFileSync('sh', ['-c', command], {
        cwd,
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C.UTF-8', OUT: out, PROGRAMS: join(here, 'programs') },
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim()
    try {
      const version = sh(writer.versionCommand, join(here, '..', '..', '..'))
      sh(writer.command, source)
      writeFileSync(join(here, 'archives', writer.archive), readFileSync(out))
      writer.version = version
      console.log(`${writer.title}: ${version}`)
    } catch (error) {
      console.error(`${writer.title}: ${error.message}`)
      process.exitCode = 1
    }
  }
  writeFileSync(table, `${JSON.stringify(writers, null, 2)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}
