import { appendFile, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isFailure } from '../../src/base/failure.ts'
import type { Disk } from '../../src/base/world.ts'
import { type Answered, checkedLine, type Requested } from '../../src/library/answers.ts'
import {
  type BodyFacts,
  IncomingResponse,
  type ResponseNote,
  readNote,
  recovery,
} from '../../src/library/incoming.ts'
import { SEARCH } from '../support/answers.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { posixTest } from '../support/programs.ts'
import { testWorld, withFolder } from '../support/world.ts'

const HOUR = 3_600_000
const NOW = Date.parse('2026-03-10T12:00:00Z')

const REQUEST: Requested = {
  id: '0123456789abcdef',
  run: 'run-1',
  search: SEARCH,
  parts: ['A', 'B'],
  start: '2026-03-08',
  listed: true,
}
const BODY: BodyFacts = { etag: '"v1"', total: 1000, status: 200, at: NOW - HOUR, date: NOW - HOUR }
const ANSWER: Answered = {
  date: NOW - HOUR,
  at: NOW - HOUR,
  status: 200,
  attempts: 1,
  seconds: 0.25,
  archive: '2026-03-10T110000Z-1.zip',
  bytes: 1000,
  sha256: 'ab'.repeat(32),
  modified: NOW - HOUR,
  found: ['A'],
  others: 0,
  entries: ['0000abcd-1'],
  tool: 'matdecl 1.0.0',
}
const NOTHING: Answered = {
  ...ANSWER,
  status: 204,
  archive: undefined,
  sha256: undefined,
  modified: undefined,
  bytes: 0,
  found: [],
  entries: [],
}

const WITHOUT_BODY: ResponseNote = {
  request: REQUEST,
  isSent: false,
  body: undefined,
  kept: 0,
  answer: undefined,
  ends: [],
}
const BEGUN: ResponseNote = { ...WITHOUT_BODY, body: BODY, kept: 400 }
const WITHOUT_ETAG: BodyFacts = { ...BODY, etag: undefined }
const WITHOUT_TOTAL: BodyFacts = { ...BODY, total: undefined }

describe('after a kill, a request', () => {
  const FACTS = {
    isRecorded: false,
    isNamed: false,
    isThere: false,
    bodyBytes: undefined,
    nowMs: NOW,
    resumeMs: 12 * HOUR,
  }
  type Facts = Omit<Parameters<typeof recovery>[0], 'note'>
  const old = { ...BODY, at: NOW - 12 * HOUR }

  test.each<[string, ResponseNote, Partial<Facts>, ReturnType<typeof recovery>]>([
    ['that was sent', WITHOUT_BODY, {}, 'forget'],
    ['that was sent, with a body that no note is about', WITHOUT_BODY, { bodyBytes: 1000 }, 'forget'],
    ['with a part of its body', BEGUN, { bodyBytes: 400 }, 'continue'],
    ['with more of its body than is known to be safe', BEGUN, { bodyBytes: 700 }, 'continue'],
    ['with less of its body than was safe', BEGUN, { bodyBytes: 399 }, 'forget'],
    ['whose body is gone', BEGUN, {}, 'forget'],
    ['of whose body nothing is known to be safe', { ...BEGUN, kept: 0 }, { bodyBytes: 400 }, 'forget'],
    [
      'with a part of a body without a validator',
      { ...BEGUN, body: WITHOUT_ETAG },
      { bodyBytes: 400 },
      'forget',
    ],
    [
      'with a part of a body of unknown size',
      { ...BEGUN, body: WITHOUT_TOTAL },
      { bodyBytes: 400 },
      'continue',
    ],
    [
      'with a part that is almost 12 hours old',
      { ...BEGUN, body: { ...old, at: old.at + 1 } },
      { bodyBytes: 400 },
      'continue',
    ],
    ['with a part that is 12 hours old', { ...BEGUN, body: old }, { bodyBytes: 400 }, 'forget'],
    [
      'of a job, with an old part',
      { ...BEGUN, body: old },
      { bodyBytes: 400, resumeMs: Number.POSITIVE_INFINITY },
      'continue',
    ],
    [
      'with a part by a clock that is wrong',
      { ...BEGUN, body: { ...BODY, at: NOW + 24 * 3_600_000 + 1 } },
      { bodyBytes: 400 },
      'forget',
    ],
    ['with the whole body', BEGUN, { bodyBytes: 1000 }, 'verify'],
    [
      'with the whole body, however old',
      { ...BEGUN, body: { ...old, at: 0 } },
      { bodyBytes: 1000 },
      'verify',
    ],
    [
      'with the whole body, without a validator',
      { ...BEGUN, body: WITHOUT_ETAG, kept: 0 },
      { bodyBytes: 1000 },
      'verify',
    ],
    ['with which a run got no further', { ...BEGUN, ends: ['a'] }, { bodyBytes: 400 }, 'continue'],
    ['with which two runs ended alike', { ...BEGUN, ends: ['b', 'a', 'a'] }, { bodyBytes: 400 }, 'forget'],
    [
      'with which two runs did not end alike',
      { ...BEGUN, ends: ['a', 'a', 'b'] },
      { bodyBytes: 400 },
      'continue',
    ],
    [
      'whose whole body two runs could not read',
      { ...BEGUN, ends: ['a', 'a'] },
      { bodyBytes: 1000 },
      'forget',
    ],
    [
      'that was verified, whatever the runs before',
      { ...BEGUN, answer: ANSWER, ends: ['a', 'a'] },
      { bodyBytes: 1000, isThere: true },
      'name',
    ],
    ['with a body longer than announced', BEGUN, { bodyBytes: 1001 }, 'verify'],
    ['that was verified', { ...BEGUN, answer: ANSWER }, { bodyBytes: 1000, isThere: true }, 'name'],
    [
      'that was verified, however old',
      { ...BEGUN, body: { ...old, at: 0 }, answer: ANSWER },
      { bodyBytes: 1000, isThere: true },
      'name',
    ],
    ['that was named', { ...BEGUN, answer: ANSWER }, { isNamed: true }, 'record'],
    ['without an entry', { ...BEGUN, answer: NOTHING }, {}, 'record'],
    ['without a body', { ...WITHOUT_BODY, answer: NOTHING }, {}, 'record'],
    ['that was named, and whose archive is gone', { ...BEGUN, answer: ANSWER }, {}, 'forget'],
    [
      'that was verified, and whose body has changed since',
      { ...BEGUN, answer: ANSWER },
      { bodyBytes: 1000 },
      'verify',
    ],
    ['that was recorded', { ...BEGUN, answer: ANSWER }, { isNamed: true, isRecorded: true }, 'forget'],
    [
      'that was recorded, without an entry',
      { ...WITHOUT_BODY, answer: NOTHING },
      { isRecorded: true },
      'forget',
    ],
  ])('%s', (_title, note, facts, expected) => {
    expect(recovery({ ...FACTS, ...facts, note })).toBe(expected)
  })
})

