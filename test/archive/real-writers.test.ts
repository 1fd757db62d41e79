import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { extractArchive } from '../../src/archive/extract-archive.ts'
import { mergeArchives } from '../../src/archive/merge-archives.ts'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { listArchive } from '../../src/archive/read-archive.ts'
import { verifyArchive } from '../../src/archive/verify-archive.ts'
import { SILENT } from '../../src/base/notice.ts'
import { sourcesOf } from '../support/merge-sources.ts'
import { needs } from '../support/programs.ts'
import { snapshot } from '../support/snapshot.ts'
import { IS_SOAK } from '../support/soak.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'
import { ARCHIVES, canRun, makeArchive, SOURCE_FILES, WRITERS } from '../support/zip-writers.ts'

const OPTIONS = {
  limits: DEFAULT_ARCHIVE_LIMITS,
  overwrite: false,
  include: [],
  exclude: [],
  flat: false,
  reporter: SILENT,
}

const FILES = Object.entries(SOURCE_FILES).toSorted()

/** The text of each file that the archive at `path` extracts to. */
async function filesOf(path: string, target: string): Promise<string[][]> {
  await extractArchive(testWorld(), path, target, OPTIONS)
  const found = (await snapshot(target)).filter((each) => !each.path.endsWith('/'))
  return found.map((each) => [each.path, Buffer.from(each.content, 'latin1').toString('utf8')])
}

describe('the archives of other writers in test/support/writers', () => {
  it('are those of the table, each with writer, version and command', async () => {
    expect((await readdir(ARCHIVES)).toSorted()).toEqual(WRITERS.map(({ archive }) => archive).toSorted())
    expect(WRITERS.length).toBeGreaterThan(30)
    for (const { title, version, command } of WRITERS) {
      expect(version, title).toMatch(/\d/)
      expect(command, title).toContain('$OUT')
    }
  })

  it.each(WRITERS)('$archive of $title is accepted with every name and byte', async ({ archive }) => {
    await withFolder(async (folder) => {
      const path = join(ARCHIVES, archive)
      const verified = await verifyArchive(testWorld(), path, OPTIONS)
      expect((await listArchive(testWorld(), path, OPTIONS)).entries).toEqual(verified.entries)
      expect(await filesOf(path, join(folder, 'out'))).toEqual(FILES)
    })
  })

  it('are merged with every name and byte', async () => {
    await withFolder(async (folder) => {
      const merged = join(folder, 'merged.zip')
      const paths = WRITERS.map(({ archive }) => join(ARCHIVES, archive))
      await mergeArchives(testWorld(), sourcesOf(paths), merged, { reporter: SILENT })
      expect(await filesOf(merged, join(folder, 'out'))).toEqual(FILES)
    })
  })
})

describe.each(IS_SOAK ? WRITERS.filter(({ isRunByTests }) => isRunByTests) : [])(
  'an archive made by $title',
  (writer) => {
    it.skipIf(!canRun(writer))('is read and merged with every name and byte', async () => {
      await withFolder(async (folder) => {
        const source = join(folder, 'source')
        await mkdir(join(source, 'sub', 'empty'), { recursive: true })
        for (const [name, text] of FILES as [string, string][]) {
          await mkdir(dirname(join(source, name)), { recursive: true })
          await writeFile(join(source, name), text)
        }
        const path = join(folder, 'out.zip')
        makeArchive(writer, source, path)
        expect(existsSync(path)).toBe(true)
        const merged = join(folder, 'merged.zip')
        await mergeArchives(testWorld(), sourcesOf([path, path]), merged, { reporter: SILENT })
        for (const archive of [path, merged]) {
          expect(await filesOf(archive, `${archive}.out`)).toEqual(FILES)
        }
      })
    })
  },
)

describe('an entry that was read from standard input', () => {
  it.each([
    ['zip', 'zip -q "$OUT" -', '-'],
    ['zip', 'zip -q - - | cat > "$OUT"', '-'],
    ['7zz', '7zz a -tzip -si "$OUT"', '-'],
    ['7zz', '7zz a -tzip -sia.xml "$OUT"', 'a.xml'],
    ['bsdtar', 'cat > a.xml; bsdtar -cf - a.xml | bsdtar --format zip -cf "$OUT" @-', 'a.xml'],
    [
      'python3',
      `python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w").writestr("-", sys.stdin.read())' "$OUT"`,
      '-',
    ],
  ])('by %s is a file: %s', async (program, command, name) => {
    if (!needs(program)) return
    await withFolder(async (folder) => {
      const path = join(folder, 'piped.zip')
      const env = { PATH: process.env.PATH, OUT: path }
      execFileSync('sh', ['-c', `echo text | (${command}) > /dev/null`], { cwd: folder, env })
      const merged = join(folder, 'merged.zip')
      await mergeArchives(testWorld(), sourcesOf([path]), merged, { reporter: SILENT })
      for (const [archive, target] of [
        [path, 'out'],
        [merged, 'merged'],
      ] as const) {
        await verifyArchive(testWorld(), archive, OPTIONS)
        await extractArchive(testWorld(), archive, join(folder, target), { ...OPTIONS, overwrite: false })
        expect(await readdir(join(folder, target))).toEqual([name])
        expect(await readFile(join(folder, target, name), 'utf8')).toBe('text\n')
      }
    })
  })
})

describe('an archive that Python has appended to', () => {
  it.each([
    ['code page 437', Buffer.from('677294e1652e786d6c', 'hex'), 'größe.xml'],
    // Python reads them as code page 437, and so do all readers of what it writes.
    ['UTF-8 without its flag', Buffer.from('größe.xml'), 'gr├╢├ƒe.xml'],
    ['ASCII', Buffer.from('a.xml'), 'a.xml'],
  ])('has names in %s in its local headers', async (_title, raw, name) => {
    if (!needs('python3')) return
    await withFolder(async (folder) => {
      const path = join(folder, 'a.zip')
      await writeFile(path, zip([{ name: raw, data: '<a/>' }]))
      const program =
        'import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], "a") as z: z.writestr("b.xml", "<b/>")'
      execFileSync('python3', ['-c', program, path])
      const found = Object.fromEntries(await filesOf(path, join(folder, 'out')))
      expect(found).toEqual({ [name]: '<a/>', 'b.xml': '<b/>' })
      const merged = join(folder, 'merged.zip')
      await mergeArchives(testWorld(), sourcesOf([path]), merged, { reporter: SILENT })
      expect(Object.fromEntries(await filesOf(merged, join(folder, 'again')))).toEqual(found)
    })
  })
})
