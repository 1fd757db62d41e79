import chalk from 'chalk'
import { expect, describe as group, test, vi } from 'vitest'
import { createProgress, describe } from '../../src/terminal/progress.ts'
import { testWorld } from '../support/world.ts'

const NO_METER = { bytesPerSecond: undefined, elapsedMs: 0 }

group('one line of progress', () => {
  test('shows bytes, rate and time left of one download', () => {
    expect(
      describe(
        {
          phase: 'receiving',
          bytes: 5 * 1024 ** 2,
          totalBytes: 10 * 1024 ** 2,
          requestsDone: 0,
          requestsTotal: 1,
        },
        { bytesPerSecond: 1024 ** 2, elapsedMs: 5000 },
      ),
    ).toBe('receiving  5.0 MiB of 10.0 MiB  1.0 MiB/s  5.0 s left')
  })

  test('estimates the time left from the completed requests', () => {
    expect(
      describe(
        { phase: 'receiving', bytes: 2048, requestsDone: 10, requestsTotal: 40 },
        { bytesPerSecond: undefined, elapsedMs: 20_000 },
      ),
    ).toBe('receiving  request 10 of 40  2.0 KiB  1 min left')
  })

  test('shows how long a wait is and why', () => {
    expect(describe({ phase: 'waiting', waitMs: 12_000, reason: 'the service is busy' }, NO_METER)).toBe(
      'waiting for 12 s: the service is busy',
    )
  })

  test('is cut to the width of the terminal', () => {
    const line = describe({ phase: 'waiting', reason: 'x'.repeat(200) }, NO_METER, 40)
    expect(line.length).toBeLessThanOrEqual(38)
    expect(line.endsWith('…')).toBe(true)
  })
})

group('the spinner', () => {
  const CHOICE = {
    json: false,
    quiet: false,
    verbose: 0,
    logFormat: 'text',
    noProgress: false,
    color: 'auto',
    noColor: false,
    noInput: false,
  } as const
  const CYAN = '\u001b[36m'

  test.each([
    ['in colour', {}, true, /[\u2800-\u28ff]/],
    ['without colour where NO_COLOR is set', { NO_COLOR: '1' }, false, /[\u2800-\u28ff]/],
    ['in ASCII where the locale is', { LC_ALL: 'C' }, true, /[-\\|/]/],
  ])('is drawn %s', async (_, env, isColored, frame) => {
    const before = chalk.level
    chalk.level = 1
    try {
      const world = testWorld({ isTTY: true, env: { LANG: 'C.UTF-8', TERM: 'xterm', ...env } })
      const moves = { cursorTo: () => true, clearLine: () => true, moveCursor: () => true }
      Object.assign(world.stderr, moves)
      const view = createProgress(world, CHOICE, () => undefined)
      view.show({ phase: 'receiving', bytes: 1 })
      await vi.waitFor(() => expect(world.err.text()).toContain('receiving'))
      view.stop()
      expect(world.err.text()).toMatch(frame)
      expect(world.err.text().includes(CYAN)).toBe(isColored)
    } finally {
      chalk.level = before
    }
  })

  test('ends on a terminal that reports no columns', async () => {
    const world = testWorld({ isTTY: true, columns: 0, env: { LANG: 'C.UTF-8', TERM: 'xterm' } })
    let movesUp = 0
    const moveCursor = (): boolean => {
      movesUp += 1
      if (movesUp > 100) throw new Error('the cursor moves up without end')
      return true
    }
    Object.assign(world.stderr, { cursorTo: () => true, clearLine: () => true, moveCursor })
    const view = createProgress(world, CHOICE, () => undefined)
    view.show({ phase: 'receiving', bytes: 1 })
    await vi.waitFor(() => expect(world.err.text()).toContain('receiving'))
    view.around(() => world.stderr.write('a line\n'))
    view.stop()
    expect(world.err.text()).toContain('a line')
    expect(movesUp).toBe(0)
  })
})
