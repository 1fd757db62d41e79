import { clearLine, cursorTo, moveCursor } from 'node:readline'
import xterm from '@xterm/headless'
import { describe, expect, test, vi } from 'vitest'
import type { Progress } from '../../src/base/notice.ts'
import { createProgress } from '../../src/terminal/progress.ts'
import { testWorld } from '../support/world.ts'

const CHOICE = {
  json: false,
  quiet: false,
  verbose: 0,
  logFormat: 'text',
  noProgress: false,
  color: 'auto',
  noColor: true,
  noInput: false,
} as const

/** A world whose standard error is a terminal of that width, and the lines on it. */
function screen(columns: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows: 10, allowProposedApi: true })
  const world = testWorld({ isTTY: true, columns, env: { LANG: 'C.UTF-8', TERM: 'xterm' } })
  const { stderr } = world
  Object.assign(stderr, {
    _write: (chunk: Buffer, _: string, done: () => void) =>
      terminal.write(chunk.toString().replaceAll('\n', '\r\n'), done),
    cursorTo: (x: number) => cursorTo(stderr, x),
    moveCursor: (dx: number, dy: number) => moveCursor(stderr, dx, dy),
    clearLine: (direction: -1 | 0 | 1) => clearLine(stderr, direction),
  })
  const lines = (): string[] =>
    Array.from({ length: 10 }, (_, row) =>
      terminal.buffer.active.getLine(row)!.translateToString(true),
    ).filter((line) => line !== '')
  return { world, lines }
}

/** The spinner is loaded when it is needed, which takes its time on a busy machine. */
const shown = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 50_000, interval: 5 })

const RECEIVING: Progress = {
  phase: 'receiving',
  bytes: 5 * 1024 ** 2,
  requestsDone: 3,
  requestsTotal: 4,
}
const WAIT: Progress = {
  phase: 'waiting',
  reason: 'waiting for the rate limit',
  next: 'retrying',
  requestsDone: 3,
  requestsTotal: 4,
}

describe.each([
  [40, '3 of 4 requests  8 s left  receiving', '3 of 4 requests  37 s left'],
  [
    80,
    '3 of 4 requests  8 s left  receiving  5.0 MiB  2.4 MiB/s',
    '3 of 4 requests  37 s left  waiting for the rate limit, retrying in 35 s',
  ],
  [
    200,
    '3 of 4 requests  8 s left  receiving  5.0 MiB  2.4 MiB/s',
    '3 of 4 requests  37 s left  waiting for the rate limit, retrying in 35 s',
  ],
])('a terminal of %i columns', (columns, receiving, waiting) => {
  test('shows one line, which the clock moves on', async () => {
    const { world, lines } = screen(columns)
    const view = createProgress(world, CHOICE, () => undefined)
    const spinner = (): string[] => lines().map((line) => line.replace(/^[\u2800-\u28ff] /, ''))
    view.show({ ...RECEIVING, bytes: 0 })
    await shown(() => expect(lines()).toHaveLength(1))
    world.fakeClock.advance(2_000)
    // A line is not drawn again at once.
    world.fakeClock.advance(100)
    view.show({ ...RECEIVING, endMs: world.clock.monotonicMs() + 8_000 })
    await shown(() => expect(spinner()).toEqual([receiving]))
    world.fakeClock.advance(2_000)
    const now = world.clock.monotonicMs()
    view.show({ ...WAIT, waitUntilMs: now + 36_000, endMs: now + 38_000 })
    world.fakeClock.advance(1_000)
    await shown(() => expect(spinner()).toEqual([waiting]))
    view.around(() => world.stderr.write('a line\n'))
    await shown(() => expect(spinner()).toEqual(['a line', waiting]))
    view.stop()
    await shown(() => expect(lines()).toEqual(['a line']))
  })
})

test('elsewhere there is one line every 30 s, in the same words', () => {
  const world = testWorld({ isTTY: false })
  const said: string[] = []
  const view = createProgress(world, CHOICE, (_, message) => said.push(message))
  view.show({ ...RECEIVING, bytes: 0 })
  world.fakeClock.advance(29_000)
  expect(said).toEqual([])
  view.show(RECEIVING)
  world.fakeClock.advance(1_000)
  view.show({ ...WAIT, waitUntilMs: world.clock.monotonicMs() + 65_000 })
  world.fakeClock.advance(30_000)
  view.stop()
  world.fakeClock.advance(30_000)
  expect(said).toEqual([
    expect.stringMatching(/^3 of 4 requests {2}receiving {2}5\.0 MiB {2}.*\/s$/),
    '3 of 4 requests  waiting for the rate limit, retrying in 35 s',
  ])
})
