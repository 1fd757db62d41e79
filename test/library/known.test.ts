import { describe, expect, test } from 'vitest'
import type { Answer } from '../../src/library/answers.ts'
import { searchKey } from '../../src/library/answers.ts'
import {
  answerDate,
  isWithin,
  type KnownPart,
  mayContinue,
  partsOrWhole,
  replay,
  startDateAfter,
  type WantedOptions,
  WHOLE,
  wantedParts,
} from '../../src/library/known.ts'
import { answerOf, SEARCH } from '../support/answers.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.parse('2026-03-10T12:00:00Z')
const daysAgo = (days: number): number => NOW - days * DAY

describe('the date of an answer', () => {
  const SENT = Date.parse('2026-03-04T05:00:00Z')

  test.each([
    ['is when the service responded', SENT, 0, SENT],
    ['is not that of a proxy or store without Date', undefined, 0, undefined],
    ['is less the time waited: it may have looked at its data at once', SENT + 6 * HOUR, 6 * HOUR, SENT],
    ['is by its clock where that is behind', SENT - HOUR, 0, SENT - HOUR],
    ['is never later than this clock at sending', SENT + HOUR, 0, SENT],
    ['is that of a clock behind by a day', SENT - DAY, 0, SENT - DAY],
    ['is none where its clock is behind by more', SENT - DAY - 1, 0, undefined],
    ['is that of a clock ahead by a day', SENT + DAY, 0, SENT],
    ['is none where its clock is ahead by more', SENT + DAY + 1, 0, undefined],
    ['is in whole milliseconds, never later', SENT - 1000, 0.25, SENT - 1001],
    ['is measured after the wait', SENT + DAY + HOUR, HOUR, SENT],
    ['is none where its clock is behind by more after the wait', SENT - DAY, 1, undefined],
  ])('%s', (_title, headerMs, waitedMs, expected) => {
    expect(answerDate({ headerMs, waitedMs, atMs: SENT })).toBe(expected)
  })
})

test.each([
  ['2026-03-04T00:00:00.000Z', '2026-03-02'],
  ['2026-03-04T23:59:59.999Z', '2026-03-02'],
  ['2026-03-01T12:00:00.000Z', '2026-02-27'],
  ['2024-03-01T12:00:00.000Z', '2024-02-28'],
  ['2026-01-01T00:00:00.000Z', '2025-12-30'],
])('after %s the service is asked from %s on', (date, expected) => {
  expect(startDateAfter(Date.parse(date))).toBe(expected)
})

test('a request without parts stands for the search itself', () => {
  expect(partsOrWhole([])).toEqual([WHOLE])
  expect(partsOrWhole(['A', 'B'])).toEqual(['A', 'B'])
})

test.each([
  ['now', 0, true],
  ['just now', 1, true],
  ['just within', HOUR - 1, true],
  ['as long ago', HOUR, false],
  ['by a clock that was set back', -1, true],
  ['by a clock that is a day ahead', -24 * HOUR, true],
  ['by a clock that is wrong', -24 * HOUR - 1, false],
])('%s, %d ms ago, is within an hour: %s', (_title, agoMs, expected) => {
  expect(isWithin(NOW, NOW - agoMs, HOUR)).toBe(expected)
})

test('never is within no time', () => {
  expect(isWithin(NOW, undefined, Number.POSITIVE_INFINITY)).toBe(false)
})

/** What is known of a part of `SEARCH`. */
function knownOf(
  answers: readonly Answer[],
  part: string,
  options?: Parameters<typeof replay>[1],
): KnownPart {
  return replay(answers, options).get(searchKey(SEARCH))!.parts.get(part)!
}

