import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDepartures } from '../../src/download/departures.ts'

async function isClear(departures: ReturnType<typeof createDepartures>): Promise<boolean> {
  let clear = false
  void departures.clear().then(() => {
    clear = true
  })
  await turn()
  return clear
}

test('verification waits for every request that is about to be sent', async () => {
  const departures = createDepartures()
  const [first, second] = [{}, {}]
  expect(await isClear(departures)).toBe(true)
  departures.begin(first)
  departures.begin(second)
  const clear = departures.clear()
  departures.gone(first)
  expect(await isClear(departures)).toBe(false)
  departures.gone(second)
  await clear
})

test('verification does not wait for the rate limit', async () => {
  const departures = createDepartures()
  const [held, behind] = [{}, {}]
  departures.begin(held)
  const clear = departures.clear()
  departures.held()
  await clear
  departures.begin(behind)
  expect(await isClear(departures)).toBe(true)
  departures.gone(held)
  expect(await isClear(departures)).toBe(false)
})

test('a request that is gone twice does not end the wait for the rate limit', async () => {
  const departures = createDepartures()
  const [sent, held] = [{}, {}]
  departures.begin(sent)
  departures.gone(sent)
  departures.begin(held)
  departures.held()
  departures.gone(sent)
  expect(await isClear(departures)).toBe(true)
})
