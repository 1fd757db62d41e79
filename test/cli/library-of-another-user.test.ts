import { chown, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli } from '../support/cli.ts'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { withFolder } from '../support/world.ts'

const isRoot = process.geteuid?.() === 0
const NOBODY = 65_534
const LIST = ['--parts-file', 'bom.csv']

/** Every command that takes a library. */
const COMMANDS: readonly (readonly string[])[] = [
  ['sync', '--sandbox', ...LIST],
  ['sync', '--sandbox', '--dry-run', ...LIST],
  ['check', 'bom.csv', '--sandbox'],
  ['check', 'bom.csv', '--offline'],
  ['report'],
  ['report', '--as-of', '2026-01-01'],
  ['report', ...LIST, '--fail-on', 'failed,doubtful'],
  ['report', '--explain', 'P-100'],
  ['diff', '--since', '2026-01-01'],
  ['verify'],
]

// The owner of a directory or its record: only root can give one away.
describe.skipIf(!isRoot)('a library of another user is refused, and nothing of it is read or changed', () => {
  test.each([
    ['its directory', (library: string) => [library]],
    ['its directory for records', (library: string) => [join(library, '.matdecl')]],
    ['all of it', (library: string) => [library, join(library, '.matdecl'), join(library, 'a.xml')]],
  ])('where %s belongs to somebody else', (_, given) =>
    withFolder(async (cwd) => {
      const library = join(cwd, 'lib')
      await mkdir(join(library, '.matdecl'), { recursive: true, mode: 0o700 })
      const declaration = fileA(productXml(['P-100'], listXml('EUROHS-1907', rohsCategories())))
      await writeFile(join(library, 'a.xml'), declaration)
      await writeFile(join(cwd, 'bom.csv'), 'MPN,Qty\nP-100,1\n')
      for (const path of given(library)) await chown(path, NOBODY, NOBODY)
      const before = await readdir(library, { recursive: true })
      for (const command of COMMANDS) {
        const run = await cli([...command, '--library', 'lib', '--json'], { cwd })
        const at = command.join(' ')
        expect(run.code, at).toBe(9)
        expect(run.json().error, at).toMatchObject({
          message: expect.stringMatching(/lib(?:\/\.matdecl)? cannot be used: it belongs to another user/),
          options: ['library'],
        })
        expect(run.stdout, at).not.toContain('Example Parts')
      }
      expect(await readdir(library, { recursive: true })).toEqual(before)
    }),
  )
})
