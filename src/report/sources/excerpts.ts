import { createHash } from 'node:crypto'
import { escapeUnsafe } from '../../base/clean-text.ts'
import type { World } from '../../base/world.ts'
import { createXmlDecoder } from '../../base/xml.ts'
import { type FileToRead, filesOf, type ReportJob } from '../report-job.ts'
import { type FilePath, filePieces } from './declaration-files.ts'
import { planSources, type SourceOptions } from './report-sources.ts'

/** Some lines of a file, with what identifies the file. */
interface Excerpt {
  readonly sha256: string
  /** Of the archive that it is in. */
  readonly archive: { readonly name: string; readonly sha256: string } | undefined
  /** The wanted lines by number, and those around each. */
  readonly lines: ReadonlyMap<number, string>
}

export type Excerpts = ReadonlyMap<string, Excerpt>

/** The lines that are wanted of each file, by the source as rows name it. */
export type WantedLines = ReadonlyMap<string, ReadonlySet<number>>

const LINES_BEFORE = 1
const LINES_AFTER = 3
const LONGEST = 300
const STDIN = '-'

/** Reads the sources once more for these lines; what came on standard input is gone. */
export async function readExcerpts(
  world: World,
  options: Pick<SourceOptions, 'sources' | 'limits' | 'shard' | 'leaveOut'>,
  wanted: WantedLines,
): Promise<Excerpts> {
  const found = new Map<string, Excerpt>()
  const sources = options.sources.filter((source) => source !== STDIN)
  if (wanted.size === 0 || sources.length === 0) return found
  const reading = { substances: false, screening: '' }
  await using planned = await planSources(world, { ...options, sources, reading, cache: undefined })
  let archive: (Excerpt['archive'] & { readonly path: FilePath }) | undefined
  for await (const { job, prefix } of planned.jobs) {
    world.interrupt.throwIfAborted()
    if (job.kind === 'kept') continue
    const left = wantedOf(job, prefix, wanted)
    for await (const file of filesOf(left)) {
      if (left.kind === 'entries' && 'path' in left.place && archive?.path !== left.place.path) {
        const { path } = left.place
        archive = { path, name: escapeUnsafe(left.archive), sha256: hashOf(path, left.archive) }
      }
      const source = `${prefix}${file.source}`
      const { name, sha256 } = archive ?? {}
      const isInside = left.kind === 'entries' && name !== undefined
      found.set(source, {
        ...(await readExcerpt(file, wanted.get(source)!)),
        archive: isInside ? { name, sha256: sha256! } : undefined,
      })
    }
  }
  return found
}

function wantedOf(job: ReportJob, prefix: string, wanted: WantedLines): ReportJob {
  const isWanted = (name: string): boolean => wanted.has(`${prefix}${escapeUnsafe(name)}`)
  return job.kind === 'files'
    ? { ...job, files: job.files.filter(({ label }) => isWanted(label)) }
    : { ...job, entries: job.entries.filter(({ name }) => isWanted(name)) }
}

function hashOf(path: FilePath, name: string): string {
  const hash = createHash('sha256')
  for (const piece of filePieces(path, name)) hash.update(piece)
  return hash.digest('hex')
}

async function readExcerpt(
  { open }: FileToRead,
  wanted: ReadonlySet<number>,
): Promise<Omit<Excerpt, 'archive'>> {
  const hash = createHash('sha256')
  const decoder = createXmlDecoder()
  const around = new Set(
    [...wanted].flatMap((line) =>
      Array.from({ length: LINES_BEFORE + 1 + LINES_AFTER }, (_, index) => line - LINES_BEFORE + index),
    ),
  )
  const lines = new Map<number, string>()
  let number = 1
  let rest = ''
  const take = (text: string, isLast: boolean): void => {
    const all = `${rest}${text}`.split('\n')
    rest = isLast ? '' : all.pop()!.slice(0, LONGEST * 4)
    for (const line of all) {
      if (around.has(number)) lines.set(number, lineText(line))
      number += 1
    }
  }
  for await (const piece of open()) {
    hash.update(piece)
    if (around.size > 0) take(decoder.write(piece), false)
  }
  if (around.size > 0) take(decoder.end(), true)
  return { sha256: hash.digest('hex'), lines }
}

/** What decides may come after it: a file may be one line. */
const CUT = '… (only the start of this line is shown)'

function lineText(line: string): string {
  const text = escapeUnsafe(
    line
      .slice(0, LONGEST * 2)
      .replace(/\r$/, '')
      .replaceAll('\t', '  '),
  )
  return text.length > LONGEST || line.length > LONGEST * 2 ? `${text.slice(0, LONGEST)}${CUT}` : text
}
