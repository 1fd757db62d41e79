import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { builtPath } from '../support/built.ts'

// Importing it reads every property of `process`: it opens standard input, and takes 4 ms.
test('no file of the build imports node:process', () => {
  const files = readdirSync(builtPath('dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  )
  expect(files.length).toBeGreaterThan(20)
  const importing = files.filter((name) =>
    /(?:from|import|require)\s*\(?\s*['"`](?:node:)?process['"`]/.test(
      readFileSync(builtPath('dist', name), 'utf8'),
    ),
  )
  expect(importing).toEqual([])
})
