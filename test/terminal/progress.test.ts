import chalk from 'chalk'
import { describe, expect, test } from 'vitest'
import { createProgress } from '../../src/terminal/progress.ts'
import { testWorld } from '../support/world.ts'

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

describe('the spinner', () => {
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

describe('progress that is no spinner', () => {
  const linesOf = async (choice: Partial<typeof CHOICE>, isTTY = false, env = {}): Promise<string[]> => {
    const world = testWorld({ isTTY, env: { LANG: 'C.UTF-8', TERM: 'xterm', ...env } })
    const lines: string[] = []
    const view = createProgress(world, { ...CHOICE, ...choice }, (event, text) =>
      lines.push(`${event}: ${text}`),
    )
    view.show({ phase: 'receiving', bytes: 1 })
    await world.clock.sleep(29_000)
    expect(lines).toEqual([])
    await world.clock.sleep(1_500)
    view.show({ phase: 'receiving', bytes: 2_000 })
    await world.clock.sleep(30_000)
    expect(view.around(() => 5)).toBe(5)
    view.stop()
    await world.clock.sleep(60_000)
    expect(world.err.text()).toBe('')
    return lines
  }

  test.each([
    ['without a terminal', {}, false, {}],
    ['on a terminal that cannot move its cursor', {}, true, { TERM: 'dumb' }],
    ['in CI', {}, true, { CI: 'true' }],
    ['with JSON', { json: true }, true, {}],
    ['with a log in JSON', { logFormat: 'json' }, true, {}],
  ])('is a line every 30 s %s', async (_, choice, isTTY, env) => {
    const lines = await linesOf(choice as Partial<typeof CHOICE>, isTTY, env)
    expect(lines).toEqual([expect.stringMatching(/^progress: receiving/), expect.stringMatching(/2\.0 KiB/)])
  })

  test.each([{ quiet: true }, { noProgress: true }])('is nothing with %j', async (choice) => {
    expect(await linesOf(choice as unknown as Partial<typeof CHOICE>)).toEqual([])
    expect(await linesOf(choice as unknown as Partial<typeof CHOICE>, true)).toEqual([])
  })
})
