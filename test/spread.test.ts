import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'rolldown/experimental'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '../src')

/** A call or `new`, as the parser names it. */
interface Node {
  readonly type?: string
  readonly start: number
  readonly end: number
  readonly arguments?: readonly Node[]
}

/** Arguments that are passed on as they came, and constants, are few. */
const FEW = /^\.\.\.(?:args|secrets|[A-Z][A-Z_]+|extensionsOf\([A-Z]+\))$/

/** The arrays of a source that are spread into the arguments of a call: with 125,000 values and more, the stack overflows. */
function spreadsIn(source: string): readonly string[] {
  const found: string[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { type, arguments: args = [] } = value as Node
    for (const one of type === 'CallExpression' || type === 'NewExpression' ? args : []) {
      const text = source.slice(one.start, one.end)
      if (one.type !== 'SpreadElement' || FEW.test(text)) continue
      found.push(`${source.slice(0, one.start).split('\n').length}: ${text}`)
    }
    for (const child of Object.values(value)) visit(child)
  }
  visit(parseSync('source.ts', source).program)
  return found
}

test('a spread argument is found wherever it is', () => {
  const source =
    'Math.max(...xs)\nrows.push(first,\n  ...(await call()))\nnew Set(...a.b.map(c))\nf([...xs], { ...ys })\nf(...args)'
  expect(spreadsIn(source)).toEqual(['1: ...xs', '3: ...(await call())', '4: ...a.b.map(c)'])
})

test('no source spreads an array of any length into arguments', () => {
  const found = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      spreadsIn(readFileSync(join(SOURCES, name), 'utf8')).map((spread) => `${name}:${spread}`),
    )
  expect(found).toEqual([])
})