describe('replayed answers', () => {
  const FIRST = answerOf({ parts: ['A', 'B'], at: daysAgo(20), archive: 'first.zip', found: ['A'] })
  // It joins: two days before the date of the first one.
  const JOINED = answerOf({ parts: ['A', 'B'], at: daysAgo(10), start: startDateAfter(daysAgo(20)) })

  test('of no run know nothing', () => {
    expect(replay([]).size).toBe(0)
  })

  test('without a start date say all of a part', () => {
    expect(knownOf([FIRST], 'A')).toEqual({
      found: true,
      everFound: true,
      date: daysAgo(20),
      undatedAt: daysAgo(20),
      at: daysAgo(20),
      listedAt: daysAgo(20),
      isOpen: false,
      isLost: false,
    })
    expect(knownOf([FIRST], 'B')).toMatchObject({ found: false, everFound: false, date: daysAgo(20) })
    expect(replay([FIRST]).get(searchKey(SEARCH))!.parts.has('C')).toBe(false)
  })

  test('are of one search each', () => {
    const other = answerOf({ parts: ['A'], search: { ...SEARCH, formatClass: 'D' }, at: daysAgo(1) })
    const known = replay([FIRST, other])
    expect(known.size).toBe(2)
    expect(known.get(searchKey(SEARCH))!.parts.get('A')!.date).toBe(daysAgo(20))
    expect(known.get(searchKey(other.search))!.search).toEqual(other.search)
    expect(known.get(searchKey(other.search))!.parts.get('A')).toMatchObject({
      found: false,
      date: daysAgo(1),
    })
  })

  test('of a search without parts are of the search itself, and of no part', () => {
    const whole = answerOf({ parts: [], at: daysAgo(1), archive: 'whole.zip', found: [], others: 7 })
    const { parts } = replay([whole]).get(searchKey(SEARCH))!
    expect([...parts.keys()]).toEqual([WHOLE])
    expect(parts.get(WHOLE)).toMatchObject({ found: true, everFound: true, date: daysAgo(1) })
    expect(knownOf([answerOf({ parts: [] })], WHOLE)).toMatchObject({ found: false, everFound: false })
  })

  describe('with a start date', () => {
    test('count where it joins the date before', () => {
      expect(knownOf([FIRST, JOINED], 'A')).toMatchObject({
        found: true,
        date: daysAgo(10),
        at: daysAgo(10),
        undatedAt: daysAgo(20),
      })
      const later = answerOf({ parts: ['A'], at: daysAgo(1), start: startDateAfter(daysAgo(10)) })
      expect(knownOf([FIRST, JOINED, later], 'A').date).toBe(daysAgo(1))
    })

    test('count where it overlaps', () => {
      const early = answerOf({ parts: ['A'], at: daysAgo(10), start: '2020-01-01' })
      expect(knownOf([FIRST, early], 'A').date).toBe(daysAgo(10))
    })

    test('do not count after a gap of one day, but their archive does', () => {
      const gap = answerOf({
        parts: ['A', 'B'],
        at: daysAgo(10),
        start: startDateAfter(daysAgo(19)),
        archive: 'gap.zip',
        found: ['B'],
      })
      expect(knownOf([FIRST, gap], 'A')).toMatchObject({ date: daysAgo(20), at: daysAgo(20) })
      expect(knownOf([FIRST, gap], 'B')).toMatchObject({ found: true, everFound: true, date: daysAgo(20) })
    })

    test('join for each part by itself', () => {
      const second = answerOf({ parts: ['B'], at: daysAgo(15) })
      const both = answerOf({ parts: ['A', 'B'], at: daysAgo(10), start: startDateAfter(daysAgo(15)) })
      expect(knownOf([FIRST, second, both], 'A').date).toBe(daysAgo(20))
      expect(knownOf([FIRST, second, both], 'B').date).toBe(daysAgo(10))
    })

    test('prove nothing of a part that was never asked for without one', () => {
      const alone = answerOf({ parts: ['A'], at: daysAgo(1), start: '2000-01-01', archive: 'a.zip' })
      expect(knownOf([alone], 'A')).toMatchObject({
        everFound: true,
        date: undefined,
        at: undefined,
        undatedAt: undefined,
      })
    })

    test('and without a date of their own leave the date as it was', () => {
      const undated = answerOf({ ...JOINED, id: 'x', at: daysAgo(5), date: undefined })
      expect(knownOf([FIRST, undated], 'A')).toMatchObject({ date: daysAgo(20), at: daysAgo(5) })
    })

    test('do not say that a part is gone', () => {
      expect(knownOf([FIRST, JOINED], 'A').found).toBe(true)
    })
  })

  test('without a date of the service leave none', () => {
    const undated = answerOf({ parts: ['A'], at: daysAgo(1), date: undefined })
    expect(knownOf([FIRST, undated], 'A')).toMatchObject({
      date: undefined,
      undatedAt: daysAgo(1),
      at: daysAgo(1),
    })
  })

  test('that no longer find a part say so, but only those without a start date', () => {
    const withdrawn = answerOf({ parts: ['A'], at: daysAgo(1) })
    expect(knownOf([FIRST, withdrawn], 'A')).toMatchObject({ found: false, everFound: true })
    const again = answerOf({ parts: ['A'], at: NOW, start: startDateAfter(daysAgo(1)), archive: 'again.zip' })
    expect(knownOf([FIRST, withdrawn, again], 'A').found).toBe(true)
  })

  test('of a job all count: its requests have one start date', () => {
    const dated = answerOf({ parts: ['A'], at: daysAgo(1), start: '2026-01-01' })
    expect(knownOf([dated], 'A', { everyAnswerCounts: true })).toMatchObject({
      date: daysAgo(1),
      undatedAt: daysAgo(1),
    })
  })

  test('name a part where a run did', () => {
    const refresh = answerOf({ ...JOINED, id: 'x', listed: false })
    expect(knownOf([FIRST, refresh], 'A')).toMatchObject({ listedAt: daysAgo(20), at: daysAgo(10) })
    expect(knownOf([FIRST, JOINED], 'A').listedAt).toBe(daysAgo(10))
    expect(knownOf([answerOf({ parts: ['A'], listed: false })], 'A').listedAt).toBe(undefined)
  })

  test('are open in the run that has not ended, until another one answers', () => {
    const [one, two] = ['run-1', 'run-2'].map((run) => answerOf({ parts: ['A'], run })) as [Answer, Answer]
    expect(knownOf([one], 'A', { openRun: 'run-1' }).isOpen).toBe(true)
    expect(knownOf([one], 'A').isOpen).toBe(false)
    expect(knownOf([one, two], 'A', { openRun: 'run-1' }).isOpen).toBe(false)
    expect(knownOf([one, two], 'A', { openRun: 'run-2' }).isOpen).toBe(true)
  })
})

