import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { extractArchive } from '../../src/archive/extract-archive.ts'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { listArchive } from '../../src/archive/read-archive.ts'
import { verifyArchive } from '../../src/archive/verify-archive.ts'
import { SILENT } from '../../src/base/notice.ts'
import { snapshot } from '../support/snapshot.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { outcomeOf, SPECIMENS, type Specimen } from '../support/zip-specimens.ts'

const REST = { include: [], exclude: [], flat: false, reporter: SILENT }

/** A directory with an archive and something beside it that nobody may touch. */
async function withSpecimen(
  specimen: Specimen,
  body: (folder: string, path: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    await mkdir(join(folder, 'beside'))
    await writeFile(join(folder, 'beside', 'evil'), 'mine')
    const path = join(folder, specimen.file)
    await writeFile(path, specimen.bytes())
    await body(folder, path)
  })
}

function limitsOf(specimen: Specimen): typeof DEFAULT_ARCHIVE_LIMITS {
  return { ...DEFAULT_ARCHIVE_LIMITS, ...specimen.limits }
}

// Windows has no such names, so nothing with them is extracted there.
const UNIX_NAMES = ['accepted-name-dot-prefix.zip', 'accepted-name-odd.zip']
const accepted = SPECIMENS.filter(
  (specimen) =>
    outcomeOf(specimen) === 'accepted' &&
    !(process.platform === 'win32' && UNIX_NAMES.includes(specimen.file)),
)
const refused = SPECIMENS.filter((specimen) => outcomeOf(specimen) !== 'accepted')

describe('an archive that is odd but means one thing', () => {
  it.each(accepted)('$file is listed, verified and extracted', async (specimen) => {
    await withSpecimen(specimen, async (folder, path) => {
      const limits = limitsOf(specimen)
      const listed = await listArchive(testWorld(), path, { limits })
      const verified = await verifyArchive(testWorld(), path, { limits, reporter: SILENT })
      expect(verified.entries).toEqual(listed.entries)
      const target = join(folder, 'out')
      await extractArchive(testWorld(), path, target, { ...REST, limits, overwrite: false })
      if (specimen.holds === undefined) return
      const found = await snapshot(target)
      expect(found.map(({ path: name }) => name)).toEqual(Object.keys(specimen.holds).toSorted())
      for (const [name, text] of Object.entries(specimen.holds)) {
        if (name.endsWith('/')) continue
        expect(await readFile(join(target, name), 'utf8')).toBe(text)
        expect((await lstat(join(target, name))).mode & 0o7111).toBe(0)
      }
    })
  })
})

describe('an archive that is hostile or damaged', () => {
  it('comes in at least sixty kinds, each under its own name', () => {
    expect(refused.length).toBeGreaterThanOrEqual(60)
    expect(new Set(SPECIMENS.map(({ file }) => file)).size).toBe(SPECIMENS.length)
  })

  it.each(refused)('$file is refused, and nothing is changed', async (specimen) => {
    await withSpecimen(specimen, async (folder, path) => {
      const limits = limitsOf(specimen)
      const before = await snapshot(folder)
      const expected = {
        kind: 'archive',
        message: expect.stringMatching(specimen.says!),
        details: { file: path },
      }

      const listing = listArchive(testWorld(), path, { limits })
      if (outcomeOf(specimen) === 'damaged') await listing
      else await expect(listing).rejects.toMatchObject(expected)
      await expect(verifyArchive(testWorld(), path, { limits, reporter: SILENT })).rejects.toMatchObject(
        expected,
      )
      const extracting = extractArchive(testWorld(), path, join(folder, 'out'), {
        ...REST,
        limits,
        overwrite: false,
      })
      await expect(extracting).rejects.toMatchObject(expected)

      expect(await snapshot(folder)).toEqual(before)
    })
  })

  it.each(refused)('$file leaves an existing target unchanged', async (specimen) => {
    await withSpecimen(specimen, async (folder, path) => {
      const target = join(folder, 'out')
      await mkdir(join(target, 'a'), { recursive: true })
      await writeFile(join(target, 'good.xml'), 'old')
      const before = await snapshot(folder)
      await expect(
        extractArchive(testWorld(), path, target, { ...REST, limits: limitsOf(specimen), overwrite: true }),
      ).rejects.toMatchObject({ kind: 'archive' })
      expect(await snapshot(folder)).toEqual(before)
    })
  })
})
