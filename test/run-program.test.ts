import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Failure } from '../src/base/failure.ts'
import { programPath, runProgram } from '../src/run-program.ts'
import { posixDescribe } from './support/programs.ts'
import { withFolder } from './support/world.ts'

const LIMITS = { timeMs: 30_000, outputBytes: 1000 }
const NEVER = new AbortController().signal

// Starts a process that would never end, and notes its id.
const FAMILY = 'sleep 1000 & echo $! > child; wait'

async function childIn(folder: string): Promise<number> {
  const path = join(folder, 'child')
  while (!existsSync(path) || !readFileSync(path, 'utf8').endsWith('\n')) await delay(5)
  return Number(readFileSync(path, 'utf8'))
}

/** Resolves when the process is gone, or waits to be collected. */
async function goneAfter(pid: number): Promise<boolean> {
  for (;;) {
    try {
      process.kill(pid, 0)
      if (process.platform === 'linux' && / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
        return true
    } catch {
      return true
    }
    await delay(5)
  }
}

posixDescribe('a program', () => {
  it('gets no shell and no input, and gives its output and exit code', async () => {
    expect(await runProgram('printf', ['%s|%s', '$HOME', 'a b'], LIMITS, NEVER)).toEqual({
      exitCode: 0,
      stdout: '$HOME|a b',
      stderr: '',
    })
    expect(await runProgram('sh', ['-c', 'echo why >&2; kill -9 $$'], LIMITS, NEVER)).toEqual({
      exitCode: null,
      signal: 'SIGKILL',
      stdout: '',
      stderr: 'why\n',
    })
    expect(await runProgram('sh', ['-c', 'cat; exit 3'], LIMITS, NEVER)).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: '',
    })
    await expect(runProgram('/nothing/there', [], LIMITS, NEVER)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('does not wait for a process that it leaves behind with its standard error', () =>
    withFolder(async (folder) => {
      const script = 'cd "$0"; sleep 1000 > /dev/null & echo $! > child; echo done; echo why >&2'
      const result = await runProgram('sh', ['-c', script, folder], LIMITS, NEVER)
      process.kill(await childIn(folder), 'SIGKILL')
      expect(result).toEqual({ exitCode: 0, stdout: 'done\n', stderr: 'why\n' })
    }))

  it('is killed after its time with the processes that it started', () =>
    withFolder(async (folder) => {
      const result = runProgram('sh', ['-c', `cd "$0"; ${FAMILY}`, folder], { ...LIMITS, timeMs: 300 }, NEVER)
      expect(await result).toMatchObject({ exceeded: 'timeMs' })
      if (existsSync(join(folder, 'child'))) expect(await goneAfter(await childIn(folder))).toBe(true)
    }))

  it('is killed when it prints too much', async () => {
    const { exceeded, stdout } = await runProgram('yes', [], LIMITS, NEVER)
    expect(exceeded).toBe('outputBytes')
    expect(stdout.length).toBeLessThanOrEqual(LIMITS.outputBytes)
  })

  it('is killed with the processes that it started when a signal stops the run', () =>
    withFolder(async (folder) => {
      const stop = new AbortController()
      const result = runProgram('sh', ['-c', `cd "$0"; ${FAMILY}`, folder], LIMITS, stop.signal)
      const child = await childIn(folder)
      stop.abort(new Failure('interrupted', 'stopped by SIGTERM'))
      await expect(result).rejects.toMatchObject({ kind: 'interrupted' })
      expect(await goneAfter(child)).toBe(true)
    }))
})

describe('a bare name', () => {
  /** Two directories, of which the second has a program, and a program of the same name in the working directory. */
  const withPrograms = (body: (cwd: string, bin: string) => void): Promise<void> =>
    withFolder(async (folder) => {
      const [cwd, bin] = [join(folder, 'cwd'), join(folder, 'bin')]
      for (const directory of [cwd, bin]) {
        mkdirSync(directory)
        for (const name of ['tool', 'tool.exe', 'az.cmd']) {
          writeFileSync(join(directory, name), '#!/bin/sh\n')
          chmodSync(join(directory, name), 0o755)
        }
      }
      const before = process.cwd()
      process.chdir(cwd)
      try {
        body(cwd, bin)
      } finally {
        process.chdir(before)
      }
    })

  it('is looked for in the absolute directories of PATH, never in the working directory', () =>
    withPrograms((_, bin) => {
      const platform = process.platform
      for (const before of ['', '.', 'relative', './']) {
        const PATH = [before, bin, ''].join(delimiter)
        const found = programPath('tool', { PATH, PATHEXT: '.EXE;.CMD' }, platform)
        expect(found).toBe(join(bin, platform === 'win32' ? 'tool.exe' : 'tool'))
      }
      for (const PATH of ['', '.', `.${delimiter}`])
        expect(() => programPath('tool', { PATH, PATHEXT: '.EXE' }, platform)).toThrow('no directory of PATH')
    }))

  it('is not that of a directory, nor of a file that cannot be run', () =>
    withPrograms((_, bin) => {
      mkdirSync(join(bin, 'folder.exe'))
      mkdirSync(join(bin, 'folder'))
      writeFileSync(join(bin, 'text'), '')
      chmodSync(join(bin, 'text'), 0o644)
      for (const name of ['folder', 'text', '', 'missing'])
        expect(() => programPath(name, { PATH: bin, PATHEXT: '.EXE' }, process.platform)).toThrow('PATH')
    }))

  it('gets the extensions of PATHEXT on Windows, in their order', () => {
    const files = ['tool', 'tool.exe', 'az.cmd'].map((name) => `c:\\bin\\${name}`)
    const found = (name: string, PATHEXT?: string): string =>
      programPath(name, { PATH: '.;;"C:\\bin"', PATHEXT }, 'win32', (path) =>
        files.includes(path.toLowerCase()),
      )
    expect(found('az')).toBe('C:\\bin\\az.cmd')
    expect(found('AZ.CMD')).toBe('C:\\bin\\AZ.CMD')
    expect(found('tool', '.CMD;.EXE')).toBe('C:\\bin\\tool.exe')
    expect(found('tool.exe', '')).toBe('C:\\bin\\tool.exe')
    expect(() => found('az', '.EXE')).toThrow('PATH')
  })

  it('with a directory is used as it is', () => {
    expect(programPath('./tool', { PATH: '' }, 'linux')).toBe('./tool')
    for (const name of ['.\\tool', 'C:tool', 'C:/tool.exe'])
      expect(programPath(name, { PATH: '' }, 'win32')).toBe(name)
  })
})

posixDescribe('a program of that name in the working directory', () => {
  it('is not started', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'planted'), '#!/bin/sh\necho planted\n')
      chmodSync(join(folder, 'planted'), 0o755)
      const [before, path] = [process.cwd(), process.env.PATH]
      process.chdir(folder)
      process.env.PATH = `.:${path}`
      try {
        await expect(runProgram('planted', [], LIMITS, NEVER)).rejects.toMatchObject({ code: 'ENOENT' })
        expect(await runProgram('./planted', [], LIMITS, NEVER)).toMatchObject({ stdout: 'planted\n' })
      } finally {
        process.chdir(before)
        process.env.PATH = path
      }
    }))
})
