import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXIT_CODE_ROWS } from '../../scripts/reference/exit-codes.ts'
import { manPage } from '../../scripts/reference/man-page.ts'
import { OPTIONS } from '../../src/cli/options.ts'
import { needs } from '../support/programs.ts'

const file = join(import.meta.dirname, '..', '..', 'man', 'matdecl.1')

describe('the man page', () => {
  test.skipIf(!needs('mandoc'))('has no mandoc lint, not even of style', () => {
    const lint = spawnSync('mandoc', ['-T', 'lint', file], { encoding: 'utf8' })
    expect(lint.stdout + lint.stderr).toBe('')
    expect(lint.status).toBe(0)
  })

  test.skipIf(!needs('man', 'groff'))('man prints it without a warning', () => {
    const shown = spawnSync('man', ['--warnings', '-l', file], {
      encoding: 'utf8',
      env: { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8', MAN_KEEP_FORMATTING: '' },
    })
    expect(shown.stderr).toBe('')
    expect(shown.status).toBe(0)
    const text = shown.stdout.replace(/.\u0008/g, '')
    for (const title of ['NAME', 'SYNOPSIS', 'OPTIONS', 'EXIT STATUS', 'ENVIRONMENT', 'FILES', 'EXAMPLES']) {
      expect(text).toMatch(new RegExp(`^${title}$`, 'm'))
    }
    expect(text).toContain('--parts-file FILE')
    expect(text.split('\n').filter((line) => line.length > 90)).toEqual([])
  })

  test.skipIf(!needs('mandoc'))('lists every exit code', () => {
    const text = execFileSync('mandoc', ['-T', 'ascii', file], { encoding: 'utf8' }).replace(/.\u0008/g, '')
    for (const { name } of EXIT_CODE_ROWS) expect(text).toContain(name)
  })

  test.skipIf(!needs('mandoc'))('escapes every text in the table', () => {
    const awkward = {
      ...OPTIONS[0],
      key: 'awkward',
      name: 'awkward',
      help: '.TH starts a line, \\fB is no font here, "quoted", `literal words that are long enough to be broken over the end of a line`, 10 µm … -1',
    }
    const page = manPage([...OPTIONS, awkward], { version: '1.2.3', date: '2026-01-02' })
    const lint = spawnSync('mandoc', ['-T', 'lint'], { input: page, encoding: 'utf8' })
    expect(lint.stdout + lint.stderr).toBe('')
    const text = spawnSync('mandoc', ['-T', 'utf8', '-O', 'width=200'], {
      input: page,
      encoding: 'utf8',
    }).stdout.replace(/.\u0008/g, '')
    expect(text).toContain('.TH starts a line, \\fB is no font here, "quoted", literal words')
    expect(text).toContain('10 µm ... -1')
  })
})