describe('an answer whose archive is lost', () => {
  const lost = (...archives: string[]) => ({
    isLost: ({ archive }: Answer) => archives.includes(archive ?? ''),
  })
  const FIRST = answerOf({ parts: ['A', 'B'], at: daysAgo(20), archive: 'first.zip', found: ['A'] })
  const NEXT = answerOf({
    parts: ['A', 'B'],
    at: daysAgo(10),
    start: startDateAfter(daysAgo(20)),
    archive: 'next.zip',
    found: ['A'],
  })

  test('counts as never received for the parts found in it', () => {
    expect(knownOf([FIRST], 'A', lost('first.zip'))).toMatchObject({
      isLost: true,
      everFound: false,
      date: undefined,
      at: undefined,
    })
  })

  test('counts for those that it did not find', () => {
    expect(knownOf([FIRST], 'B', lost('first.zip'))).toMatchObject({ isLost: false, date: daysAgo(20) })
  })

  test('counts for none of its parts where it holds anything else', () => {
    const others = { ...FIRST, others: 1 }
    expect(knownOf([others], 'A', lost('first.zip')).isLost).toBe(true)
    expect(knownOf([others], 'B', lost('first.zip'))).toMatchObject({ isLost: true, at: undefined })
  })

  test('counts for nothing without parts', () => {
    const whole = answerOf({ parts: [], archive: 'first.zip', found: [], others: 3 })
    expect(knownOf([whole], WHOLE, lost('first.zip'))).toMatchObject({ isLost: true, at: undefined })
  })

  test('leaves a gap that later answers with a start date do not close', () => {
    const third = answerOf({ parts: ['A', 'B'], at: daysAgo(1), start: startDateAfter(daysAgo(10)) })
    expect(knownOf([FIRST, NEXT, third], 'A', lost('next.zip'))).toMatchObject({
      isLost: true,
      date: daysAgo(20),
      everFound: true,
    })
    expect(knownOf([FIRST, NEXT, third], 'B', lost('next.zip'))).toMatchObject({
      isLost: false,
      date: daysAgo(1),
    })
  })

  test('is made up for by an answer without a start date, not by one with', () => {
    const dated = answerOf({ parts: ['A'], at: daysAgo(1), start: '2000-01-01', archive: 'third.zip' })
    expect(knownOf([FIRST, NEXT, dated], 'A', lost('next.zip')).isLost).toBe(true)
    const undated = answerOf({ parts: ['A'], at: daysAgo(1) })
    expect(knownOf([FIRST, NEXT, undated], 'A', lost('next.zip'))).toMatchObject({
      isLost: false,
      date: daysAgo(1),
    })
  })

  test('still named its parts', () => {
    expect(knownOf([FIRST], 'A', lost('first.zip')).listedAt).toBe(daysAgo(20))
  })

  test('without an archive there is nothing to lose', () => {
    expect(knownOf([answerOf({ parts: ['A'] })], 'A', { isLost: () => true }).isLost).toBe(false)
  })
})

