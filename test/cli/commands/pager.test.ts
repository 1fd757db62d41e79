import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { fileA, productXml } from '../../support/declarations.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const PARTS = Array.from({ length: 30 }, (_, index) => `PART-${index}`)
const ARCHIVE = zip(PARTS.map((part) => ({ name: `${part}.xml`, data: fileA(productXml([part], '')) })))

async function run(argv: readonly string[], { rows = 10, isTTY = true } = {}) {
  return withFolder(async (cwd) => {
    await writeFile(join(cwd, 'x.zip'), ARCHIVE)
    let shown: string | undefined
    const startPager = async () => {
      shown = ''
      const write = async (text: string): Promise<void> => {
        shown = `${shown}${text}`
      }
      return { write, end: async () => undefined }
    }
    const result = await cli(argv, { cwd, isTTY, columns: 80, rows, startPager, env: { NO_COLOR: '1' } })
    return { ...result, shown }
  })
}

describe.each([['list'], ['report']])('%s on a terminal', (command) => {
  test('shows a long result in the pager', async () => {
    const { code, stdout, shown } = await run([command, 'x.zip'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    for (const part of PARTS) expect(shown).toContain(part)
  })

  test.each([
    ['that fits', [command, 'x.zip'], { rows: 60 }],
    ['with --no-pager', [command, '--no-pager', 'x.zip'], {}],
    ['with --json', [command, '--json', 'x.zip'], {}],
    ['in a pipe', [command, 'x.zip'], { isTTY: false }],
  ])('writes a result %s itself', async (_, argv, screen) => {
    const { code, stdout, shown } = await run(argv, screen)
    expect({ code, shown }).toEqual({ code: 0, shown: undefined })
    for (const part of PARTS) expect(stdout).toContain(part)
  })
})

test('the gate of a report speaks after the pager', async () => {
  const { code, stderr, shown } = await run(['report', 'x.zip', '--fail-on', 'not-declared'])
  expect(code).toBe(13)
  expect(shown).toContain('PART-29')
  expect(stderr).toContain('not-declared')
})
