import { join } from 'node:path'
import type {
  RejectedArchiveResult,
  VerifiedArchiveResult,
  VerifyResult,
} from '../archive/archive-results.ts'
import { type VerifiedArchive, verifyArchive } from '../archive/verify-archive.ts'
import { Account, allUsed } from '../base/account.ts'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, isFailure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { formatBytes, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { ManifestMismatch, ReadManifest } from '../download/manifest.ts'
import { unlessReaderGone } from '../terminal/stream-writer.ts'
import type { Context } from './context.ts'
import { errorObject, explain } from './explain.ts'
import { FailedRun, printResult } from './json.ts'
import { aboutLibrary, libraryPath } from './library-path.ts'

/** An archive that was verified: its result, and its failure when it did not pass. */
type Verified =
  | { readonly result: VerifiedArchiveResult; readonly failure?: undefined }
  | { readonly result: RejectedArchiveResult; readonly failure: Failure }

/** Verifies each archive, and prints what was found. */
export async function verifyArchives(context: Context): Promise<number> {
  const { terminal } = context
  const { archives, damage } = await archivesOf(context)
  const isAlone = archives.length === 1 && damage === undefined
  const outcomes: Verified[] = []
  for await (const outcome of verifyEach(context, archives)) {
    outcomes.push(outcome)
    await print(context, outcome).catch(unlessReaderGone)
    if (outcome.failure !== undefined && !isAlone) explain(terminal, outcome.failure)
  }
  const { json, quiet } = terminal.choice
  if (damage !== undefined && !json && !quiet) {
    const { out } = terminal
    const line = `${out.bad(out.mark.bad)} ${escapeUnsafe(damage.message)}\n`
    await terminal.write(line).catch(unlessReaderGone)
  }
  // Else it is the error.
  if (damage !== undefined && outcomes.some(({ failure }) => failure !== undefined)) explain(terminal, damage)
  await printResult(terminal, verifyResult(outcomes, damage))
  return 0
}

/** The archives to verify, and what is wrong with the record of their library. */
interface ToVerify {
  readonly archives: readonly Archive[]
  readonly damage: Failure | undefined
}

/** An archive to verify. */
interface Archive {
  readonly path: string
  /** Of a library: it is gone, or not what was recorded. */
  readonly isLost?: boolean
}

/** The archives in the operands, or all of the library. */
async function archivesOf({ world, settings, terminal }: Context): Promise<ToVerify> {
  const { operands, sources } = settings
  const isLibrary = sources.library?.kind === 'flag'
  if (operands.length > 0 && isLibrary) {
    throw new Failure('usage', 'an archive and --library cannot be given together', {
      hint: 'name archives, or the library that they are in',
    })
  }
  if (operands.length > 0) return { archives: operands.map((path) => ({ path })), damage: undefined }
  if (!isLibrary) {
    throw new Failure('usage', "missing required argument 'ARCHIVE'", {
      hint: 'name archives, or a library with --library',
    })
  }
  const { filesUnder } = await import('../report/sources/declaration-files.ts')
  const { damageFailure, lostArchives, readLibrary } = await import('../library/library.ts')
  const { answeredAnew } = await import('../library/known.ts')
  const directory = libraryPath({ world, settings })
  const records = await readLibrary(world, directory).catch((error: unknown) => {
    throw aboutLibrary(error)
  })
  const { answers } = records
  const archives = new Map<string, Archive>()
  const lost = await lostArchives(world, directory, answers, world.interrupt, true)
  const replaced = answeredAnew(answers, lost)
  for (const { archive } of answers) {
    if (archive === undefined || replaced.has(archive)) continue
    const path = join(directory, archive)
    archives.set(path, { path, isLost: lost.has(archive) })
  }
  const left = new Set([...replaced].map((archive) => join(directory, archive)))
  for (const archive of replaced) {
    const message = `${escapeUnsafe(archive)} is gone or has changed; its parts were answered anew`
    terminal.reporter.notice({ level: 'info', event: 'library.replaced', message, data: { archive } })
  }
  for await (const file of filesUnder(world.disk, directory, ['.zip'])) {
    if ('reason' in file) {
      if (file.isLoss) archives.set(file.name, { path: file.name })
      continue
    }
    const { path } = file
    if (typeof path === 'string' && !archives.has(path) && !left.has(path)) archives.set(path, { path })
  }
  return { archives: [...archives.values()], damage: damageFailure(directory, records) }
}

async function lostFailure(world: World, path: string): Promise<Failure> {
  const isThere = await world.disk.lstat(path).then(
    () => true,
    () => false,
  )
  const what = isThere ? 'is not what was recorded when it came' : 'is gone'
  return new Failure('archive', `${escapeUnsafe(path)}: ${what}`, {
    hint: 'restore it from a copy; the next matdecl sync asks for its parts again',
    file: path,
  })
}

/** Verifies archives, one after the other; one that does not pass does not end it. */
async function* verifyEach(context: Context, archives: readonly Archive[]): AsyncGenerator<Verified> {
  const { world, settings, terminal } = context
  const options = { limits: settings.limits, reporter: terminal.reporter }
  const recorded = await readKnownManifest(context)
  for (const one of archives) {
    const { path } = one
    try {
      const lost = one.isLost === true ? await lostFailure(world, path) : undefined
      const archive = await verifyArchive(world, path, options).catch((error: unknown) => {
        if (lost === undefined || !isFailure(error)) throw error
        throw error.kind === 'usage' ? lost : error.with({ hint: lost.hint })
      })
      if (lost !== undefined) throw lost
      const mismatch = await mismatchOf(world, recorded, archive)
      if (mismatch === undefined) {
        const notOnWindows = await noteForWindows(archive, terminal.reporter)
        yield { result: { ...passed(archive, recorded), ...(notOnWindows > 0 ? { notOnWindows } : {}) } }
      } else {
        const { failure, differences } = mismatch
        yield {
          result: { path, status: 'failed', error: errorObject(failure, terminal), differences },
          failure,
        }
      }
    } catch (failure) {
      if (!isFailure(failure) || failure.kind === 'interrupted') throw failure
      yield { result: { path, status: 'failed', error: errorObject(failure, terminal) }, failure }
    }
  }
}

async function readKnownManifest({ world, settings }: Context): Promise<ReadManifest | undefined> {
  const { knownManifest } = settings.values
  if (knownManifest === undefined) return undefined
  const count = settings.operands.length
  if (count > 1) {
    throw new Failure('usage', `--manifest takes one archive, but ${count} were given`, {
      hint: 'run the command once for each archive',
    })
  }
  const { readManifest } = await import('../download/manifest.ts')
  return await readManifest(world, knownManifest)
}

async function mismatchOf(
  world: World,
  recorded: ReadManifest | undefined,
  archive: VerifiedArchive,
): Promise<ManifestMismatch | undefined> {
  if (recorded === undefined) return undefined
  const { compareManifest } = await import('../download/manifest.ts')
  return await compareManifest(world, recorded, archive)
}

/** Counts the entries that cannot be extracted on Windows, and says which is the first. */
async function noteForWindows({ path, entries }: VerifiedArchive, { notice }: Reporter): Promise<number> {
  const { windowsEntryProblem } = await import('../archive/entry-name.ts')
  const names = entries.map(({ name }) => name).filter((name) => windowsEntryProblem(name) !== undefined)
  const [first] = names
  if (first === undefined) return 0
  const others = names.length === 1 ? '' : ` (and ${plural(names.length - 1, 'more entry', 'more entries')})`
  notice({
    level: 'info',
    event: 'archive.not-on-windows',
    message: `${escapeUnsafe(path)}: "${escapeUnsafe(first)}"${others} cannot be extracted on Windows: ${windowsEntryProblem(first)}`,
    data: { count: names.length },
  })
  return names.length
}

function passed(
  { path, bytes, unpackedBytes, entries }: VerifiedArchive,
  recorded: ReadManifest | undefined,
): VerifiedArchiveResult {
  const result = { path, status: 'ok', bytes, unpackedBytes, entries: entries.length } as const
  if (recorded === undefined) return result
  const { manifest, sha256 } = recorded
  const { finishedAt } = manifest.run
  return { ...result, manifest: { path: recorded.path, sha256, tool: manifest.tool, finishedAt } }
}

/** The result when all archives passed, and the record of their library is whole; else throws, with the result of each archive beside the error. */
function verifyResult(outcomes: readonly Verified[], damage: Failure | undefined): VerifyResult {
  const archives = outcomes.map(({ result }) => result)
  const failures = outcomes.flatMap(({ failure }) => failure ?? [])
  const account = verifyAccount(outcomes)
  if (failures.length === 0) {
    const failure = damage ?? (outcomes.length === 0 ? nothingVerified() : undefined)
    if (failure !== undefined) throw new FailedRun(failure, { archives, account })
    return { schema: 'matdecl.verify/1', status: 'ok', archives, account }
  }
  const failure = combinedFailure(failures, outcomes.length, damage)
  throw new FailedRun(failure, { archives, account })
}

// What was not looked at is not whole: a library whose disk is not mounted has no archives either.
function nothingVerified(): Failure {
  return new Failure('policy', 'nothing to verify: the library has no archives', {
    hint: 'run matdecl sync first, or check the path',
    options: ['library'],
  })
}

function verifyAccount(outcomes: readonly Verified[]): VerifyResult['account'] {
  const archives = new Account()
  let entryCount = 0
  for (const { result, failure } of outcomes) {
    archives.arrive()
    if (failure === undefined) {
      archives.use()
      entryCount += result.entries
    } else archives.name(failedText(result, failure), escapeUnsafe(result.path))
  }
  return { archives: archives.close('archives'), entries: allUsed(entryCount) }
}

async function print({ terminal }: Context, { result, failure }: Verified): Promise<void> {
  const path = escapeUnsafe(result.path)
  const isEmpty = failure === undefined && result.unpackedBytes === 0
  const what = isEmpty && result.entries > 0 ? 'entry with content' : 'entries'
  const nothing = `${path}: nothing to verify: it has no ${what}`
  if (terminal.choice.json || terminal.choice.quiet) {
    if (isEmpty)
      terminal.reporter.notice({
        level: 'warning',
        event: 'archive.empty',
        message: nothing,
        needsLook: true,
      })
    return
  }
  const { out } = terminal
  const line = isEmpty
    ? `${out.faint('-')} ${nothing}`
    : failure === undefined
      ? `${out.good(out.mark.good)} ${path}: ${plural(result.entries, 'entry', 'entries')}, ${formatBytes(result.unpackedBytes)} unpacked, every size and CRC-32 matches${agreement(result)}`
      : `${out.bad(out.mark.bad)} ${path}: ${failedText(result, failure)}`
  await terminal.write(`${line}\n`)
}

function agreement({ manifest }: VerifiedArchiveResult): string {
  return manifest === undefined ? '' : `; matches ${escapeUnsafe(manifest.path)}`
}

function failedText({ differences }: RejectedArchiveResult, { kind, message }: Failure): string {
  if (differences !== undefined) return 'does not match its manifest'
  if (message.includes(': is not a ZIP archive: ')) return 'not a ZIP archive'
  if (/: is (?:gone|not what was recorded)/.test(message)) return 'gone or changed'
  return kind === 'archive' ? 'not safe to use' : 'could not be read'
}

// A bad archive decides the exit code before one that could not be read.
function combinedFailure(failures: readonly Failure[], count: number, damage: Failure | undefined): Failure {
  if (count === 1 && damage === undefined) return failures[0]!
  const worst = failures.find(({ kind }) => kind === 'archive') ?? failures[0]!
  return new Failure(worst.kind, `${failures.length} of ${plural(count, 'archive')} did not pass`, {
    problems: [...failures, ...(damage === undefined ? [] : [damage])].map(({ message }) => message),
    hint: 'see the hint for each archive',
  })
}
