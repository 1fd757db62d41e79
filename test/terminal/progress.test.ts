import chalk from 'chalk'
import { describe, expect, test } from 'vitest'
import { createProgress } from '../../src/terminal/progress.ts'
import { testWorld } from '../support/world.ts'

describe('the spinner', () => {
  const CHOICE = {
    json: false,
    quiet: false,
    verbose: 0,
    logFormat: 'text',
    noProgress: false,
    color: 'auto',
    noColor: false,
    noInput: false,
    noPager: false,
  } as const
  const CYAN = '\u001b[36m'

  test.each([
    ['in color', {}, true, /[\u2800-\u28ff]/],
    ['without color where NO_COLOR is set', { NO_COLOR: '1' }, false, /[\u2800-\u28ff]/],
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
      await expect.poll(() => world.err.text()).toContain('receiving')
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
    await expect.poll(() => world.err.text()).toContain('receiving')
    view.around(() => world.stderr.write('a line\n'))
    view.stop()
    expect(world.err.text()).toContain('a line')
    expect(movesUp).toBe(0)
  })
})
