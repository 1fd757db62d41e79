import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

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

test('README.md fits on one screen', () => {
  expect(read('README.md').split('\n').length).toBeLessThan(70)
})
