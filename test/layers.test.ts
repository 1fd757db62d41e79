import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

// Who may import whom; every folder may use failure.ts and the types of world.ts.
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  spec: ['domain'],
  service: ['domain'],
  archive: ['domain'],
  declaration: ['domain'],
  storage: ['domain'],
  formats: ['domain'],
  terminal: ['domain'],
  sandbox: ['domain'],
  docs: ['spec', 'domain'],
  'use-cases': ['domain', 'spec', 'service', 'archive', 'declaration', 'storage', 'formats', 'sandbox'],
  cli: ['spec', 'domain', 'use-cases', 'terminal', 'docs', 'storage', 'formats'],
}

// A package is one folder's business: whoever else needs it asks that folder.
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  undici: ['service'],
  yauzl: ['archive'],
  yazl: ['sandbox'],
  saxes: ['declaration'],
  commander: ['cli'],
  chalk: ['terminal'],
  ora: ['terminal'],
  'smol-toml': ['cli'],
  'node:fs': ['storage'],
  'node:fs/promises': ['storage', 'real-world.ts'],
}

// What makes a process or a package of the rest: these may import whatever they need.
const ENTRIES: readonly string[] = [
  'main.ts',
  'main-sea.ts',
  'commands-sea.ts',
  'start.ts',
  'real-world.ts',
  'api.ts',
]
const SHARED = ['failure.ts', 'world.ts', 'version.ts']
const root = join(import.meta.dirname, '..', 'src')

interface Import {
  readonly file: string
  readonly from: string
  readonly isTypeOnly: boolean
}

const imports: readonly Import[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((file) => importsOf(file))

describe('the layers of the house', () => {
  test('there is something to look at', () => {
    expect(imports.length).toBeGreaterThan(100)
  })

  test('a folder imports only the folders below it', () => {
    const wrong = imports.filter(({ file, from }) => {
      if (!from.startsWith('.')) return false
      const here = folderOf(file)
      const target = relative(root, join(root, dirname(file), from))
      const there = folderOf(target)
      if (there === here || ENTRIES.includes(here) || SHARED.includes(target)) return false
      return !(MAY_IMPORT[here] ?? []).includes(there)
    })
    expect(wrong.map(({ file, from }) => `${file} -> ${from}`)).toEqual([])
  })

  test('a package is imported by the one folder it belongs to', () => {
    const wrong = imports.filter(({ file, from, isTypeOnly }) => {
      const owners = ONLY_IN[from] ?? ONLY_IN[from.replace(/^([^@/]+)\/.*$/, '$1')]
      return owners !== undefined && !isTypeOnly && !owners.includes(folderOf(file))
    })
    expect(wrong.map(({ file, from }) => `${file} -> ${from}`)).toEqual([])
  })

  test('no import runs in a circle', () => {
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

  test('nobody ends the process but those who start it', () => {
    const wrong = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !ENTRIES.includes(name))
      .filter((name) =>
        /process\.exit\b|process\.abort|console\.\w+\(/.test(readFileSync(join(root, name), 'utf8')),
      )
    expect(wrong).toEqual([])
  })
})

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
