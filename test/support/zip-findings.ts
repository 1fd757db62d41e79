import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { extractArchive } from '../../src/archive/extract-archive.ts'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { verifyArchive } from '../../src/archive/verify-archive.ts'
import { isFailure } from '../../src/base/failure.ts'
import { SILENT } from '../../src/base/notice.ts'
import { testWorld } from './world.ts'
import { fuzzCase, fuzzSeeds } from './zip-fuzz.ts'
import { filesIn, isSameReading, READERS, type Reading, readWith, readWithPython } from './zip-readers.ts'

const OPTIONS = {
  limits: DEFAULT_ARCHIVE_LIMITS,
  overwrite: false,
  include: [],
  exclude: [],
  flat: false,
  reporter: SILENT,
}

/** A mutant on which we and the other readers disagree. */
export type Finding =
  | {
      readonly kind: 'accepted, different elsewhere'
      readonly index: number
      readonly reader: string
      /** SHA-256 by path, its bytes as latin1. */
      readonly own: ReadonlyMap<string, string>
      readonly theirs: Reading
      readonly bytes: Buffer
    }
  | {
      readonly kind: 'refused, read alike by four others'
      readonly index: number
      readonly problems: readonly string[]
    }

export interface FuzzResult {
  readonly accepted: number
  readonly refused: number
  readonly findings: readonly Finding[]
}

const BATCH = 250

/** Compares our reading of the mutants from `first` on with that of the other readers. Works in `folder`. */
export async function compareReaders(folder: string, first: number, count: number): Promise<FuzzResult> {
  const seeds = fuzzSeeds()
  const findings: Finding[] = []
  let [accepted, refused] = [0, 0]
  for (let start = first; start < first + count; start += BATCH) {
    const work = join(folder, String(start))
    await mkdir(work)
    const indexes = Array.from({ length: Math.min(BATCH, first + count - start) }, (_, at) => start + at)
    const paths = indexes.map((index) => join(work, `${index}.zip`))
    for (const [at, index] of indexes.entries()) await writeFile(paths[at]!, fuzzCase(seeds, index))
    const python = await readWithPython(paths, work)
    await Promise.all(
      [0, 1].map(async (half) => {
        const out = join(work, `out-${half}`)
        for (const [at, index] of indexes.entries()) {
          if (at % 2 !== half) continue
          const { files, problems } = await readOurselves(paths[at]!, `${out}-own`)
          await mkdir(out)
          if (files === undefined) {
            refused += 1
            if (await isReadAlike(paths[at]!, python[at], out)) {
              findings.push({ kind: 'refused, read alike by four others', index, problems })
            }
          } else {
            accepted += 1
            findings.push(...(await differences(index, files, paths[at]!, python[at], out)))
          }
          await rm(out, { recursive: true })
        }
      }),
    )
    await rm(work, { recursive: true })
  }
  return { accepted, refused, findings: findings.toSorted((one, other) => one.index - other.index) }
}

async function readOurselves(
  path: string,
  out: string,
): Promise<{ readonly files: Reading; readonly problems: readonly string[] }> {
  try {
    await verifyArchive(testWorld(), path, OPTIONS)
    await extractArchive(testWorld(), path, out, OPTIONS)
    return { files: await filesIn(out), problems: [] }
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'archive') throw error
    return { files: undefined, problems: error.details.problems ?? [] }
  } finally {
    await rm(out, { recursive: true, force: true })
  }
}

async function isReadAlike(path: string, python: Reading, out: string): Promise<boolean> {
  if (python === undefined || python.size === 0) return false
  for (const reader of READERS) {
    if (reader === 'python3') continue
    const theirs = await readWith(reader, path, out)
    if (theirs === undefined || !isSameReading(python, theirs)) return false
  }
  return true
}

async function differences(
  index: number,
  own: ReadonlyMap<string, string>,
  path: string,
  python: Reading,
  out: string,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const reader of READERS) {
    const theirs = reader === 'python3' ? python : await readWith(reader, path, out)
    if (theirs !== undefined && isSameReading(own, theirs)) continue
    found.push({
      kind: 'accepted, different elsewhere',
      index,
      reader,
      own,
      theirs,
      bytes: await readFile(path),
    })
  }
  return found
}
