import { readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { cli } from '../support/cli.ts'
import { invocationsIn } from '../support/markdown-commands.ts'
import { withFolder } from '../support/world.ts'

const root = join(import.meta.dirname, '..', '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const svg = readFileSync(join(root, 'docs', 'terminal.svg'), 'utf8')

/** The lines of the picture: its spans joined by their height. */
function linesOf(picture: string): string[] {
  const lines = new Map<string, string[]>()
  for (const [, y, text] of picture.matchAll(/<text x="[^"]+" y="([^"]+)"[^>]*>([^<]*)<\/text>/g)) {
    lines.set(y!, [...(lines.get(y!) ?? []), text!])
  }
  return [...lines.values()].map((spans) =>
    spans
      .join('')
      .replaceAll('\u00a0', ' ')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  )
}

// Text that differs between runs, and gaps where the picture has no spaces.
const plain = (line: string): string =>
  stripVTControlCharacters(line)
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
    .replace(/\d+(?:\.\d+)? s\)/g, 'TIME)')
    .replace(/\bin \d+ days?\b/g, 'in DAYS')
    .replace(/matdecl\s+\d+\.[\w.-]*/g, 'matdecl VERSION')
    .replace(/\s+/g, '')

describe('the picture of a terminal', () => {
  const lines = linesOf(svg)
  const commands = lines.filter((line) => line.startsWith('$ '))

  test('is in the README', () => {
    expect(readme).toMatch(/<img src="docs\/terminal\.svg" [^>]*alt="[^"]{10,}"/)
  })

  test('shows the output of the day it was recorded on: npm run picture', async () => {
    const nowMs = Date.parse(/<desc>Recorded on ([\d-]+)<\/desc>/.exec(svg)![1]!)
    await withFolder(async (cwd) => {
      await cp(join(root, 'examples'), join(cwd, 'examples'), { recursive: true })
      let said = commands.map(plain).join('\n')
      for (const command of commands) {
        const [argv] = invocationsIn(command)
        const { stdout, stderr } = await cli([...argv!, '--no-progress'], {
          cwd,
          isTTY: true,
          columns: 104,
          nowMs,
          env: { TERM: 'xterm-256color', LANG: 'C.UTF-8' },
        })
        said += `\n${plain(`${stdout}${stderr}`)}`
      }
      // Where a line is wrapped depends on the length of the version.
      expect(lines.filter((line) => !said.includes(plain(line)))).toEqual([])
      expect(commands).toHaveLength(3)
    })
  })

  test('contains no details of the machine it was recorded on', () => {
    expect(svg).not.toMatch(/\/(?:home|root|tmp|work|Users)\//)
  })
})

test('the picture of an HTML page is in the README, and small', () => {
  expect(readme).toMatch(/<img src="docs\/report\.webp" [^>]*alt="[^"]{10,}"/)
  const image = readFileSync(join(root, 'docs', 'report.webp'))
  expect(image.toString('latin1', 0, 4) + image.toString('latin1', 8, 12)).toBe('RIFFWEBP')
  expect(image.length).toBeLessThan(150_000)
})