describe('a note', () => {
  const LINES = [{ request: REQUEST }, { body: BODY }, { kept: 100 }, { kept: 400 }, { answer: ANSWER }].map(
    checkedLine,
  )
  const text = LINES.join('')

  test('says how far the response is', () => {
    const states = LINES.map((_, index) => readNote(LINES.slice(0, index + 1).join('')))
    expect(states).toEqual([
      WITHOUT_BODY,
      { ...BEGUN, kept: 0 },
      { ...BEGUN, kept: 100 },
      BEGUN,
      { ...BEGUN, answer: ANSWER },
    ])
  })

  test('has the ends of the runs that have got no further', () => {
    const [one, other] = [{ ended: 'rejected 400' }, { ended: 'unavailable 503' }].map(checkedLine)
    const begun = LINES.slice(0, 4).join('')
    expect(readNote(begun + one + other)).toEqual({ ...BEGUN, ends: ['rejected 400', 'unavailable 503'] })
    expect(readNote(begun + one + checkedLine({ kept: 900 }))).toEqual({ ...BEGUN, kept: 900 })
    expect(readNote(begun + one + checkedLine({ body: BODY }))).toEqual({ ...BEGUN, kept: 0 })
  })

  test('begins anew with another body, and without one', () => {
    const other = { ...BODY, etag: '"v2"' }
    expect(readNote(text + checkedLine({ body: other }))).toEqual({ ...BEGUN, body: other, kept: 0 })
    expect(readNote(text + checkedLine({ body: null }))).toEqual(WITHOUT_BODY)
  })

  test('loses its last step when it is torn, and no later one', () => {
    for (let length = text.length - LINES[4]!.length; length < text.length - 1; length += 1) {
      const torn = text.slice(0, length)
      expect(readNote(torn), `torn after ${length}`).toEqual(BEGUN)
      expect(readNote(`${torn}\n${checkedLine({ kept: 900 })}`)).toEqual({ ...BEGUN, kept: 900 })
    }
  })

  test('skips damaged lines', () => {
    const damaged = LINES.with(1, LINES[1]!.replace('v1', 'v2'))
    expect(readNote(damaged.join(''))).toEqual({ ...WITHOUT_BODY, kept: 400, answer: ANSWER })
    expect(
      recovery({
        note: readNote(LINES.slice(0, 4).with(1, 'x\n').join(''))!,
        isRecorded: false,
        isNamed: false,
        isThere: false,
        bodyBytes: 1000,
        nowMs: NOW,
        resumeMs: 12 * HOUR,
      }),
    ).toBe('forget')
  })

  test.each([
    ['is empty', ''],
    ['lost its first line', text.slice(1)],
    ['has a torn first line', text.slice(0, 40)],
    ['begins with another one', LINES.slice(1).join('')],
    ['is of something else', 'hello\nworld\n'],
  ])('that %s is none', (_title, content) => {
    expect(readNote(content)).toBe(undefined)
  })
})

