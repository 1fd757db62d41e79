import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { cli } from '../support/cli.ts'
import { invocationsIn } from '../support/markdown-commands.ts'
import { withFolder } from '../support/world.ts'

const svg = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'terminal.svg'), 'utf8')

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
    .replace(/127\.0\.0\.1:\d+/, 'HOST')
    .replace(/\d+(?:\.\d+)? s\)/, 'TIME)')
    .replace(/matdecl \d+\.[\w.-]*/g, 'matdecl VERSION')
    .replace(/\s+/g, '')

describe('the picture of a terminal', () => {
  const lines = linesOf(svg)
  const commands = lines.filter((line) => line.startsWith('$ '))

  test('is in the README', () => {
    const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')
    expect(readme).toMatch(/!\[[^\]]{10,}\]\(docs\/terminal\.svg\)/)
  })

  test('shows the current output: npm run picture', async () => {
    await withFolder(async (cwd) => {
      const parts = svg.match(/EXC188R\d+KA/g)!
      await writeFile(join(cwd, 'bom.csv'), `part number\n${[...new Set(parts)].sort().join('\n')}\n`)
      let said = commands.map(plain).join('\n')
      for (const command of commands) {
        const [argv] = invocationsIn(command)
        const { stdout, stderr } = await cli([...argv!, '--no-progress'], {
          cwd,
          isTTY: true,
          columns: 96,
          env: { TERM: 'xterm-256color', LANG: 'C.UTF-8' },
        })
        said += `\n${`${stdout}${stderr}`.split('\n').map(plain).join('\n')}`
      }
      // A line of the output that is wider than the terminal is two lines of the picture.
      expect(lines.filter((line) => !said.includes(plain(line)))).toEqual([])
      expect(commands).toHaveLength(3)
    })
  })

  test('contains no details of the machine it was recorded on', () => {
    expect(svg).not.toMatch(/\/(?:home|root|tmp|work|Users)\//)
  })
})
