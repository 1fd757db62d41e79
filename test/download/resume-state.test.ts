import { describe, expect, test } from 'vitest'
import { createResumeState } from '../../src/download/resume-state.ts'

const KEPT = { bytes: 500, etag: '"a"', total: 1_000, status: 200, serverDateMs: 7 }
const at = (start: number) => ({ start, etag: '"a"', total: 1_000 })

describe('the point to resume from', () => {
  test('is that of an earlier run, until the service has responded', () => {
    const resume = createResumeState(KEPT)
    expect(resume.begin()).toEqual(at(500))
    resume.used()
    expect(resume.begin()).toBeUndefined()
  })

  test('stays after a refusal', () => {
    const resume = createResumeState(KEPT)
    const point = resume.begin()
    resume.used()
    resume.putBack(point)
    expect(resume.begin()).toEqual(at(500))
  })

  test('is where the attempt broke off', () => {
    const resume = createResumeState(undefined)
    expect(resume.begin()).toBeUndefined()
    resume.brokeOff(at(300))
    expect(resume.begin()).toEqual(at(300))
  })
})

describe('an attempt counts as fruitless', () => {
  test('unless it received bytes that no attempt had', () => {
    const resume = createResumeState(undefined)
    const counts = [300, 300, 200, 400].map((start) => {
      resume.begin()
      resume.brokeOff(at(start))
      return resume.fruitless()
    })
    expect(counts).toEqual([0, 1, 1, 0])
  })

  test('twice when it receives again what attempts before it had received', () => {
    const resume = createResumeState(undefined)
    resume.begin()
    resume.brokeOff(at(300))
    resume.begin()
    resume.startedOver()
    expect(resume.fruitless()).toBe(2)
  })
})

test('an archive that was put together and is damaged is not resumed again', () => {
  const resume = createResumeState(undefined)
  resume.damaged()
  expect(resume.mayResume()).toBe(true)
  resume.continued()
  resume.damaged()
  expect(resume.mayResume()).toBe(false)
})

test('the date of the first response counts until the transfer starts over', () => {
  const resume = createResumeState(KEPT)
  expect(resume.keptDateMs()).toBe(7)
  resume.startedOver()
  expect(resume.keptDateMs()).toBeUndefined()
  expect(resume.wasResumed()).toBe(false)
})
