import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '../src')

const EXPORTED =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|type|interface|enum) ([\w$]+)/gm

function exportsOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(EXPORTED)].map(([, name]) => name!))]
}

/** The names that more than one of the texts exports. */
function homonymsOf(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const twice = texts.flatMap(exportsOf).filter((name) => seen.size === seen.add(name).size)
  return [...new Set(twice)].sort()
}

test('exports of every kind are found', () => {
  const source = [
    'export function one() {}',
    'export async function* two(a: string): AsyncGenerator<string>',
    'export async function* two(a: unknown) {}',
    'export const three = 1',
    'export abstract class Four {}',
    'export type Five = 1',
    'export interface Six {}',
    "export { seven } from './seven.ts'",
    'const eight = 1',
  ].join('\n')
  expect(exportsOf(source)).toEqual(['one', 'two', 'three', 'Four', 'Five', 'Six'])
  expect(homonymsOf([source, 'export const two = 2'])).toEqual(['two'])
})

test('no name is exported by two files', () => {
  const texts = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(SOURCES, name), 'utf8'))
  expect(homonymsOf(texts)).toEqual([])
})
