import { describe, expect, test } from 'vitest'
import { choosePager, createPagedOutput } from '../../src/terminal/pager.ts'
import { capture, testWorld, windowsWorld } from '../support/world.ts'

const { host } = testWorld()
const SCREEN = capture(true, 20, 5).stream
const NO_CHOICE = { json: false, noPager: false }

describe('the pager', () => {
  test.each([
    ['less by default', {}, {}, { program: 'less', args: [], source: undefined }],
    ['that of PAGER', { PAGER: 'most -s' }, {}, { program: 'most', args: ['-s'], source: 'PAGER' }],
    [
      'that of the option',
      { PAGER: 'most' },
      { pager: "'my pager' -x" },
      { program: 'my pager', args: ['-x'], source: '--pager' },
    ],
    ['none with --no-pager', {}, { noPager: true }, undefined],
    ['none with --json', {}, { json: true }, undefined],
    ['none for an empty PAGER', { PAGER: '' }, {}, undefined],
    ['none for cat', { PAGER: 'cat' }, {}, undefined],
    ['none on a dumb terminal', { TERM: 'dumb' }, {}, undefined],
  ])('is %s', (_, env, choice, expected) => {
    expect(choosePager({ env, stdout: SCREEN, host }, { ...NO_CHOICE, ...choice })).toEqual(expected)
  })

  test('on Windows may have backslashes in its path', () => {
    const env = { PAGER: String.raw`"C:\Program Files\less.exe" -R D:\x` }
    expect(choosePager({ env, stdout: SCREEN, host: windowsWorld().host }, NO_CHOICE)).toEqual({
      program: String.raw`C:\Program Files\less.exe`,
      args: ['-R', String.raw`D:\x`],
      source: 'PAGER',
    })
  })

  test.each([
    ['a pipe', capture(false).stream],
    ['a terminal without a height', capture(true, 80).stream],
  ])('is none for %s', (_, stdout) => {
    expect(choosePager({ env: {}, stdout, host }, NO_CHOICE)).toBeUndefined()
  })
})

/** A paged output on a screen of 20 columns and 5 rows, and what happened. */
function paged({ isMissing = false, source = undefined as string | undefined, env = {} } = {}) {
  const seen = {
    screen: '',
    pager: undefined as string | undefined,
    env: {},
    isLeft: false,
    missing: [] as string[],
  }
  const output = createPagedOutput(
    {
      env,
      startPager: async (_program, _args, added) => {
        if (isMissing) throw new Error('ENOENT')
        seen.pager = ''
        seen.env = added
        return {
          write: async (text) => {
            seen.pager = `${seen.pager}${text}`
          },
          end: async () => {
            seen.isLeft = true
          },
        }
      },
    },
    {
      command: { program: 'less', args: [], source },
      columns: 20,
      rows: 5,
      write: async (text) => {
        seen.screen += text
      },
      onPager: () => undefined,
      onMissing: (message) => seen.missing.push(message),
    },
  )
  return { seen, output }
}

describe('a result', () => {
  const FOUR = 'line\n'.repeat(4)

  test.each([FOUR, '\n'.repeat(4), `${'x'.repeat(80)}\n`, 'line\n'.repeat(3) + 'x'.repeat(20)])(
    'that fits on the screen is written to it: %j',
    async (text) => {
      const { seen, output } = paged()
      await output.write(text)
      await output.end()
      expect(seen).toMatchObject({ screen: text, pager: undefined })
    },
  )

  test.each([
    ['more lines', FOUR, 'line\n'],
    ['a line that wraps', 'line\n'.repeat(3), `${'x'.repeat(21)}\n`],
    ['empty lines', '\n'.repeat(4), '\n'],
    ['one line as long as the screen', '', `${'x'.repeat(100)}\n`],
  ])('of %s is shown by the pager, whole', async (_, first, second) => {
    const { seen, output } = paged()
    await output.write(first)
    await output.write(second)
    await output.write('end\n')
    await output.end()
    expect(seen).toMatchObject({
      screen: '',
      pager: `${first}${second}end\n`,
      env: { LESS: 'FRX' },
      isLeft: true,
    })
  })

  test('leaves the options of less to a user who has set them', async () => {
    const { seen, output } = paged({ env: { LESS: '-S' } })
    await output.write(FOUR + FOUR)
    expect(seen.env).toEqual({})
  })

  test.each([
    [undefined, []],
    ['PAGER', ["the pager 'less' of PAGER cannot be started"]],
  ])('is written to the screen without the pager of %s', async (source, missing) => {
    const { seen, output } = paged({ isMissing: true, source })
    await output.write(FOUR + FOUR)
    await output.write('end\n')
    await output.end()
    expect(seen).toMatchObject({ screen: `${FOUR}${FOUR}end\n`, pager: undefined, missing })
  })
})
