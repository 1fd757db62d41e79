import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { cli, tree } from '../../support/cli.ts'
import { createFakeClock, withFolder } from '../../support/world.ts'

const PARTS = Array.from({ length: 60 }, (_, at) => ['--part', `PN-${at}`]).flat()

/** A terminal on which this is typed, five minutes after the question. */
function typing(line: string) {
  const clock = createFakeClock()
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
  let isAsked = false
  const answer = (): void => {
    if (isAsked) return
    isAsked = true
    setImmediate(() => {
      clock.advance(300_000)
      stdin.write(`${line}\n`)
    })
  }
  stdin.on('resume', answer)
  return {
    clock,
    stdin: stdin as unknown as NodeJS.ReadStream,
    isTTY: true,
    columns: 200,
    env: { TERM: 'dumb' },
  }
}

const argv = (rate: number) => [
  '--sandbox',
  ...PARTS,
  '--batch-size',
  '1',
  '--rate',
  `${rate}`,
  '-o',
  'x.zip',
]

test('a long run is confirmed with its time, its rate and what is left of the allowance', () =>
  withFolder(async (folder) => {
    const { code, stderr } = await cli(argv(20), { cwd: folder, ...typing('n') })
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /60 requests, about 3 min at 20 a minute, each of which uses allowance \([\d,]+ of [\d,]+ are left\)\. Continue\? \[y\/N\]/,
    )
    expect(stderr).toContain('not confirmed')
    expect(await tree(folder)).toEqual([])
  }))

test('the time at the question is not that of the run', () =>
  withFolder(async (folder) => {
    const { code, stderr } = await cli(argv(10_000), { cwd: folder, ...typing('y') })
    expect(code).toBe(0)
    const [, seconds] = /\(60 requests, (\d+(?:\.\d)?) s\)/.exec(stderr)!
    expect(Number(seconds)).toBeLessThan(60)
  }))
