import { expect, test } from 'vitest'
import type { Progress } from '../../src/base/notice.ts'
import { JobProgress } from '../../src/download/job-progress.ts'

function job(done: number, total: number, doneBytes = 0) {
  const seen: Progress[] = []
  const progress = new JobProgress(
    { notice: () => undefined, progress: (one) => seen.push(one) },
    done,
    total,
    doneBytes,
  )
  return { progress, last: () => seen.at(-1) }
}

test('one request keeps its own bytes and phases', () => {
  const { progress, last } = job(0, 1)
  const ask = {}
  expect(progress.begin(ask)).toBe('request 1 of 1')
  expect(last()).toMatchObject({ phase: 'asking', requestsDone: 0, requestsTotal: 1 })
  progress.of(ask).progress({ phase: 'receiving', bytes: 5, totalBytes: 10 })
  expect(last()).toMatchObject({ phase: 'receiving', bytes: 5, totalBytes: 10 })
})

test('a resumed job counts what earlier runs received, and what they kept of a request', () => {
  const { progress, last } = job(1, 4, 1_000)
  const [one, two] = [{}, {}]
  progress.begin(one)
  expect(last()).toMatchObject({ bytes: 1_000, share: 0.25, requestsDone: 1 })
  progress.of(one).progress({ phase: 'asking', bytes: 300, totalBytes: 400 })
  expect(last()).toMatchObject({ phase: 'asking', bytes: 1_300, share: 1.75 / 4 })
  progress.begin(two)
  progress.of(one).progress({ phase: 'receiving', bytes: 400, totalBytes: 400 })
  // It is complete, and is verified when the others have been sent.
  expect(last()).toMatchObject({ phase: 'asking', bytes: 1_400, share: 0.5 })
  progress.end(one, true)
  expect(last()).toMatchObject({ phase: 'asking', bytes: 1_400, share: 0.5, requestsDone: 2 })
  progress.of(two).progress({ phase: 'receiving', bytes: 50 })
  progress.end(two, false)
  expect(last()).toMatchObject({ bytes: 1_400, share: 0.5, requestsDone: 2 })
})

test('says when the last request can start, by the rate of the run and by what the service says of its own', () => {
  const { progress, last } = job(10, 40)
  const one = {}
  progress.paced(1_000, 60)
  progress.begin(one)
  expect(last()).toMatchObject({ lastStartMs: 31_000 })
  progress.of(one).progress({ phase: 'receiving', bytes: 1 })
  progress.end(one, true)
  // Of 29 requests 9 may start now, 10 in 50 s, and 10 a minute later.
  progress.paced(2_000, 60, { limit: 10, remaining: 9, resetMs: 50_000 })
  progress.begin({})
  expect(last()).toMatchObject({ lastStartMs: 2_000 + 50_000 + 60_000 })
})

test('of several waits the first to end shows', () => {
  const { progress, last } = job(0, 3)
  const [one, two] = [{}, {}]
  const wait = { phase: 'waiting', reason: 'waiting for the rate limit' } as const
  progress.begin(one)
  progress.begin(two)
  progress.of(one).progress({ ...wait, waitUntilMs: 50 })
  progress.of(two).progress({ ...wait, waitUntilMs: 9 })
  expect(last()).toMatchObject({ phase: 'waiting', waitUntilMs: 9 })
})

test('a wait shows when nothing else is under way, and comes back when the others are done', () => {
  const { progress, last } = job(0, 3)
  const [one, two] = [{}, {}]
  const wait = { phase: 'waiting', waitUntilMs: 9, reason: 'rate limited', next: 'retrying' } as const
  progress.begin(one)
  progress.begin(two)
  progress.of(two).progress({ phase: 'receiving', bytes: 1 })
  progress.of(one).progress(wait)
  expect(last()).toMatchObject({ phase: 'receiving' })
  progress.end(two, true)
  expect(last()).toMatchObject({ ...wait, bytes: 1, requestsDone: 1, requestsTotal: 3 })
  // Another one waits for its turn behind it.
  const three = {}
  progress.begin(three)
  expect(last()).toMatchObject(wait)
  progress.of(three).progress({ phase: 'asking' })
  expect(last()).toMatchObject({ phase: 'asking' })
})

test('a request that is divided becomes one of several', () => {
  const { progress, last } = job(0, 1)
  const ask = {}
  progress.begin(ask)
  progress.end(ask, false)
  progress.remaining(2)
  expect(progress.begin({})).toBe('request 2 of 3')
  expect(last()).toMatchObject({ requestsDone: 0, requestsTotal: 2, share: 0 })
})
