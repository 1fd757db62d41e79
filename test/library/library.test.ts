import { createHash } from 'node:crypto'
import { appendFileSync, cpSync } from 'node:fs'
import * as realDisk from 'node:fs/promises'
import {
  appendFile,
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { verifyArchive } from '../../src/archive/verify-archive.ts'
import { isFailure } from '../../src/base/failure.ts'
import { SILENT } from '../../src/base/notice.ts'
import type { Disk } from '../../src/base/world.ts'
import type { IfLocked, Lock } from '../../src/fs/lock.ts'
import { type Answer, checkedLine, searchKey } from '../../src/library/answers.ts'
import type { IncomingResponse } from '../../src/library/incoming.ts'
import { partsOrWhole, wantedParts } from '../../src/library/known.ts'
import { type Library, lostArchives, openLibrary, readLibrary } from '../../src/library/library.ts'
import { SEARCH } from '../support/answers.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { posixTest } from '../support/programs.ts'
import { snapshot } from '../support/snapshot.ts'
import { sweep } from '../support/soak.ts'
import { type TestWorld, testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const HOUR = 3_600_000
const NOW = Date.parse('2026-03-10T12:00:00Z')
const FIRST_NAME = '2026-03-10T120000Z-1.zip'

interface OpenOptions {
  readonly world?: TestWorld
  readonly nowMs?: number
  readonly disk?: Disk
  readonly isJob?: boolean
  readonly lock?: Lock | IfLocked
}

/** The lock that the caller of a job holds. */
const HELD: Lock = { requireHeld: async () => undefined, [Symbol.asyncDispose]: async () => undefined }

async function open(
  directory: string,
  {
    nowMs = NOW,
    disk = realDisk,
    isJob = false,
    lock = isJob ? HELD : 'fail',
    world = testWorld({ nowMs, disk }),
  }: OpenOptions = {},
): Promise<Library> {
  const library = await openLibrary(world, directory, {
    isJob,
    tool: 'matdecl 1.0.0',
    lock,
    reporter: SILENT,
    signal: world.interrupt,
    verify: (path) =>
      verifyArchive(world, path, { limits: DEFAULT_ARCHIVE_LIMITS, reporter: SILENT, scan: 'product-ids' }),
  })
  if (library === undefined) throw new Error('the library is locked')
  return library
}

/** An archive with a declaration of each part, and what else it has. */
function archiveOf(parts: readonly string[], others: readonly string[] = []): Buffer {
  return zip([
    ...parts.map((part) => ({
      name: `${part}.xml`,
      data: `<MainDeclaration><Product><ProductID itemNumber="${part}"/></Product></MainDeclaration>`,
    })),
    ...others.map((name) => ({ name, data: 'something else' })),
  ])
}

interface Response {
  readonly body?: Buffer
  readonly start?: string
  readonly at?: number
  readonly etag?: string
  readonly search?: typeof SEARCH
  readonly disk?: Disk
}

/** Receives a body as a run does, without recording its answer. */
async function receiveBody(
  library: Library,
  parts: readonly string[],
  {
    body = archiveOf(parts),
    start,
    at = NOW,
    etag = '"v1"',
    search = SEARCH,
    disk = realDisk,
  }: Response = {},
): Promise<IncomingResponse> {
  const incoming = library.request(search, parts, start)
  await incoming.sending()
  incoming.responded(true)
  await incoming.begin({ etag, total: body.length, status: 200, at, date: at })
  const half = Math.floor(body.length / 2)
  const file = await disk.open(incoming.path, 'w', 0o600)
  await file.write(body.subarray(0, half))
  await incoming.mark(half)
  await file.write(body.subarray(half))
  await file.sync()
  await file.close()
  return incoming
}

async function commit(library: Library, incoming: IncomingResponse): Promise<Answer> {
  const bytes = (await stat(incoming.path)).size
  const sha256 = createHash('sha256')
    .update(await readFile(incoming.path))
    .digest('hex')
  const verified = await verifyArchive(testWorld(), incoming.path, {
    limits: DEFAULT_ARCHIVE_LIMITS,
    reporter: SILENT,
    scan: 'product-ids',
  })
  const { at, date, status } = incoming.body!
  const archive = { bytes, sha256, verified, isScanned: true }
  return await library.commit(incoming, { status, attempts: 1, seconds: 0.25, at, date, archive })
}

/** An answer as a run gets it. */
async function receive(library: Library, parts: readonly string[], response?: Response): Promise<Answer> {
  return await commit(library, await receiveBody(library, parts, response))
}

/** The reason for which each part is asked for, or left out. */
function reasons(library: Library, parts: readonly string[], nowMs = NOW): Readonly<Record<string, string>> {
  const options = { nowMs, maxAgeMs: 0, full: false, fullAfterMs: 90 * 24 * HOUR }
  const { ask, fresh } = wantedParts(parts, library.known().get(searchKey(SEARCH)), options)
  return Object.fromEntries([...ask, ...fresh].map(({ part, reason }) => [part, reason]))
}

async function failureOf(promise: Promise<unknown>): Promise<{ exitCode: number; message: string }> {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  if (!isFailure(error)) throw error ?? new Error('nothing was thrown')
  return error
}

const own = (directory: string, ...names: string[]): string => join(directory, '.matdecl', ...names)

describe('a library', () => {
  posixTest('is private', () =>
    withFolder(async (folder) => {
      const directory = join(folder, 'new', 'library')
      await using library = await open(directory)
      await receive(library, ['A'])
      await receiveBody(library, ['B'])
      for (const { path, mode } of await snapshot(directory))
        if (path !== '.matdecl/lock') expect([path, mode & 0o077]).toEqual([path, 0])
      expect((await lstat(directory)).mode & 0o777).toBe(0o700)
    }),
  )

  test('has each answer in an archive of its own, named by the time of the service', () =>
    withFolder(async (directory) => {
      await using library = await open(directory)
      const first = await receive(library, ['A', 'B'], { body: archiveOf(['B'], ['README.txt']) })
      const second = await receive(library, ['C'], { start: '2026-03-08' })
      expect(first).toMatchObject({
        parts: ['A', 'B'],
        found: ['B'],
        others: 1,
        archive: FIRST_NAME,
        date: NOW,
        seconds: 0.25,
        listed: true,
      })
      expect(second).toMatchObject({ archive: '2026-03-10T120000Z-2.zip', start: '2026-03-08', others: 0 })
      expect(await readFile(library.archivePath(first.archive!))).toEqual(archiveOf(['B'], ['README.txt']))
      expect((await readdir(directory)).sort()).toEqual(['.matdecl', first.archive, second.archive])
      expect(await readdir(own(directory, 'incoming'))).toEqual([])
      expect((await readLibrary(testWorld(), directory)).answers).toEqual([first, second])
    }))

  test('knows its answers when it is opened again', () =>
    withFolder(async (directory) => {
      let answers: readonly Answer[]
      {
        await using library = await open(directory)
        answers = [await receive(library, ['A', 'B']), await receive(library, ['C'])]
        await library.endRun()
      }
      await using again = await open(directory, { nowMs: NOW + HOUR })
      expect(again.answers).toEqual(answers)
      expect(answers.map((answer) => again.isLost(answer))).toEqual([false, false])
      expect(reasons(again, ['A', 'B', 'C', 'D'], NOW + HOUR)).toEqual({
        A: 'since',
        B: 'since',
        C: 'since',
        D: 'never asked',
      })
    }))

  test('remembers that there was nothing', () =>
    withFolder(async (directory) => {
      {
        await using library = await open(directory)
        const none = library.request(SEARCH, ['A'], undefined)
        await none.sending()
        const facts = { status: 204, attempts: 1, seconds: 0, at: NOW, date: NOW, archive: undefined }
        expect(await library.commit(none, facts)).toMatchObject({ found: [], bytes: 0, status: 204 })
        expect((await receive(library, ['B'], { body: zip([]) })).archive).toBe(undefined)
      }
      expect(await readdir(directory)).toEqual(['.matdecl'])
      expect(await readdir(own(directory, 'incoming'))).toEqual([])
      await using again = await open(directory)
      expect(reasons(again, ['A', 'B'])).toEqual({ A: 'resumed', B: 'resumed' })
    }))

  test('continues the run that was stopped, and begins another one after 12 hours or its end', () =>
    withFolder(async (directory) => {
      const runAt = async (nowMs: number, isEnding = false): Promise<string> => {
        await using library = await open(directory, { nowMs })
        await receive(library, ['A'], { at: nowMs })
        if (isEnding) await library.endRun()
        return library.run
      }
      const first = await runAt(NOW)
      expect(await runAt(NOW + 11 * HOUR)).toBe(first)
      const second = await runAt(NOW + 24 * HOUR, true)
      expect(second).not.toBe(first)
      expect(await runAt(NOW + 24 * HOUR)).not.toBe(second)
    }))

  test('records many answers at once, each on a line of its own', () =>
    withFolder(async (directory) => {
      const names = Array.from({ length: 20 }, (_, index) => `P${index}`)
      {
        await using library = await open(directory)
        await Promise.all(names.map((part) => receive(library, [part])))
      }
      const { answers, damagedLines } = await readLibrary(testWorld(), directory)
      expect(answers.map(({ parts }) => parts[0]).sort()).toEqual(names.toSorted())
      expect(new Set(answers.map(({ archive }) => archive)).size).toBe(20)
      expect(damagedLines).toBe(0)
    }))

  test('refuses records of a newer version, and changes nothing', () =>
    withFolder(async (directory) => {
      await mkdir(own(directory, 'incoming'), { recursive: true })
      await writeFile(own(directory, 'answers.jsonl'), checkedLine({ v: 2 }))
      await writeFile(own(directory, 'incoming', '0123456789abcdef.note'), 'something newer')
      const before = await snapshot(directory)
      expect(await failureOf(open(directory))).toMatchObject({ exitCode: 3 })
      expect(await failureOf(readLibrary(testWorld(), directory))).toMatchObject({ exitCode: 3 })
      expect((await snapshot(directory)).map(({ path, content }) => [path, content])).toEqual(
        before.map(({ path, content }) => [path, content]),
      )
    }))

  test('loses one answer with one damaged line, and says so until a run has ended', () =>
    withFolder(async (directory) => {
      {
        await using library = await open(directory)
        for (const part of ['A', 'B', 'C']) await receive(library, [part])
        await library.endRun()
      }
      const path = own(directory, 'answers.jsonl')
      await writeFile(path, (await readFile(path, 'utf8')).replace('["B"]', '["X"]'))
      {
        await using library = await open(directory)
        expect(library.damagedRecords).toBe(1)
        expect(reasons(library, ['A', 'B', 'C'])).toMatchObject({ A: 'since', B: 'never asked', C: 'since' })
        await library.endRun()
      }
      await using again = await open(directory)
      expect(again.damagedRecords).toBe(0)
    }))
})

describe('an answer is committed', () => {
  test('in this order: noted, named, recorded, and each of them synced', () =>
    withFolder(async (directory) => {
      const steps: string[] = []
      const disk = failingDisk((call, _count, path) => {
        if (call !== 'chmod' && call !== 'lstat') steps.push(`${call} ${basename(path)}`)
        return undefined
      })
      await using library = await open(directory, { disk })
      const incoming = await receiveBody(library, ['A'])
      const { id } = incoming.request
      steps.length = 0
      await commit(library, incoming)
      expect(steps).toEqual([
        `handle.appendFile ${id}.note`,
        `handle.datasync ${id}.note`,
        'open lock',
        'handle.stat lock',
        'handle.read lock',
        `link ${id}.zip`,
        `unlink ${id}.zip`,
        `open ${basename(directory)}`,
        `handle.sync ${basename(directory)}`,
        `handle.close ${basename(directory)}`,
        'handle.appendFile answers.jsonl',
        'handle.datasync answers.jsonl',
        `handle.close ${id}.note`,
        `rm ${id}.zip`,
        `rm ${id}.note`,
      ])
    }))

  test('under the next name when another file has its own by now', () =>
    withFolder(async (directory) => {
      {
        await using library = await open(directory)
        const incoming = await receiveBody(library, ['A'])
        await writeFile(join(directory, FIRST_NAME), 'from another run')
        expect(await commit(library, incoming)).toMatchObject({ archive: '2026-03-10T120000Z-2.zip' })
      }
      expect(await readFile(join(directory, FIRST_NAME), 'utf8')).toBe('from another run')
      await using again = await open(directory)
      expect(again.answers).toMatchObject([{ archive: '2026-03-10T120000Z-2.zip', found: ['A'] }])
      expect(again.isLost(again.answers[0]!)).toBe(false)
    }))

  test('on a file system without hard links too, and never over another file', () =>
    withFolder(async (directory) => {
      const disk = failingDisk((call) => (call === 'link' ? 'EPERM' : undefined))
      await using library = await open(directory, { disk })
      const incoming = await receiveBody(library, ['A'])
      await writeFile(join(directory, FIRST_NAME), 'from another run')
      expect(await commit(library, incoming)).toMatchObject({ archive: '2026-03-10T120000Z-2.zip' })
      expect(await readFile(join(directory, FIRST_NAME), 'utf8')).toBe('from another run')
    }))

  test('by the next run when it was killed while the archive had two names', () =>
    withFolder(async (directory) => {
      {
        // A kill: nothing after link() happens.
        const disk = failingDisk((call, _count, path) =>
          (call === 'unlink' || call === 'rm') && path.includes('incoming')
            ? 'EIO'
            : call === 'handle.appendFile' && path.endsWith('answers.jsonl')
              ? 'EIO'
              : undefined,
        )
        await using library = await open(directory, { disk })
        await failureOf(receive(library, ['A']))
      }
      await using again = await open(directory)
      expect(again.answers).toMatchObject([{ archive: FIRST_NAME, found: ['A'] }])
      expect(again.abandonedCount).toBe(0)
      expect(await readdir(own(directory, 'incoming'))).toEqual([])
    }))

  test('not by a run whose lock another run took over, which ends with exit 11', () =>
    withFolder(async (directory) => {
      await using library = await open(directory)
      await receive(library, ['A'])
      const incoming = await receiveBody(library, ['B'])
      const lock = own(directory, 'lock')
      const owner = JSON.parse(await readFile(lock, 'utf8')) as { run: string }
      await writeFile(lock, JSON.stringify({ ...owner, pid: 4321, host: 'night', run: 'another' }))
      const before = await snapshot(directory)
      for (const write of [
        () => commit(library, incoming),
        () => library.endRun(),
        () => library.willPublish({ bytes: 1, sha256: 'ab'.repeat(32) }),
        () => library.remove(),
      ]) {
        expect(await failureOf(write())).toMatchObject({
          exitCode: 11,
          message: expect.stringMatching(/lock was taken over by process 4321 on night while/),
        })
      }
      expect(library.answers).toHaveLength(1)
      const isNote = ({ path }: { readonly path: string }): boolean => path.endsWith('.note')
      expect((await snapshot(directory)).filter((each) => !isNote(each))).toEqual(
        before.filter((each) => !isNote(each)),
      )
      await writeFile(lock, '')
      expect(await failureOf(commit(library, incoming))).toMatchObject({ exitCode: 11 })
      await rm(lock)
      expect(await failureOf(commit(library, incoming))).toMatchObject({
        exitCode: 11,
        message: expect.stringMatching(/lock is gone/),
      })
    }))

  test('whatever happens to the line that says that the run has ended', () =>
    withFolder(async (directory) => {
      let isFailing = false
      const disk = failingDisk((call, _count, path) =>
        isFailing && call === 'handle.datasync' && path.endsWith('answers.jsonl') ? 'EIO' : undefined,
      )
      {
        await using library = await open(directory, { disk })
        await receive(library, ['A'])
        isFailing = true
        await library.endRun()
      }
      await using again = await open(directory)
      expect(again.answers).toMatchObject([{ found: ['A'] }])
      expect(again.damagedRecords).toBe(0)
    }))

  const STEPS = [
    ['handle.appendFile', '.note', 'ENOSPC', 'verify'],
    ['handle.datasync', '.note', 'EIO', 'name'],
    ['link', '.zip', 'EIO', 'name'],
    ['handle.read', 'lock', 'EIO', 'name'],
    ['handle.sync', '', 'EIO', 'record'],
    ['handle.appendFile', 'answers.jsonl', 'ENOSPC', 'record'],
    ['handle.datasync', 'answers.jsonl', 'EIO', 'record'],
  ] as const

  test.each(STEPS)('by the next run when %s of "%s" fails with %s: it has to %s', (failing, name, code) =>
    withFolder(async (folder) => {
      const directory = join(folder, 'library')
      let isFailing = false
      const disk = failingDisk((call, _count, path) =>
        isFailing && call === failing && (name === '' ? path === directory : path.endsWith(name))
          ? code
          : undefined,
      )
      {
        await using library = await open(directory, { disk })
        await receive(library, ['A', 'B'])
        const incoming = await receiveBody(library, ['C'])
        isFailing = true
        expect(await failureOf(commit(library, incoming))).toMatchObject({ exitCode: 9 })
        expect(library.answers).toHaveLength(1)
        isFailing = false
        expect(incoming.isVerified).toBe(failing !== 'handle.appendFile' || name !== '.note')
        await receive(library, ['D'])
        expect(library.isWorthKeeping()).toBe(true)
      }
      await using again = await open(directory)
      expect(again.damagedRecords).toBe(0)
      expect(again.answers.map(({ parts }) => parts.join()).sort()).toEqual(['A,B', 'C', 'D'])
      expect(again.answers.filter((answer) => again.isLost(answer))).toEqual([])
      expect(reasons(again, ['A', 'B', 'C', 'D'])).toEqual({
        A: 'resumed',
        B: 'resumed',
        C: 'resumed',
        D: 'resumed',
      })
      await expectTidy(directory, again)
    }),
  )

  test('of a list that a failed record has named first', () =>
    withFolder(async (directory) => {
      let isFailing = true
      const disk = failingDisk((call, _count, path) =>
        isFailing && call === 'handle.appendFile' && path.endsWith('answers.jsonl') ? 'ENOSPC' : undefined,
      )
      {
        await using library = await open(directory, { disk })
        await failureOf(receive(library, ['A', 'B']))
        isFailing = false
        await receive(library, ['A', 'B'], { search: { ...SEARCH, formatClass: 'D' } })
      }
      expect(await readLibrary(testWorld(), directory)).toMatchObject({
        answers: { length: 1 },
        damagedLines: 0,
      })
    }))
})

/** Every archive is of one answer, and nothing is left of its requests. */
async function expectTidy(directory: string, library: Library): Promise<void> {
  const archives = (await readdir(directory)).filter((name) => name !== '.matdecl')
  expect(archives.sort()).toEqual(library.answers.flatMap(({ archive }) => archive ?? []).sort())
  const open = new Set(library.begun().flatMap(({ request: { id } }) => [`${id}.note`, `${id}.zip`]))
  expect((await readdir(own(directory, 'incoming'))).filter((name) => !open.has(name))).toEqual([])
}

describe('a run that is killed', () => {
  const LISTS = [['A', 'B'], ['C'], ['A', 'B', 'C', 'D']]

  test('keeps every finished answer, and the next run records nothing twice', { timeout: 120_000 }, () =>
    withFolder(async (folder) => {
      const directory = join(folder, 'library')
      const kills: { readonly copy: string; readonly step: string; readonly finished: readonly string[] }[] =
        []
      let finished: readonly string[] = []
      const kill = (step: string, change: (copy: string) => void = () => undefined): void => {
        const copy = join(folder, `kill-${kills.length}`)
        cpSync(directory, copy, { recursive: true, preserveTimestamps: true })
        change(copy)
        kills.push({ copy, step, finished })
      }
      const disk = failingDisk((call, count, path) => {
        if (!path.startsWith(directory) || call === 'lstat' || call === 'handle.stat') return undefined
        const step = `before ${call} ${count} of ${basename(path)}`
        kill(step)
        if (call === 'handle.appendFile' && /note$|jsonl$/.test(path))
          kill(`in ${call} ${count} of ${basename(path)}`, (copy) =>
            appendFileSync(path.replace(directory, copy), '0123abcd {"v":1,"id'),
          )
        return undefined
      })
      {
        await mkdir(directory)
        await using library = await open(directory, { disk, world: testWorld({ nowMs: NOW, disk }) })
        for (const [index, parts] of LISTS.entries()) {
          const search = index === 2 ? { ...SEARCH, formatClass: 'D' as const } : SEARCH
          const body = archiveOf(parts.slice(1), ['README.txt'])
          const { id } = await receive(library, parts, {
            disk,
            search,
            body: index === 1 ? archiveOf(['C']) : body,
          })
          finished = [...finished, id]
        }
        const none = library.request(SEARCH, ['E'], undefined)
        await none.sending()
        const facts = { status: 204, attempts: 1, seconds: 0, at: NOW, date: NOW, archive: undefined }
        finished = [...finished, (await library.commit(none, facts)).id]
        await library.endRun()
        kill('at the end')
      }
      expect(kills.length).toBeGreaterThan(80)
      for (const { copy, step, finished: before } of kills.filter((_, at) => at % sweep(3, 1) === 0)) {
        await rm(own(copy, 'lock'), { force: true })
        const recovered = await recoveredIds(copy, step, before)
        // What was recovered stays as it is.
        await using again = await open(copy)
        expect(
          again.answers.map(({ id }) => id),
          step,
        ).toEqual(recovered)
        await expectTidy(copy, again)
        await rm(copy, { recursive: true })
      }
    }),
  )

  async function recoveredIds(
    copy: string,
    step: string,
    finished: readonly string[],
  ): Promise<readonly string[]> {
    const bodies = await wholeBodies(copy)
    await using library = await open(copy)
    const ids = library.answers.map(({ id }) => id)
    expect(new Set(ids).size, step).toBe(ids.length)
    expect(ids, step).toEqual(expect.arrayContaining([...finished]))
    // A body that was whole costs no request.
    expect(ids, step).toEqual(expect.arrayContaining([...bodies]))
    expect(
      library.answers.filter((answer) => library.isLost(answer)),
      step,
    ).toEqual([])
    await expectTidy(copy, library)
    const isEnded = (await readLibrary(testWorld(), copy)).openRun === undefined
    for (const { search, parts } of isEnded ? [] : library.answers) {
      const known = library.known().get(searchKey(search))!
      expect(
        partsOrWhole(parts).every((part) => known.parts.get(part)?.isOpen),
        step,
      ).toBe(true)
    }
    return ids
  }

  /** Requests whose whole body is on disk, and that is noted. */
  async function wholeBodies(copy: string): Promise<readonly string[]> {
    const directory = own(copy, 'incoming')
    const names = await readdir(directory).catch(() => [])
    const whole: string[] = []
    for (const name of names.filter((each) => each.endsWith('.zip'))) {
      const id = basename(name, '.zip')
      const note = await readFile(join(directory, `${id}.note`), 'utf8').catch(() => '')
      const total = Number(/"total":(\d+)/.exec(note)?.[1])
      if ((await stat(join(directory, name))).size === total) whole.push(id)
    }
    return whole
  }

  test('before its first record, leaves answers that are not asked for again', () =>
    withFolder(async (directory) => {
      {
        await using library = await open(directory)
        await receiveBody(library, ['A'])
      }
      await using again = await open(directory, { nowMs: NOW + HOUR })
      expect(again.answers).toMatchObject([{ parts: ['A'], found: ['A'], at: NOW, run: again.run }])
      expect(reasons(again, ['A', 'B'], NOW + HOUR)).toEqual({ A: 'resumed', B: 'never asked' })
    }))

  test('leaves a part of a body, which is continued within 12 hours', () =>
    withFolder(async (directory) => {
      const body = archiveOf(['A'])
      {
        await using library = await open(directory)
        const incoming = await receiveBody(library, ['A'], { start: '2026-03-08' })
        await truncate(incoming.path, Math.floor(body.length / 2))
      }
      {
        await using library = await open(directory, { nowMs: NOW + 12 * HOUR - 1 })
        const [begun] = library.begun()
        expect(begun).toMatchObject({ request: { parts: ['A'], start: '2026-03-08' } })
        expect(library.kept()).toEqual([{ bytes: Math.floor(body.length / 2), total: body.length }])
        await begun!.sending()
        await appendFile(begun!.path, body.subarray(Math.floor(body.length / 2)))
        const answer = await commit(library, begun!)
        // Its date stays that of the first response.
        expect(answer).toMatchObject({
          run: library.run,
          start: '2026-03-08',
          at: NOW,
          date: NOW,
          found: ['A'],
        })
        await expectTidy(directory, library)
      }
    }))

  test('leaves a part of a body that is forgotten after 12 hours, but not by a job', () =>
    withFolder(async (folder) => {
      for (const isJob of [false, true]) {
        const directory = join(folder, `library-${isJob}`)
        {
          await using library = await open(directory, { isJob })
          await truncate((await receiveBody(library, ['A'])).path, 100)
        }
        await using library = await open(directory, { isJob, nowMs: NOW + 12 * HOUR })
        expect([library.begun().length, library.abandonedCount]).toEqual(isJob ? [1, 0] : [0, 1])
        expect((await readdir(own(directory, 'incoming'))).length).toBe(isJob ? 2 : 0)
      }
    }))

  test('leaves requests, of which only those count that have left without being refused', () =>
    withFolder(async (directory) => {
      {
        await using library = await open(directory)
        const [, sent, refused] = await Promise.all(
          ['A', 'B', 'C'].map(async (part) => {
            const incoming = library.request(SEARCH, [part], undefined)
            await incoming.sending()
            return incoming
          }),
        )
        sent!.sent()
        refused!.sent()
        refused!.responded(false)
      }
      await using again = await open(directory)
      expect(again.abandonedCount).toBe(1)
      await expectTidy(directory, again)
    }))

  test('leaves a whole body that is damaged: it is asked for again', () =>
    withFolder(async (directory) => {
      {
        await using library = await open(directory)
        const incoming = await receiveBody(library, ['A'])
        const body = await readFile(incoming.path)
        await writeFile(incoming.path, body.fill(0, 60, 70))
      }
      await using again = await open(directory)
      expect([again.answers.length, again.abandonedCount]).toEqual([0, 1])
      await expectTidy(directory, again)
    }))

  test('leaves whole bodies that are synced before they are recorded', () =>
    withFolder(async (directory) => {
      let id: string
      {
        await using library = await open(directory)
        id = (await receiveBody(library, ['A'])).request.id
      }
      const steps: string[] = []
      const disk = failingDisk((call, _count, path) => {
        if (/sync|link/.test(call)) steps.push(`${call} ${basename(path)}`)
        return undefined
      })
      await using again = await open(directory, { disk })
      expect(again.answers).toHaveLength(1)
      const named = steps.indexOf(`link ${id}.zip`)
      expect(steps.slice(0, named)).toContain(`handle.sync ${id}.zip`)
      expect(steps.slice(named)).toContain('handle.datasync answers.jsonl')
    }))

  test('leaves a verified body whose name is another one’s by now', () =>
    withFolder(async (directory) => {
      const disk = failingDisk((call, _count, path) =>
        call === 'link' && path.includes('incoming') ? 'EIO' : undefined,
      )
      {
        await using library = await open(directory, { disk })
        await failureOf(receive(library, ['A']))
      }
      await writeFile(join(directory, FIRST_NAME), 'from somebody')
      await using again = await open(directory)
      expect(await readFile(join(directory, FIRST_NAME), 'utf8')).toBe('from somebody')
      expect(again.answers).toMatchObject([{ archive: '2026-03-10T120000Z-2.zip', found: ['A'] }])
      expect(again.isLost(again.answers[0]!)).toBe(false)
    }))

  test('leaves other files in its directory for incoming responses alone', () =>
    withFolder(async (directory) => {
      await using _first = await open(directory)
      const incoming = own(directory, 'incoming')
      for (const name of [
        '0123456789abcdef.zip',
        '0123456789abcdef.note',
        'fedcba9876543210.zip',
        'notes.txt',
      ])
        await writeFile(join(incoming, name), 'left')
      await _first[Symbol.asyncDispose]()
      await using _second = await open(directory)
      expect(await readdir(incoming)).toEqual(['notes.txt'])
    }))
})

describe('the archive of an answer', () => {
  /** Opens a library again after this was done to its archive. */
  async function reopened(
    change: (path: string) => Promise<unknown>,
    check: (library: Library, path: string) => Promise<void>,
  ): Promise<void> {
    await withFolder(async (directory) => {
      let path: string
      {
        await using library = await open(directory)
        const answer = await receive(library, ['A', 'B'], { body: archiveOf(['A']) })
        path = library.archivePath(answer.archive!)
        await library.endRun()
      }
      await change(path)
      await using library = await open(directory, { nowMs: NOW + HOUR })
      await check(library, path)
    })
  }

  const LOST: readonly [string, (path: string) => Promise<unknown>][] = [
    ['is gone', (path) => rm(path)],
    ['is shorter', (path) => truncate(path, 10)],
    ['is longer', (path) => appendFile(path, 'x')],
    ['has other bytes', async (path) => writeFile(path, (await readFile(path)).fill(1, 50, 60))],
    ['is a directory', async (path) => [await rm(path), await mkdir(path)]],
  ]

  test.each(LOST)('that %s is asked for again, for the part found in it', (_title, change) =>
    reopened(change, async (library) => {
      expect(library.answers.map((answer) => library.isLost(answer))).toEqual([true])
      expect(reasons(library, ['A', 'B'])).toEqual({ A: 'archive gone', B: 'since' })
      // Whatever is there now is left alone.
      const answer = await receive(library, ['A'], { at: NOW + HOUR })
      expect(library.isLost(answer)).toBe(false)
      expect(reasons(library, ['A'], NOW + 13 * HOUR)).toEqual({ A: 'since' })
    }),
  )

  posixTest('that is a link is asked for again', () =>
    reopened(
      async (path) => {
        await realDisk.rename(path, `${path}.moved`)
        await symlink(`${path}.moved`, path)
      },
      async (library) => expect(reasons(library, ['A'])).toEqual({ A: 'archive gone' }),
    ),
  )

  test.each([0, 123, 333.3, 999.9])('that was touched (%f ms) is read once more, and then no more', (ms) =>
    withFolder(async (directory) => {
      let name: string
      {
        await using library = await open(directory)
        const incoming = await receiveBody(library, ['A'])
        await utimes(incoming.path, (NOW + ms) / 1000, (NOW + ms) / 1000)
        name = (await commit(library, incoming)).archive!
      }
      const path = join(directory, name)
      const times: number[] = []
      for (const touch of [true, false]) {
        if (touch) await utimes(path, 1_700_000_000, 1_700_000_000)
        let reads = 0
        const disk = failingDisk((call, _count, read) => {
          if (call === 'readFile' && read === path) reads += 1
          return undefined
        })
        await using library = await open(directory, { disk })
        expect(library.isLost(library.answers[0]!)).toBe(false)
        times.push(reads)
      }
      expect(times).toEqual([1, 0])
    }),
  )

  test('is not lost with a library that is copied', () =>
    withFolder(async (folder) => {
      const [one, two] = [join(folder, 'one'), join(folder, 'two')]
      {
        await using library = await open(one)
        await receive(library, ['A'])
        await receive(library, ['B'])
      }
      await cp(one, two, { recursive: true })
      await using library = await open(two)
      expect(library.answers.map((answer) => library.isLost(answer))).toEqual([false, false])
    }))

  test('that was changed without a trace is found by reading all', () =>
    withFolder(async (directory) => {
      let answers: readonly Answer[]
      {
        await using library = await open(directory)
        answers = [await receive(library, ['A']), await receive(library, ['B'])]
      }
      const path = join(directory, FIRST_NAME)
      const { atime, mtime } = await stat(path)
      await writeFile(path, (await readFile(path)).fill(1, 50, 60))
      await utimes(path, atime, mtime)
      const world = testWorld()
      const lost = (isThorough: boolean) =>
        lostArchives(world, directory, answers, world.interrupt, isThorough)
      expect([...(await lost(false))]).toEqual([])
      expect([...(await lost(true))]).toEqual([FIRST_NAME])
    }))

  test('has a name that no other one had', () =>
    withFolder(async (directory) => {
      {
        await using library = await open(directory)
        expect((await receive(library, ['A'])).archive).toBe(FIRST_NAME)
      }
      await rm(join(directory, FIRST_NAME))
      await using library = await open(directory)
      expect((await receive(library, ['B'])).archive).toBe('2026-03-10T120000Z-2.zip')
      expect(library.answers.map((answer) => library.isLost(answer))).toEqual([true, false])
    }))
})

describe('files that people put into a library', () => {
  test('are never touched', () =>
    withFolder(async (directory) => {
      await mkdir(join(directory, 'mail', 'deep'), { recursive: true })
      await writeFile(join(directory, 'mail', 'supplier.zip'), 'not even a ZIP')
      await writeFile(join(directory, 'mail', 'deep', 'part.xml'), '<x/>')
      // Its name is one that the next archive would get.
      await writeFile(join(directory, FIRST_NAME), 'by hand')
      await chmod(join(directory, FIRST_NAME), 0o444)
      const before = (await snapshot(directory)).filter(({ path }) => !path.startsWith('.matdecl'))
      for (let run = 0; run < 2; run += 1) {
        await using library = await open(directory)
        await receive(library, [`A${run}`])
        await library.endRun()
      }
      const after = await snapshot(directory)
      expect(after.filter(({ path }) => before.some((each) => each.path === path))).toEqual(before)
      expect((await readdir(directory)).filter((name) => name.startsWith('2026')).sort()).toEqual([
        FIRST_NAME,
        '2026-03-10T120000Z-2.zip',
        '2026-03-10T120000Z-3.zip',
      ])
    }))

  test('stay when a job is removed', () =>
    withFolder(async (folder) => {
      const directory = join(folder, 'job')
      {
        await using job = await open(directory, { isJob: true })
        await receive(job, ['A'])
        await receiveBody(job, ['B'])
        await writeFile(join(directory, 'mine.txt'), 'mine')
        await job.remove()
      }
      expect(await readdir(directory)).toEqual(['mine.txt'])
      await using job = await open(join(folder, 'other'), { isJob: true })
      await receive(job, ['A'])
      await job.remove()
      expect(await readdir(folder)).toEqual(['job'])
    }))
})

test('a job is worth keeping for an answer, for a part of a response, and for one that is verified', () =>
  withFolder(async (folder) => {
    const worth: boolean[] = []
    for (const leave of [
      async () => undefined,
      async (library: Library) => void (await receive(library, ['A'])),
      async (library: Library) => void (await receiveBody(library, ['A'])),
    ]) {
      await using library = await open(join(folder, `job ${worth.length}`), { isJob: true })
      await leave(library)
      worth.push(library.isWorthKeeping())
    }
    expect(worth).toEqual([false, true, true])
  }))

describe('a library is refused', () => {
  async function refused(
    prepare: (directory: string) => Promise<unknown>,
    more?: OpenOptions,
  ): Promise<string> {
    return await withFolder(async (folder) => {
      const directory = join(folder, 'library')
      await mkdir(join(folder, 'elsewhere'))
      await writeFile(join(folder, 'theirs'), 'theirs')
      await prepare(directory)
      const before = await snapshot(join(folder, 'elsewhere'))
      const { exitCode, message } = await failureOf(open(directory, more))
      expect(exitCode).toBe(9)
      expect(await snapshot(join(folder, 'elsewhere'))).toEqual(before)
      expect(await readFile(join(folder, 'theirs'), 'utf8')).toBe('theirs')
      return message.replaceAll(folder, '')
    })
  }
  const elsewhere = (directory: string): string => join(directory, '..', 'elsewhere')
  const theirs = (directory: string): string => join(directory, '..', 'theirs')

  test('where a file is', async () => {
    expect(await refused((directory) => writeFile(directory, 'a file'))).toBe(
      '/library cannot be used: it is not a directory',
    )
    const inside = async (directory: string) => [
      await mkdir(directory),
      await writeFile(own(directory), 'a file'),
    ]
    expect(await refused(inside)).toBe('/library/.matdecl cannot be used: it is not a directory')
  })

  posixTest('where its path leads through a file', () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'file'), '')
      const { exitCode, message } = await failureOf(open(join(folder, 'file', 'in', 'library')))
      expect([exitCode, message.replaceAll(folder, '')]).toEqual([
        9,
        'cannot create /file/in/library: part of the path is not a directory (ENOTDIR)',
      ])
    }),
  )

  posixTest('where a link leads out of it', async () => {
    for (const names of [[], ['incoming']] as const) {
      const message = await refused(async (directory) => {
        await mkdir(join(own(directory, ...names), '..'), { recursive: true })
        await symlink(elsewhere(directory), own(directory, ...names))
      })
      expect(message).toBe(`${join('/library/.matdecl', ...names)} cannot be used: it is a symbolic link`)
    }
    for (const target of [elsewhere, theirs]) {
      const message = await refused(async (directory) => {
        await mkdir(own(directory, 'incoming'), { recursive: true })
        await symlink(target(directory), own(directory, 'answers.jsonl'))
      })
      expect(message).toContain('it is a symbolic link')
    }
  })

  test('where its records are no file', async () => {
    const message = await refused((directory) => mkdir(own(directory, 'answers.jsonl'), { recursive: true }))
    expect(message).toBe('/library/.matdecl/answers.jsonl cannot be used: it is not a regular file')
  })

  posixTest('where it belongs to another user', async () => {
    const world = testWorld({ nowMs: NOW })
    const other = { ...world, host: { ...world.host, uid: 4711 } }
    expect(await refused((directory) => mkdir(directory), { world: other })).toBe(
      '/library cannot be used: it belongs to another user',
    )
  })

  posixTest('where a job is a link, but a library may be one', () =>
    withFolder(async (folder) => {
      await mkdir(join(folder, 'real'))
      await symlink(join(folder, 'real'), join(folder, 'link'))
      expect(await failureOf(open(join(folder, 'link'), { isJob: true }))).toMatchObject({ exitCode: 9 })
      expect(await readdir(join(folder, 'real'))).toEqual([])
      await using library = await open(join(folder, 'link'))
      await receive(library, ['A'])
      expect(await readdir(join(folder, 'real'))).toContain(FIRST_NAME)
    }),
  )

  posixTest('never where others could write to it: they no longer can', () =>
    withFolder(async (folder) => {
      await chmod(folder, 0o777)
      await using _ = await open(folder)
      expect((await stat(folder)).mode & 0o777).toBe(0o755)
    }),
  )
})

