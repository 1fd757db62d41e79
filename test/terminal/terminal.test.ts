import { describe, expect, test } from 'vitest'
import type { OutputChoice } from '../../src/terminal/style.ts'
import { createTerminal, logLine } from '../../src/terminal/terminal.ts'
import { testWorld } from '../support/world.ts'

const NOW = Date.parse('2026-03-04T05:06:07.089Z')

test.each([
  ['warning', 'warn'],
  ['info', 'info'],
  ['trace', 'trace'],
])('a log line of level %s has the level %s', (level, shown) => {
  expect(JSON.parse(logLine(NOW, level, 'request.retry', 'again', { waitMs: 5 }))).toEqual({
    time: '2026-03-04T05:06:07.089Z',
    level: shown,
    event: 'request.retry',
    message: 'again',
    waitMs: 5,
  })
})

test('data never replaces the message, and a line break stays inside the line', () => {
  const line = logLine(NOW, 'info', 'e', 'one\ntwo', { message: 'other' })
  expect(JSON.parse(line)).toMatchObject({ message: 'one\ntwo' })
  expect(line).not.toContain('\n')
})

const CHOICE: OutputChoice = {
  json: false,
  quiet: false,
  verbose: 0,
  logFormat: 'text',
  noProgress: true,
  color: 'never',
  noColor: false,
  noInput: false,
}

function terminalOf(choice: Partial<OutputChoice> = {}, overrides: Parameters<typeof testWorld>[0] = {}) {
  const world = testWorld({ nowMs: NOW, ...overrides })
  return { world, terminal: createTerminal(world, { ...CHOICE, ...choice }) }
}

describe('messages', () => {
  const NOTICES = (['warning', 'info', 'detail', 'trace'] as const).map((level) => ({
    level,
    event: `e.${level}`,
    message: level,
  }))

  test.each([
    [{}, 'matdecl: warning: warning\ninfo\n'],
    [{ verbose: 1 }, 'matdecl: warning: warning\ninfo\ndetail\n'],
    [{ verbose: 2 }, 'matdecl: warning: warning\ninfo\ndetail\ntrace\n'],
    [{ quiet: true, verbose: 2 }, ''],
  ])('with %j are those of its level', (choice, expected) => {
    const { world, terminal } = terminalOf(choice)
    for (const notice of NOTICES) terminal.reporter.notice(notice)
    expect(world.err.text()).toBe(expected)
    expect(world.out.text()).toBe('')
  })

  test('about costs and errors are printed with --quiet too, others are not', () => {
    const { world, terminal } = terminalOf({ quiet: true }, { env: { GITHUB_ACTIONS: 'true' } })
    terminal.reporter.notice({ level: 'warning', event: 'e', message: 'it costs', needsLook: true })
    terminal.say('e', 'said')
    terminal.saySummary('e', ['summary'])
    terminal.sayError('e', ['error', '  hint'], {}, '::error::it')
    expect(world.err.text()).toBe('matdecl: warning: it costs\nerror\n  hint\n::error::it\n')
  })

  test('in JSON are one object for each line', () => {
    const { world, terminal } = terminalOf({ logFormat: 'json', verbose: 1 })
    for (const notice of NOTICES) terminal.reporter.notice({ ...notice, data: { n: 1 } })
    terminal.say('said', 'text', { a: 2 })
    terminal.sayError('error.x', ['line', 'more'], { message: 'whole', code: 'x' }, '::error::it')
    const lines = world.err.text().trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', event: 'e.warning', message: 'warning', n: 1 },
      { level: 'info', event: 'e.info' },
      { level: 'debug', event: 'e.detail' },
      { level: 'info', event: 'said', message: 'text', a: 2 },
      { level: 'error', event: 'error.x', message: 'whole', code: 'x' },
    ])
  })

  test('are wrapped to the width of a terminal, and only there', () => {
    const words = 'a message of more than twenty columns'
    for (const [isTTY, columns, lines] of [
      [true, 20, 3],
      [true, 0, 1],
      [false, 20, 1],
    ] as const) {
      const { world, terminal } = terminalOf({}, { isTTY, columns })
      terminal.saySummary('e', [words])
      expect(world.err.text().trimEnd().split('\n').length).toBeGreaterThanOrEqual(lines)
      expect(world.err.text().split('\n').length === 2).toBe(lines === 1)
    }
  })

  test.each([
    ['GitHub Actions', { GITHUB_ACTIONS: 'true' }, '::error::ours\n'],
    ['Azure Pipelines', { TF_BUILD: 'True' }, ''],
    ['TeamCity', { TEAMCITY_VERSION: '2026.1' }, ''],
  ])('in %s have no commands but those of the tool, nor has the result', async (_, env, command) => {
    const { world, terminal } = terminalOf({}, { env })
    terminal.say('e', '::debug::x\n \t::debug::y\na ::b ##[group]z')
    terminal.sayError('e', ['::error::theirs ##vso[task.complete]'], {}, '::error::ours')
    expect(world.err.text()).toBe(
      `\\::debug::x\n \t\\::debug::y\na ::b #\\#[group]z\n\\::error::theirs #\\#vso[task.complete]\n${command}`,
    )
    await terminal.write('::x,##vso[y]\n')
    await terminal.writeBytes(Buffer.from('::x,##vso[y]\n'))
    expect(world.out.text()).toBe('\\::x,#\\#vso[y]\n::x,##vso[y]\n')
  })

  test('in JSON stay JSON without commands', () => {
    const { world, terminal } = terminalOf({ logFormat: 'json' }, { env: { GITHUB_ACTIONS: 'true' } })
    terminal.say('e', '::a ##[group]z')
    expect(world.err.text()).not.toContain('##[')
    expect(JSON.parse(world.err.text())).toMatchObject({ message: '::a ##[group]z' })
  })
})

