import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

// From the bottom to the top. A directory imports from lower rows, and from those that BESIDE lists.
const LEVELS: readonly (readonly string[])[] = [
  ['base'],
  ['fs', 'request', 'compliance'],
  ['http', 'archive', 'declaration', 'parts'],
  ['library'],
  ['report', 'diff', 'download', 'migrate', 'doctor', 'sandbox'],
  ['terminal', 'cli'],
]
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  // A diff compares two reports.
  diff: ['report'],
  // Parts of a download are accounted for while its entries are inflated.
  archive: ['declaration'],
  // A workbook is a ZIP archive.
  parts: ['archive'],
  cli: ['terminal'],
}
const FOLDERS = LEVELS.flat()

// The one directory that imports a package; others use that directory.
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  undici: ['http'],
  yauzl: ['archive'],
  yazl: ['archive'],
  'zip-stream': ['archive'],
  saxes: ['base'],
  papaparse: ['parts'],
  commander: ['cli'],
  chalk: ['terminal'],
  ora: ['terminal'],
  'jsonc-parser': ['base'],
  'smol-toml': ['cli'],
  canonicalize: ['download'],
  'hyparquet-writer': ['report'],
}

// Entries of the process and of the package.
const ENTRIES: readonly string[] = ['main.ts', 'main-sea.ts', 'start.ts', 'real-world.ts', 'run-program.ts']
const root = join(import.meta.dirname, '..', 'src')

interface Import {
  readonly file: string
  readonly from: string
  readonly isTypeOnly: boolean
}

const imports: readonly Import[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((file) => importsOf(file))

describe('the directories of src', () => {
  test('are found', () => {
    expect(imports.length).toBeGreaterThan(100)
  })

  test('every directory is one of the table', () => {
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).sort()).toEqual([...FOLDERS].sort())
  })

  test('a directory imports only the directories below it', () => {
    const wrong = imports.filter(({ file, from }) => {
      if (!from.startsWith('.') || from.endsWith('?text')) return false
      const here = folderOf(file)
      const there = folderOf(relative(root, join(root, dirname(file), from)))
      if (there === here || ENTRIES.includes(here)) return false
      return levelOf(there) >= levelOf(here) && !(BESIDE[here] ?? []).includes(there)
    })
    expect(wrong.map(({ file, from }) => `${file} -> ${from}`)).toEqual([])
  })

  test('tests are in the directories of what they test', () => {
    const folders = readdirSync(join(root, '..', 'test'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    expect(folders.filter((name) => !['support', 'spawned', 'scripts', ...FOLDERS].includes(name))).toEqual(
      [],
    )
  })

  test('no file name is used for two things', () => {
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    const twice = names.filter((name) =>
      names.some((other) => other !== name && basename(other) === basename(name)),
    )
    expect(twice).toEqual([])
  })

  test('a package is imported in its one directory only', () => {
    const wrong = imports.filter(({ file, from, isTypeOnly }) => {
      const owners = ONLY_IN[from] ?? ONLY_IN[from.replace(/^([^@/]+)\/.*$/, '$1')]
      return owners !== undefined && !isTypeOnly && !owners.includes(folderOf(file))
    })
    expect(wrong.map(({ file, from }) => `${file} -> ${from}`)).toEqual([])
  })

  test.each([
    ...Object.entries(ONLY_IN),
    [
      'zod',
      ['request', 'http', 'archive', 'library', 'report', 'diff', 'download', 'migrate', 'sandbox'],
    ] as const,
  ])('%s is imported in %j', (name, owners) => {
    const users = imports
      .filter(({ from, isTypeOnly }) => !isTypeOnly && (from === name || from === `${name}/mini`))
      .map(({ file }) => folderOf(file))
    expect(owners.filter((owner) => !users.includes(owner))).toEqual([])
  })

  test('packages are imported by their names, without inner paths', () => {
    const wrong = imports.filter(
      ({ from }) => !/^(?:\.|node:)|^(?:@[^/]+\/)?[^/]+$/.test(from) && from !== 'zod/mini',
    )
    expect(wrong.map(({ file, from }) => `${file} -> ${from}`)).toEqual([])
  })

  test('nothing below cli names a flag of the command line', () => {
    // A custom property of CSS follows "var(".
    const others = ['base/notice.ts']
    const wrong = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !others.includes(name))
      .filter((name) => LEVELS.slice(0, -1).flat().includes(folderOf(name)))
      .filter((name) => /(?:['"` ]|(?<!var)\()--[a-z]/.test(readFileSync(join(root, name), 'utf8')))
    expect(wrong).toEqual([])
  })

  test('no imports are circular', () => {
    const targets = new Map<string, string[]>()
    for (const { file, from } of imports) {
      if (!from.startsWith('.')) continue
      targets.set(file, [...(targets.get(file) ?? []), relative(root, join(root, dirname(file), from))])
    }
    const done = new Set<string>()
    const circles: string[] = []
    const walk = (file: string, above: readonly string[]): void => {
      if (above.includes(file)) circles.push([...above.slice(above.indexOf(file)), file].join(' -> '))
      if (above.includes(file) || done.has(file)) return
      for (const target of targets.get(file) ?? []) walk(target, [...above, file])
      done.add(file)
    }
    for (const file of targets.keys()) walk(file, [])
    expect(circles).toEqual([])
  })

  test.each([
    ['ends the process or writes to the console', /process\.exit\b|process\.abort|console\.\w+\(/, ENTRIES],
    [
      'reads the arguments of the process',
      /\bargv0?\b.*from 'node:process'|process\.(?:argv|execArgv)/,
      ENTRIES,
    ],
    // `_default` is a public function of zod/mini.
    ['uses internals of Node', /process\.binding|(?<!\bz)\??\._[a-z]|\w\['_[a-z]/, []],
  ])('no file %s', (_, pattern, exceptions) => {
    const wrong = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !exceptions.includes(name))
      .filter((name) => pattern.test(readFileSync(join(root, name), 'utf8')))
    expect(wrong).toEqual([])
  })
})

// An entry of the process is above all directories.
function levelOf(folder: string): number {
  const level = LEVELS.findIndex((folders) => folders.includes(folder))
  return level === -1 ? LEVELS.length : level
}

function folderOf(file: string): string {
  return file.split('/')[0]!
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  const statements = [...text.matchAll(/^\s*(import|export)\s+(type\s+)?[^'"();]*?from\s+'([^']+)'/gm)]
  const dynamic = [...text.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)]
  const bare = [...text.matchAll(/^import\s+'([^']+)'/gm)]
  return [
    ...statements.map(([, , type, from]) => ({ file, from: from!, isTypeOnly: type !== undefined })),
    ...dynamic.map(([, from]) => ({ file, from: from!, isTypeOnly: false })),
    ...bare.map(([, from]) => ({ file, from: from!, isTypeOnly: false })),
  ]
}