describe('an incoming response', () => {
  const incoming = (folder: string, disk: Disk = testWorld().disk, note?: ResponseNote): IncomingResponse =>
    new IncomingResponse(disk, folder, REQUEST, note)
  const noteOf = async (folder: string): Promise<ResponseNote | undefined> =>
    readNote(await readFile(join(folder, `${REQUEST.id}.note`), 'utf8'))

  test('is nothing on disk before it is sent', () =>
    withFolder(async (folder) => {
      const response = incoming(folder)
      expect(response).toMatchObject({ body: undefined, kept: 0, lost: undefined, request: REQUEST })
      expect(await readdir(folder)).toEqual([])
    }))

  test('notes each step, readable by its user only', () =>
    withFolder(async (folder) => {
      const response = incoming(folder)
      await response.sending()
      expect(await noteOf(folder)).toEqual(WITHOUT_BODY)
      await response.begin(BODY)
      expect(await noteOf(folder)).toEqual({ ...BEGUN, kept: 0 })
      await response.mark(400)
      expect(await noteOf(folder)).toEqual(BEGUN)
      expect(response).toMatchObject({ body: BODY, kept: 400 })
      await response.verified(ANSWER)
      expect(await noteOf(folder)).toEqual({ ...BEGUN, answer: ANSWER })
      expect(response).toMatchObject({ isVerified: true, kept: ANSWER.bytes, lost: undefined })
      await response.begin({ ...BODY, etag: '"v2"' })
      expect(response).toMatchObject({ isVerified: false, kept: 0 })
      await response.close()
      if (process.platform !== 'win32')
        expect((await stat(join(folder, `${REQUEST.id}.note`))).mode & 0o777).toBe(0o600)
    }))

  test('notes whether the service may have counted it', () =>
    withFolder(async (folder) => {
      const response = incoming(folder)
      const steps: readonly [() => unknown, boolean][] = [
        [() => response.sending(), false],
        [() => response.sent(), true],
        [() => response.responded(false), false],
        [() => response.sending(), false],
        [() => response.sent(), true],
        [() => response.preparing(), true],
        [() => response.responded(true), true],
      ]
      for (const [step, isSent] of steps) {
        await step()
        await response.close()
        expect((await noteOf(folder))?.isSent, String(step)).toBe(isSent)
      }
    }))

  test('does not fail where it cannot note that it was sent, and loses no line to it', () =>
    withFolder(async (folder) => {
      const disk = failingDisk((call, count) =>
        call === 'handle.appendFile' && count === 2 ? 'ENOSPC' : undefined,
      )
      const response = incoming(folder, disk)
      await response.sending()
      response.sent()
      await response.begin(BODY)
      await response.close()
      expect(await noteOf(folder)).toEqual({ ...BEGUN, kept: 0 })
    }))

  test('is synced once it is verified', () =>
    withFolder(async (folder) => {
      const disk = failingDisk(() => undefined)
      const response = incoming(folder, disk)
      await response.sending()
      await response.begin(BODY)
      expect(disk.calls).not.toContain('handle.datasync')
      await response.verified(ANSWER)
      expect(disk.calls.slice(-2)).toEqual(['handle.appendFile', 'handle.datasync'])
      await response.close()
    }))

  test('is continued by a later run from what was safe', () =>
    withFolder(async (folder) => {
      const first = incoming(folder)
      await first.sending()
      await first.begin(BODY)
      await first.mark(400)
      await first.close()
      // The run was killed while it wrote.
      await appendFile(join(folder, `${REQUEST.id}.note`), checkedLine({ kept: 900 }).slice(0, 12))
      const second = incoming(folder, undefined, await noteOf(folder))
      expect(second).toMatchObject({ body: BODY, kept: 400, lost: undefined })
      await second.sending()
      await second.mark(700)
      await second.close()
      expect(await noteOf(folder)).toEqual({ ...BEGUN, kept: 700 })
    }))

  test('forgets a body, and what was safe of it', () =>
    withFolder(async (folder) => {
      const response = incoming(folder)
      await response.sending()
      await response.begin(BODY)
      await response.mark(400)
      await response.forgetBody()
      await response.forgetBody()
      await response.close()
      expect(response).toMatchObject({ body: undefined, kept: 0 })
      expect(await noteOf(folder)).toEqual(WITHOUT_BODY)
    }))

  test('keeps nothing of a body that cannot be continued', () =>
    withFolder(async (folder) => {
      const response = incoming(folder)
      await response.sending()
      await response.begin(WITHOUT_ETAG)
      await response.mark(400)
      expect(response.kept).toBe(0)
      await response.close()
    }))

  test('removes what it has, and nothing else', () =>
    withFolder(async (folder) => {
      const response = incoming(folder)
      await response.sending()
      await response.begin(BODY)
      await writeFile(response.path, 'body')
      await writeFile(join(folder, 'other.zip'), 'other')
      await response.remove()
      await response.remove()
      expect(await readdir(folder)).toEqual(['other.zip'])
      expect(response).toMatchObject({ kept: 0, lost: undefined })
    }))

  describe('would lose', () => {
    type Step = (response: IncomingResponse) => unknown
    const sending: Step = (response) => response.sending()
    const sent: Step = (response) => response.sent()
    const archive: Step = (response) => response.responded(true)
    const begin: Step = (response) => response.begin(BODY)

    test.each<[string | undefined, string, readonly Step[]]>([
      [undefined, 'before it is sent', []],
      [undefined, 'before bytes of it have left', [sending]],
      ['no-response', 'when it is sent', [sending, sent]],
      ['no-response', 'before it is sent again', [sending, sent, sending]],
      [
        'preparing',
        'while the archive is prepared',
        [sending, sent, (response) => response.preparing(), sent],
      ],
      [undefined, 'after a response that is no archive', [sending, (response) => response.responded(false)]],
      ['no-validator', 'when the archive begins', [sending, archive]],
      ['no-bytes', 'before the first bytes are safe', [sending, archive, begin]],
      [undefined, 'once bytes are safe', [sending, archive, begin, (response) => response.mark(1)]],
      [
        'no-validator',
        'without a validator',
        [sending, archive, (response) => response.begin(WITHOUT_ETAG), (response) => response.mark(1)],
      ],
      ['no-response', 'when it is to be sent again', [sending, archive, sending]],
      [
        undefined,
        'when it was refused, and is to be sent again',
        [sending, sent, (response) => response.responded(false), sending],
      ],
      [
        undefined,
        'when it is sent again for the rest',
        [sending, archive, begin, (response) => response.mark(1), sending],
      ],
      [undefined, 'when it is over', [sending, archive, (response) => response.settled()]],
    ])('%s %s', (expected, _title, steps) =>
      withFolder(async (folder) => {
        const response = incoming(folder)
        for (const step of steps) await step(response)
        expect(response.lost).toBe(expected)
        await response.close()
      }),
    )
  })

  test('fails as io when the disk is full, before anything is sent', () =>
    withFolder(async (folder) => {
      const disk = failingDisk((call) => (call === 'handle.appendFile' ? 'ENOSPC' : undefined))
      const response = incoming(folder, disk)
      const error = await response.sending().catch((caught: unknown) => caught)
      expect(isFailure(error) && error.exitCode).toBe(9)
      expect(error).toMatchObject({ message: expect.stringContaining('the disk is full') })
      await response.close()
    }))

  test('notes its request again after that failed', () =>
    withFolder(async (folder) => {
      const disk = failingDisk((call, count) =>
        call === 'handle.appendFile' && count === 1 ? 'ENOSPC' : undefined,
      )
      const response = incoming(folder, disk)
      await expect(response.sending()).rejects.toThrow()
      await response.sending()
      await response.begin(BODY)
      await response.close()
      expect(await noteOf(folder)).toEqual({ ...BEGUN, kept: 0 })
    }))

  test('loses no line to a torn one before it', () =>
    withFolder(async (folder) => {
      const path = join(folder, `${REQUEST.id}.note`)
      // The disk is full in the middle of the third line.
      const disk = failingDisk((call, count) =>
        call === 'handle.appendFile' && count === 3 ? 'ENOSPC' : undefined,
      )
      const response = incoming(folder, disk)
      await response.sending()
      await response.begin(BODY)
      await expect(response.mark(400)).rejects.toThrow()
      await appendFile(path, '1234abcd {"ke')
      await response.verified(ANSWER)
      await response.close()
      expect(await noteOf(folder)).toMatchObject({ body: BODY, answer: ANSWER })
    }))

  posixTest('does not write through a link', () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'target'), 'theirs')
      await symlink(join(folder, 'target'), join(folder, `${REQUEST.id}.note`))
      const error = await incoming(folder)
        .sending()
        .catch((caught: unknown) => caught)
      expect(isFailure(error) && error.exitCode).toBe(9)
      expect(await readFile(join(folder, 'target'), 'utf8')).toBe('theirs')
    }),
  )
})
