import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { memoized } from '../src/base/memoized.ts'

const ROOT = join(import.meta.dirname, '..')

const EXPORTED =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|type|interface|enum) ([\w$]+)/gm

interface Source {
  readonly path: string
  readonly text: string
}

function exportsOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(EXPORTED)].map(([, name]) => name!))]
}

/** The names that more than one of the texts exports. */
function homonymsOf(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const twice = texts.flatMap(exportsOf).filter((name) => seen.size === seen.add(name).size)
  return [...new Set(twice)].sort()
}

const wordsOf = memoized((text: string) => new Set(text.match(/[\w$]+/g)), 10_000)

/** The exports that no other file names beside an import of theirs: file names in src are unique. */
function notImported(sources: readonly Source[], users: readonly Source[]): readonly string[] {
  const importersOf = new Map<string, Source[]>()
  for (const user of users) {
    for (const [, name] of user.text.matchAll(/\/([\w.-]+)'/g)) {
      const importers = importersOf.get(name!) ?? []
      if (importers.at(-1) !== user) importersOf.set(name!, [...importers, user])
    }
  }
  return sources.flatMap(({ path, text }) => {
    const importers = (importersOf.get(basename(path)) ?? []).filter((user) => user.path !== path)
    return exportsOf(text)
      .filter((name) => !importers.some((user) => wordsOf(user.text).has(name)))
      .map((name) => `${path}: ${name}`)
  })
}

/** Those of them that their own file does not use either. */
function notUsed(sources: readonly Source[], users: readonly Source[]): readonly string[] {
  const rest = new Set(notImported(sources, users))
  return sources.flatMap(({ path, text }) => {
    const words = new Set(text.replace(EXPORTED, '').match(/[\w$]+/g))
    return exportsOf(text)
      .map((name) => ({ name, entry: `${path}: ${name}` }))
      .filter(({ name, entry }) => rest.has(entry) && !words.has(name))
      .map(({ entry }) => entry)
  })
}

function sourcesIn(...folders: readonly string[]): readonly Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.m?[jt]s$/.test(name))
      .map((name) => ({ path: join(folder, name), text: readFileSync(join(ROOT, folder, name), 'utf8') })),
  )
}

const SOURCES = sourcesIn('src')
const TOOLS = sourcesIn('scripts', 'bench')

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

test('what other files import, and what only its own file uses, is found', () => {
  const source = {
    path: 'src/a.ts',
    text: 'export const one = 1\nexport const two = one\nexport type Three = 3',
  }
  const users = [
    source,
    { path: 'src/b.ts', text: "const { two } = await import('./a.ts')" },
    { path: 'src/c.ts', text: "import { one } from './b.ts'" },
  ]
  expect(notImported([source], users)).toEqual(['src/a.ts: one', 'src/a.ts: Three'])
  expect(notUsed([source], users)).toEqual(['src/a.ts: Three'])
})

test('no name is exported by two files', () => {
  expect(homonymsOf(SOURCES.map(({ text }) => text))).toEqual([])
})

test('every export is imported by another file', () => {
  expect(notImported(SOURCES, [...SOURCES, ...TOOLS, ...sourcesIn('test')])).toEqual([])
})

test('nothing is there for the tests alone', () => {
  expect(notUsed(SOURCES, [...SOURCES, ...TOOLS])).toEqual([])
})