describe('what is asked for', () => {
  const OPTIONS: WantedOptions = { nowMs: NOW, maxAgeMs: 0, full: false, fullAfterMs: 90 * DAY }
  const found = (at: number, more: Partial<Answer> = {}): Answer =>
    answerOf({ parts: ['A'], at, archive: `${at}.zip`, ...more })
  const notFound = (at: number, more: Partial<Answer> = {}): Answer => answerOf({ parts: ['A'], at, ...more })
  const since = (at: number) => ({ reason: 'since', start: startDateAfter(at), day: startDateAfter(at) })
  const undated = (at: number) => ({
    reason: 'without a date since',
    start: undefined,
    day: new Date(at).toISOString().slice(0, 10),
  })

  const reasonFor = (
    answers: readonly Answer[],
    options: Partial<WantedOptions> = {},
    replayed?: Parameters<typeof replay>[1],
  ): object => {
    const known = replay(answers, replayed).get(searchKey(SEARCH))
    const { ask, fresh } = wantedParts(['A'], known, { ...OPTIONS, ...options })
    expect(ask.length + fresh.length).toBe(1)
    return ask[0] ?? fresh[0]!
  }

  const gone = { isLost: () => true }
  const open = { openRun: 'run-1' }

  test.each<[string, readonly Answer[], Partial<WantedOptions>, Parameters<typeof replay>[1], object]>([
    ['never asked for', [], {}, {}, { reason: 'never asked', start: undefined }],
    [
      'asked for with a start date only',
      [found(daysAgo(1), { start: '2000-01-01' })],
      {},
      {},
      { reason: 'never asked', start: undefined },
    ],
    ['found a day ago', [found(daysAgo(1))], {}, {}, since(daysAgo(1))],
    ['found just now', [found(NOW)], {}, {}, since(NOW)],
    [
      'found by a service that is behind',
      [found(daysAgo(1), { date: daysAgo(1) - HOUR })],
      {},
      {},
      since(daysAgo(1) - HOUR),
    ],
    ['not found a day ago', [notFound(daysAgo(1))], {}, {}, since(daysAgo(1))],
    ['not found almost a week ago', [notFound(daysAgo(7) + 1)], {}, {}, since(daysAgo(7) + 1)],
    ['not found a week ago', [notFound(daysAgo(7))], {}, {}, { reason: 'never found', start: undefined }],
    [
      'found once, and no longer a week ago',
      [found(daysAgo(30)), notFound(daysAgo(8))],
      {},
      {},
      since(daysAgo(8)),
    ],
    ['found almost 90 days ago', [found(daysAgo(90) + 1)], {}, {}, since(daysAgo(90) + 1)],
    ['found 90 days ago', [found(daysAgo(90))], {}, {}, undated(daysAgo(90))],
    [
      'found 90 days ago, and asked for since',
      [found(daysAgo(90)), notFound(daysAgo(1), { start: startDateAfter(daysAgo(90)) })],
      {},
      {},
      undated(daysAgo(90)),
    ],
    [
      'found 10 days ago, with another limit',
      [found(daysAgo(10))],
      { fullAfterMs: 9 * DAY },
      {},
      undated(daysAgo(10)),
    ],
    [
      'not found 3 days ago, with a shorter limit',
      [notFound(daysAgo(3))],
      { fullAfterMs: 2 * DAY },
      {},
      { reason: 'never found', start: undefined },
    ],
    [
      'not found 8 days ago, with a longer limit',
      [notFound(daysAgo(8))],
      { fullAfterMs: 900 * DAY },
      {},
      { reason: 'never found', start: undefined },
    ],
    [
      'answered without a date',
      [found(daysAgo(1), { date: undefined })],
      {},
      {},
      { reason: 'no date from the service', start: undefined },
    ],
    [
      'answered without a date, and then with one',
      [found(daysAgo(2), { date: undefined }), notFound(daysAgo(1), { start: '2000-01-01' })],
      {},
      {},
      { reason: 'no date from the service', start: undefined },
    ],
    [
      'in an archive that is gone',
      [found(daysAgo(1))],
      {},
      gone,
      { reason: 'archive gone', start: undefined },
    ],
    [
      'in an archive that is gone, just now',
      [found(NOW)],
      { maxAgeMs: DAY },
      { ...gone, ...open },
      { reason: 'archive gone', start: undefined },
    ],
    [
      'in an archive that is gone, and answered before it just now',
      [found(NOW, { archive: 'whole.zip' }), found(NOW, { archive: 'gone.zip' })],
      { maxAgeMs: DAY },
      { isLost: ({ archive }) => archive === 'gone.zip', ...open },
      { reason: 'archive gone', start: undefined },
    ],
    ['asked for in full', [found(daysAgo(1))], { full: true }, {}, { reason: 'full', start: undefined }],
    // Clocks of machines that share a library may differ.
    ['answered by a clock ahead by a day', [found(NOW + DAY)], {}, {}, since(NOW + DAY)],
    ['answered by a clock ahead by more', [found(NOW + DAY + 1)], {}, {}, undated(NOW + DAY + 1)],
    [
      'not found by a clock ahead by more',
      [notFound(NOW + DAY + 1)],
      {},
      {},
      { reason: 'never found', start: undefined },
    ],
  ])('a part %s', (_title, answers, options, replayed, expected) => {
    expect(reasonFor(answers, options, replayed)).toEqual({ part: 'A', ...expected })
  })

  const dated = notFound(daysAgo(0.1), { start: startDateAfter(daysAgo(2)) })

  test.each<[string, readonly Answer[], Partial<WantedOptions>, Parameters<typeof replay>[1], string]>([
    ['within the maximum age', [found(NOW - HOUR)], { maxAgeMs: 2 * HOUR }, {}, 'fresh'],
    ['as long ago as the maximum age', [found(NOW - HOUR)], { maxAgeMs: HOUR }, {}, 'since'],
    ['by a clock that was set back', [found(NOW + 1)], { maxAgeMs: HOUR }, {}, 'fresh'],
    ['by a clock that was set back, with the age 0', [found(NOW + 1)], {}, {}, 'since'],
    ['by a clock that is wrong', [found(NOW + DAY + 1)], { maxAgeMs: HOUR }, {}, 'without a date since'],
    ['within the maximum age, not found', [notFound(NOW - HOUR)], { maxAgeMs: 2 * HOUR }, {}, 'fresh'],
    ['within the maximum age, with a start date', [found(daysAgo(2)), dated], { maxAgeMs: DAY }, {}, 'fresh'],
    ['the same, in full', [found(daysAgo(2)), dated], { maxAgeMs: DAY, full: true }, {}, 'full'],
    ['without a start date, in full', [found(NOW - HOUR)], { maxAgeMs: DAY, full: true }, {}, 'fresh'],
    ['in a run that was stopped', [found(NOW - 12 * HOUR + 1)], {}, open, 'resumed'],
    ['in a run that was stopped 12 hours ago', [found(NOW - 12 * HOUR)], {}, open, 'since'],
    ['in a run that has ended', [found(NOW - HOUR)], {}, {}, 'since'],
    ['in a run that was stopped, by a clock that was set back', [found(NOW + 1)], {}, open, 'resumed'],
    ['in a run that was stopped, in full', [found(NOW - HOUR)], { full: true }, open, 'resumed'],
    [
      'in a run that was stopped, with a start date, in full',
      [found(daysAgo(2)), dated],
      { full: true },
      open,
      'full',
    ],
    [
      'in a run that was stopped, after a gap',
      [found(daysAgo(9)), { ...dated, run: 'run-2' }],
      {},
      { openRun: 'run-2' },
      'since',
    ],
  ])('a part answered %s is %s', (_title, answers, options, replayed, reason) => {
    expect(reasonFor(answers, options, replayed)).toMatchObject({ part: 'A', reason })
  })

  test('without parts is the search itself', () => {
    expect(wantedParts([], undefined, OPTIONS).ask).toEqual([
      { part: WHOLE, start: undefined, reason: 'never asked' },
    ])
    const whole = answerOf({ parts: [], at: daysAgo(1), archive: 'x.zip', found: [], others: 1 })
    const known = replay([whole]).get(searchKey(SEARCH))
    expect(wantedParts([], known, OPTIONS).ask).toEqual([{ part: WHOLE, ...since(daysAgo(1)) }])
  })

  test('is each part once: those without a start date first, then by date, else in their order', () => {
    const known = replay([
      answerOf({ parts: ['D', 'B'], at: daysAgo(3) }),
      answerOf({ parts: ['C', 'A'], at: daysAgo(5) }),
      answerOf({ parts: ['F'], at: NOW }),
    ]).get(searchKey(SEARCH))
    const parts = ['A', 'E', 'B', 'F', 'A', 'C', 'D', 'G', 'E']
    const { ask, fresh } = wantedParts(parts, known, { ...OPTIONS, maxAgeMs: DAY })
    expect(ask.map(({ part }) => part)).toEqual(['E', 'G', 'A', 'C', 'B', 'D'])
    expect(fresh).toEqual([{ part: 'F', reason: 'fresh' }])
  })
})

describe('a response that was begun', () => {
  const WANTED = new Map([
    ['A', undefined],
    ['B', '2026-03-05'],
    ['C', '2026-03-08'],
  ])

  test.each([
    ['without a start date, for wanted parts', ['A', 'B', 'C'], undefined, true],
    ['for a part that is not wanted', ['A', 'D'], undefined, false],
    ['from the start date on', ['B'], '2026-03-05', true],
    ['from an earlier date on', ['B', 'C'], '2026-03-04', true],
    ['from a later date on than one needs', ['B', 'C'], '2026-03-08', false],
    ['with a start date, for a part that is wanted without', ['A'], '2000-01-01', false],
    ['for the search itself', [], undefined, false],
  ])('%s (%j, since %s) is continued: %s', (_title, parts, start, expected) => {
    expect(mayContinue({ parts, start }, WANTED)).toBe(expected)
  })

  test('for the search itself is continued when that is wanted', () => {
    expect(mayContinue({ parts: [], start: '2026-03-01' }, new Map([[WHOLE, '2026-03-01']]))).toBe(true)
    expect(mayContinue({ parts: [], start: '2026-03-01' }, new Map([[WHOLE, undefined]]))).toBe(false)
  })
})