describe('one run at a time', () => {
  test('writes to a library; the others are told, or skip', () =>
    withFolder(async (directory) => {
      const first = await open(directory)
      const begun = await receiveBody(first, ['A'])
      expect(await failureOf(open(directory))).toMatchObject({ exitCode: 11 })
      await expect(open(directory, { lock: 'skip' })).rejects.toThrow('the library is locked')
      // What it receives is left alone.
      await commit(first, begun)
      await first[Symbol.asyncDispose]()
      await using second = await open(directory)
      expect(second.answers).toHaveLength(1)
    }))

  test('waits for the other one', () =>
    withFolder(async (directory) => {
      const first = await open(directory)
      const world = testWorld({ nowMs: NOW })
      const clock = {
        ...world.clock,
        sleep: async () => {
          await receive(first, ['A'])
          await first[Symbol.asyncDispose]()
        },
      }
      await using second = await open(directory, { world: { ...world, clock }, lock: 'wait' })
      expect(second.answers).toHaveLength(1)
    }))

  test('and reading needs no lock', () =>
    withFolder(async (directory) => {
      expect(await readLibrary(testWorld(), directory)).toMatchObject({ answers: [], openRun: undefined })
      expect(await readdir(directory)).toEqual([])
      await using library = await open(directory)
      await receive(library, ['A'])
      expect((await readLibrary(testWorld(), directory)).answers).toHaveLength(1)
      expect((await readLibrary(testWorld(), join(directory, 'nothing'))).answers).toEqual([])
    }))

  test('leaves no lock when it could not be opened', () =>
    withFolder(async (directory) => {
      const disk = failingDisk((call, _count, path) =>
        call === 'open' && path.endsWith('answers.jsonl') ? 'EIO' : undefined,
      )
      expect(await failureOf(open(directory, { disk }))).toMatchObject({ exitCode: 9 })
      await using library = await open(directory)
      expect(library.answers).toEqual([])
    }))

  test.each(['link', 'handle.datasync'])('leaves nothing open when %s fails in its recovery', (failing) =>
    withFolder(async (directory) => {
      {
        await using library = await open(directory)
        await receiveBody(library, ['A'])
      }
      const disk = failingDisk((call, _count, path) =>
        call === failing && path.includes('incoming') ? 'EIO' : undefined,
      )
      const handles: realDisk.FileHandle[] = []
      const watched: Disk = new Proxy(disk, {
        get: (target, key) =>
          key !== 'open'
            ? Reflect.get(target, key)
            : async (...args: Parameters<Disk['open']>) => {
                const handle = await target.open(...args)
                handles.push(handle)
                return handle
              },
      })
      expect(await failureOf(open(directory, { disk: watched }))).toMatchObject({ exitCode: 9 })
      expect(handles.length).toBeGreaterThan(2)
      expect(handles.filter(({ fd }) => fd !== -1)).toEqual([])
      await using library = await open(directory)
      expect(library.answers).toMatchObject([{ found: ['A'] }])
    }),
  )
})
