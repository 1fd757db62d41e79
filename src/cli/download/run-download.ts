import { extractArchive } from '../../archive/extract-archive.ts'
import { cleanText } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { plural } from '../../base/units.ts'
import { VERSION } from '../../base/version.ts'
import { partsAsList } from '../../download/accounting.ts'
import type { Downloaded } from '../../download/download.ts'
import { isoTime, manifestObject, requestFacts } from '../../download/download-result.ts'
import { saveState } from '../../download/state.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { appendToFile, writeResultFile } from '../../fs/result-file.ts'
import { crcText } from '../archive-listing.ts'
import type { Context } from '../context.ts'
import { jsonPieces } from '../json.ts'
import { limitsOf } from '../operands.ts'
import type { Prepared } from './prepare.ts'
import { reportIfAsked } from './report-step.ts'
import { type Ending, resultFacts, saySummary, summaryMarkdown, writeResult } from './tell.ts'

/** What the end of a run needs to know of its beginning. */
export interface Beginning {
  readonly prepared: Prepared
  readonly baseUrl: string
  readonly startedAtMs: number
}

/** Everything that follows once the archive has its name: unpack, list, evidence, summary; then the exit code. */
export async function finish(context: Context, beginning: Beginning, result: Downloaded): Promise<number> {
  const { world, settings, terminal, facts } = context
  const { prepared, startedAtMs } = beginning
  const status = statusOf(result)
  const extracted = await extractIfAsked(context, result)
  const reported = await reportIfAsked(context, prepared, result)
  const finishedAtMs = world.clock.nowMs()
  const ending: Ending = {
    result,
    prepared,
    place: result.place,
    extracted,
    reported,
    status,
    seconds: (finishedAtMs - startedAtMs) / 1000,
  }
  Object.assign(facts, resultFacts(ending, settings.values.list), { finishedAt: isoTime(finishedAtMs) })
  await writeMissing(context, ending)
  await writeManifest(context, beginning, ending, finishedAtMs)
  if (result.place.shown === '-' && result.archive !== undefined) await pour(context, result.archive.path)
  await writeResult(context, ending)
  terminal.stopProgress()
  saySummary(context, ending)
  await writeStepSummary(context, ending)
  refuseGaps(context, ending)
  // Last but for the word that all is well: what it remembers is that everything else is done.
  if (status !== 'partial') await remember(context, beginning, result)
  if (terminal.choice.json) {
    for (const piece of jsonPieces({ schema: 'matdecl.download/1', status, ...facts }))
      await terminal.write(piece)
  }
  return status === 'partial' ? 10 : 0
}

function statusOf({ archive, requests }: Downloaded): Ending['status'] {
  if (requests.some(({ error }) => error !== undefined)) return 'partial'
  return archive === undefined ? 'empty' : 'ok'
}

async function extractIfAsked(
  { world, settings, terminal }: Context,
  { place, archive }: Downloaded,
): Promise<Ending['extracted']> {
  if (archive === undefined || place.extractPath === undefined) return undefined
  const { extract } = settings.values
  const extracted = await extractArchive(world, archive.path, place.extractPath, {
    limits: limitsOf(settings),
    overwrite: place.overwrite,
    include: [],
    exclude: [],
    flat: false,
    reporter: terminal.reporter,
    signal: world.interrupt,
  })
  const stem = place.shown.replace(/\.zip$/i, '')
  const beside = stem === place.shown ? `${place.shown}.extracted` : stem
  return { ...extracted, shown: typeof extract === 'string' ? extract : beside }
}

async function writeMissing({ world, settings }: Context, { result, place }: Ending): Promise<void> {
  const { missing } = settings.values
  if (missing === undefined) return
  const text = partsAsList(result.account?.missing ?? [], missing)
  const { overwrite } = place
  await writeResultFile(world, absolutePath(world.cwd, missing), [text], { overwrite })
}

async function writeManifest(
  { world, terminal }: Context,
  { prepared, baseUrl, startedAtMs }: Beginning,
  { result, place }: Ending,
  finishedAtMs: number,
): Promise<void> {
  if (place.manifestPath === undefined) return
  const { archive, account } = result
  const entries =
    archive?.entries.map(({ name, bytes, crc32 }) => ({ name, bytes, crc32: crcText(crc32) })) ?? []
  const manifest = manifestObject({
    version: VERSION,
    request: requestFacts(baseUrl, prepared.told, prepared.parts.length),
    parts: prepared.parts,
    requests: result.requests,
    archive:
      archive === undefined
        ? undefined
        : { name: place.shown, bytes: archive.bytes, sha256: archive.sha256, entries },
    accounting:
      account === undefined
        ? undefined
        : {
            foundParts: account.foundCount,
            missingParts: account.missing,
            unknownParts: account.unknown,
            nearParts: account.near,
          },
    startedAtMs,
    finishedAtMs,
    serverDateMs: result.serverDateMs,
  })
  const text = terminal.redact(`${JSON.stringify(manifest, undefined, 2)}\n`)
  await writeResultFile(world, place.manifestPath, [text], { overwrite: place.overwrite })
}

async function pour({ world, terminal }: Context, path: string): Promise<void> {
  const handle = await world.disk.open(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(1 << 20)
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return
      await terminal.writeBytes(buffer.subarray(0, bytesRead))
    }
  } finally {
    await handle.close()
  }
}

async function writeStepSummary({ world, terminal }: Context, ending: Ending): Promise<void> {
  const path = world.env.GITHUB_STEP_SUMMARY
  if (world.env.GITHUB_ACTIONS !== 'true' || path === undefined || path === '') return
  try {
    await appendToFile(world.disk, path, terminal.redact(summaryMarkdown(ending)))
  } catch (error) {
    // The page is for readers: the run is no worse without it.
    if (!isFailure(error)) throw error
    const message = `the summary was not written: ${error.message}`
    terminal.reporter.notice({ level: 'warning', event: 'summary.not-written', message })
  }
}

function refuseGaps({ settings }: Context, { result }: Ending): void {
  const { failIfEmpty, failIfMissing, missing: list } = settings.values
  if (failIfEmpty && result.archive === undefined) {
    throw new Failure('missing', 'the service has nothing for this request (--fail-if-empty)', {
      hint: 'check the supplier, the parts and the start date',
    })
  }
  const missing = (result.account?.missing.length ?? 0) + (result.account?.unknown.length ?? 0)
  if (failIfMissing && missing > 0) {
    throw new Failure('missing', `${plural(missing, 'part')} asked for and not found (--fail-if-missing)`, {
      hint:
        list === undefined ? '--missing FILE writes them as a list' : `${cleanText(list, 200)} lists them`,
    })
  }
}

async function remember(
  { world }: Context,
  { prepared, baseUrl, startedAtMs }: Beginning,
  result: Downloaded,
): Promise<void> {
  const { watchIdentity, criteria, parts } = prepared
  if (watchIdentity === undefined) return
  await saveState(world, {
    identity: watchIdentity,
    request: { baseUrl, ...criteria },
    serverDateMs: result.serverDateMs ?? startedAtMs,
    parts,
  })
}
