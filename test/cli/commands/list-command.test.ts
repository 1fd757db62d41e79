import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../../src/base/clean-text.ts'
import { cli } from '../../support/cli.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const NAME = '1752A_C_100200300_EXC188R60000KA.xml'

describe('list', () => {
  test.each([
    [['list'], 'missing required argument'],
    [['list', ''], 'ARCHIVE is empty'],
    [['list', 'x.zip', ''], 'ARCHIVE is empty'],
  ])('%j is a usage error', async (argv, says) => {
    const { code, stdout, stderr } = await cli(argv)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(says)
  })

  test('shows size, date and name; with --long packed size, time and CRC-32 too; with --json always all', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'x.zip'), zip([{ name: 'a.xml', data: 'x'.repeat(1000) }]))
      const plain = await cli(['list', 'x.zip'], { cwd })
      expect(plain).toMatchObject({ code: 0, stderr: '' })
      expect(plain.stdout).toMatch(/^size {2}date \(UTC\) {2}name\n1000 {2}2026-03-04 {2}a\.xml\n1 entry, /)
      const long = await cli(['list', '--long', 'x.zip'], { cwd })
      expect(long.stdout).toMatch(
        /^size {2}packed {2}date \(UTC\) {2}time {6}crc-32 {4}name\n1000 +\d+ {2}2026-03-04 {2}05:06:08 {2}[0-9a-f]{8} {2}a\.xml\n/,
      )
      const [short, all] = [
        await cli(['list', 'x.zip', '--json'], { cwd }),
        await cli(['list', '--long', 'x.zip', '--json'], { cwd }),
      ]
      expect(short.stdout).toBe(all.stdout)
      expect(short.json()).toMatchObject({
        archives: [
          {
            entries: [
              {
                packedBytes: expect.any(Number),
                crc32: expect.any(String),
                modified: '2026-03-04T05:06:08.000Z',
              },
            ],
          },
        ],
      })
    })
  })

  test.each([40, 80, 200])('wraps no row on a terminal of %i columns', async (columns) => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'x.zip'), zip([{ name: NAME, data: 'x' }]))
      const { stdout } = await cli(['list', '--long', 'x.zip', '--no-color'], { cwd, isTTY: true, columns })
      const lines = stdout.replaceAll('\r', '').split('\n')
      expect(lines.some((line) => line.endsWith(NAME))).toBe(true)
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
    })
  })
})
