import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { builtPath } from '../support/built.ts'

// Other commands and formats do not load the library.
test('the library for Parquet is in a separate file, imported when needed', () => {
  const files = readdirSync(builtPath('dist'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => ({ name, text: readFileSync(builtPath('dist', name), 'utf8') }))
  const library = files.filter(({ text }) => text.includes('parquet columns must have the same length'))
  expect(library.map(({ name }) => name)).toEqual([expect.stringMatching(/^chunks[/\\]parquet-[\w-]+\.js$/)])
  const chunk = library[0]!.name.replace(/^chunks./, '')
  const importers = files.filter(({ text }) => text.includes(chunk))
  expect(importers.length).toBeGreaterThan(0)
  for (const { name, text } of importers) {
    const imports = text.split(chunk).slice(0, -1)
    for (const before of imports) expect(before, name).toMatch(/import\(\W(?:\.\/|\.\/chunks\/)$/)
  }
})
