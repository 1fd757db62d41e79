import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '../src')

/** Arrays spread into the arguments of a call: with 125,000 values and more, the stack overflows. */
const SPREAD = /\.push\(\.\.\.[\w.#]+\)|\.(?:fromCharCode|fromCodePoint|apply)\(.*\.\.\.[\w.#]+\)/

test('no source spreads an array of any length into arguments', () => {
  const found = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      readFileSync(join(SOURCES, name), 'utf8')
        .split('\n')
        .flatMap((line, at) => (SPREAD.test(line) ? [`${name}:${at + 1}: ${line.trim()}`] : [])),
    )
  expect(found).toEqual([])
})
