import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ProgramLimits, ProgramResult } from '../../../src/base/world.ts'
import { cli, tree } from '../../support/cli.ts'
import { fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { testWorld, withFolder } from '../../support/world.ts'

const XML = fileA(productXml(['P1'], listXml('EUROHS-1907', rohsCategories())))
const MISSING = Object.assign(new Error('spawn xdg-open ENOENT'), { code: 'ENOENT' })

interface Run {
  readonly program: string
  readonly args: readonly string[]
  readonly limits: ProgramLimits
}

/** A run on this platform whose opener ends like this. */
async function opening(
  argv: readonly string[],
  cwd: string,
  { platform = 'linux', ending = { exitCode: 0, stdout: '', stderr: '' } as ProgramResult | Error } = {},
) {
  const runs: Run[] = []
  await writeFile(join(cwd, 'a.xml'), XML)
  const runProgram = (program: string, args: readonly string[], limits: ProgramLimits) => {
    runs.push({ program, args, limits })
    return ending instanceof Error ? Promise.reject(ending) : Promise.resolve(ending)
  }
  const host = { ...testWorld().host, platform: platform as NodeJS.Platform }
  return { runs, result: await cli(['report', 'a.xml', ...argv], { cwd, host, runProgram }) }
}

describe('report --open', () => {
  it.each([
    ['linux', 'xdg-open', []],
    ['freebsd', 'xdg-open', []],
    ['darwin', 'open', []],
    ['win32', 'rundll32.exe', ['url.dll,FileProtocolHandler']],
  ])('opens the whole file with the opener of %s', async (platform, program, first) => {
    await withFolder(async (cwd) => {
      const { runs, result } = await opening(['-o', 'page.html', '--open'], cwd, { platform })
      expect(result.code).toBe(0)
      expect(runs.map((run) => [run.program, run.args])).toEqual([
        [program, [...first, join(cwd, 'page.html')]],
      ])
      expect(runs[0]!.limits.isLeftRunning).toBe(true)
      expect(await readFile(join(cwd, 'page.html'), 'utf8')).toMatch(/<\/html>\n$/)
    })
  })

  it('opens nothing without the option', async () => {
    await withFolder(async (cwd) => {
      const { runs, result } = await opening(['-o', 'page.html'], cwd)
      expect([result.code, runs]).toEqual([0, []])
    })
  })

  it('opens a report whose gate matched', async () => {
    await withFolder(async (cwd) => {
      const argv = ['-o', 'page.html', '--open', '--fail-on', 'stale:EUROHS-2601']
      const { runs, result } = await opening(argv, cwd)
      expect([result.code, runs.length]).toEqual([13, 1])
    })
  })

  it.each([
    ['no output', []],
    ['standard output', ['-o', '-']],
  ])('is a usage error with %s, before anything is read', async (_, argv) => {
    await withFolder(async (cwd) => {
      const { runs, result } = await opening([...argv, '--open'], cwd)
      expect([result.code, result.stdout, runs]).toEqual([2, '', []])
      expect(result.stderr).toContain('--open needs a file to open')
      expect(result.stderr).toContain('add -o report.html')
      expect(await tree(cwd)).toEqual(['a.xml'])
    })
  })

  it.each([
    ['is not there', MISSING, 'cannot open page.html: xdg-open is not installed'],
    ['fails', { exitCode: 3, stdout: '', stderr: '' }, 'cannot open page.html: xdg-open exited with code 3'],
  ])('keeps the report and warns when the opener %s', async (_, ending, warning) => {
    await withFolder(async (cwd) => {
      const { result } = await opening(['-o', 'page.html', '--open'], cwd, { ending })
      expect([result.code, result.stdout]).toEqual([0, 'page.html\n'])
      expect(result.stderr).toContain(warning)
      expect(await tree(cwd)).toContain('page.html')
    })
  })

  it('does not wait for a browser that stays open', async () => {
    await withFolder(async (cwd) => {
      const ending = { exitCode: null, stdout: '', stderr: '', exceeded: 'timeMs' } as const
      const { result } = await opening(['-o', 'page.html', '--open'], cwd, { ending })
      expect(result.code).toBe(0)
      expect(result.stderr).not.toContain('cannot open')
    })
  })
})
