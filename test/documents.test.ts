import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { RELEASE_FILES } from '../scripts/release-files.mjs'

const root = join(import.meta.dirname, '..')

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('the files that %s names exist', (document) => {
  const named = [...read(document).matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, path]) => path!)
  expect(named.length).toBeGreaterThan(5)
  const created = ['dist/', 'build/release/', 'workers/']
  const missing = named.filter(
    (path) =>
      !created.includes(path) && !existsSync(join(root, path)) && !existsSync(join(root, 'src', path)),
  )
  expect(missing).toEqual([])
})

test('ARCHITECTURE.md lists every directory of src', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  const text = read('ARCHITECTURE.md')
  expect(folders.filter(({ name }) => !text.includes(`| \`${name}/\` |`)).map(({ name }) => name)).toEqual([])
})

test('the functions and tables that ARCHITECTURE.md names are in their files', () => {
  const named = [...read('ARCHITECTURE.md').matchAll(/((?:`\w+`(?: and )?)+) \(`([\w/-]+\.ts)`\)/g)].flatMap(
    ([, names, path]) => names!.match(/\w{4,}/g)!.map((name) => [name, path!] as const),
  )
  expect(named.length).toBeGreaterThan(15)
  const gone = named.filter(
    ([name, path]) =>
      !new RegExp(`function\\*? ${name}[(<]|(?:const|class) ${name}\\b`).test(read(`src/${path}`)),
  )
  expect(gone).toEqual([])
})

test('CONTRIBUTING.md says what each dependency is for', () => {
  const section = read('CONTRIBUTING.md').split('## Dependencies')[1]!.split('## ')[0]!
  const named = [...section.matchAll(/^\| (`.*?) \| .+ \|$/gm)].flatMap(
    ([, names]) => names!.match(/[^`, ]+/g)!,
  )
  expect(named.sort()).toEqual(Object.keys(JSON.parse(read('package.json')).devDependencies).sort())
})

test('the libraries of a directory are those that it imports', () => {
  const rows = [...read('ARCHITECTURE.md').matchAll(/^\| `(\w+)\/` \|.*\| ?([^|]*) \|$/gm)]
  const documented = rows.map(([, folder, libraries]) => [
    folder,
    libraries!.split(', ').filter(Boolean).sort(),
  ])
  expect(documented).toEqual(rows.map(([, folder]) => [folder, librariesOf(folder!)]))
})

test('the levels of imports are those that are tested', () => {
  const section = read('ARCHITECTURE.md').split('## Imports')[1]!.split('## ')[0]!
  const documented = [...section.matchAll(/^\| \d \| (`.*?`) \| (.*?) ?\|$/gm)]
  const tested = read('test/layers.test.ts')
  const levels = [.../const LEVELS[^=]*= \[(.*?)\n\]/s.exec(tested)![1]!.matchAll(/\[(.*)\]/g)]
  const names = (text: string, quote: RegExp): string[] => [...text.matchAll(quote)].map(([, name]) => name!)
  expect(documented.map(([, folders]) => names(folders!, /`(\w+)`/g))).toEqual(
    levels.map(([, folders]) => names(folders!, /'(\w+)'/g)),
  )
  const beside = [.../const BESIDE[^=]*= \{(.*?)\n\}/s.exec(tested)![1]!.matchAll(/^ {2}(\w+): \[(.*)\]/gm)]
  const neighbours = documented.flatMap(([, , text]) => [
    ...text!.matchAll(/`(\w+)` → ((?:`\w+`(?:, (?!`\w+` →))?)+)/g),
  ])
  expect(neighbours.map(([, from, to]) => [from, names(to!, /`(\w+)`/g)]).sort()).toEqual(
    beside.map(([, from, to]) => [from, names(to!, /'(\w+)'/g)]).sort(),
  )
})

const DOCUMENTS = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

test.each(DOCUMENTS)('the links of %s lead to files and headings that exist', (document) => {
  const links = [...withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
  const broken = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [path, heading] = link.split('#')
    const target = path === '' ? document : join(dirname(document), path!)
    if (!existsSync(join(root, target))) return true
    return heading !== undefined && !headingsOf(read(target)).includes(heading)
  })
  expect(broken).toEqual([])
})

test('README.md fits on one screen', () => {
  expect(read('README.md').split('\n').length).toBeLessThan(70)
})

// Every directory may use zod.
function librariesOf(folder: string): string[] {
  const files = readdirSync(join(root, 'src', folder), { recursive: true, encoding: 'utf8' })
  const text = files
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(join('src', folder, name)))
    .join('\n')
  const imported = [...text.matchAll(/^import (?!type)[^']*'([^'.][^']*)'|\bimport\('([^'.][^']*)'\)/gm)]
  const names = imported.map(([, name, lazy]) => name ?? lazy!).filter((name) => !/^node:|^zod/.test(name))
  return [...new Set(names)].sort()
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '')
}

// As GitHub makes anchors of headings.
function headingsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('the npm package and release archives contain what README.md links, and its examples', () => {
  const examples = read('README.md').match(/\bexamples\/[\w.-]+/g) ?? []
  expect(new Set(examples)).toEqual(new Set(['examples/bom.csv', 'examples/product.csv']))
  const links = [...read('README.md').matchAll(/(?:\]\(|src=")(?!https?:|#)([^)"#]+)/g)].map(
    ([, path]) => path!,
  )
  expect(links.length).toBeGreaterThan(10)
  const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] }
  for (const contents of [files, RELEASE_FILES]) {
    const isThere = (path: string): boolean =>
      contents.some((each) => path === each || path.startsWith(`${each}/`))
    expect([...links, ...examples].filter((path) => !isThere(path))).toEqual([])
  }
})

test('no document runs a package of the registry by name', () => {
  const documents = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
  const naming = documents.filter(
    (path) =>
      path.endsWith('.md') &&
      /npx matdecl|npm (?:install|i) (?:--global |-g )?matdecl\b(?!-)/.test(read(path)),
  )
  expect(naming).toEqual([])
})