describe('a terminal', () => {
  test('has a width, which is usual where the system reports none', () => {
    expect(terminalOf({}, { isTTY: true, columns: 100 }).terminal).toMatchObject({
      columns: 100,
      isOutTTY: true,
    })
    expect(terminalOf({}, { isTTY: true, columns: 0 }).terminal.columns).toBe(80)
    expect(terminalOf({}, { columns: 100 }).terminal).toMatchObject({
      columns: undefined,
      isOutTTY: false,
      isOneScreen: false,
    })
    expect(terminalOf({}, { isTTY: true }).terminal.isOneScreen).toBe(true)
    expect(terminalOf({ logFormat: 'json' }, { isTTY: true }).terminal.isOneScreen).toBe(false)
  })

  test.each([
    [true, {}, true, {}],
    [false, {}, false, {}],
    [false, { noInput: true }, true, {}],
    [false, { json: true }, true, {}],
    [false, {}, true, { CI: 'true' }],
  ])('can ask: %s with %j', (canAsk, choice, isTTY, env) => {
    const { world } = terminalOf({}, { isTTY, env })
    Object.assign(world.stdin, { isTTY })
    expect(createTerminal(world, { ...CHOICE, ...choice }).canAsk).toBe(canAsk)
    Object.assign(world.stdin, { isTTY: false })
    expect(createTerminal(world, { ...CHOICE, ...choice }).canAsk).toBe(false)
  })
})

test('secrets are masked in everything but archives, once they are known', async () => {
  const { world, terminal } = terminalOf()
  await terminal.write('a secret-value\n')
  terminal.secrets.add('', 'secret-value', 'secret-value', 'other-value')
  await terminal.write('b secret-value\n')
  await terminal.write('c other-value\n')
  await terminal.writeBytes(Buffer.from('d secret-value\n'))
  terminal.say('e', 'f secret-value')
  expect(world.out.text()).toBe('a secret-value\nb ***\nc ***\nd secret-value\n')
  expect(world.err.text()).toBe('f ***\n')
  expect(terminal.secrets.redact('secret-value, other-value')).toBe('***, ***')
})
