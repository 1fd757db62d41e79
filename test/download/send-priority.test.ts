import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSendPriority } from '../../src/download/send-priority.ts'

async function isIdle(priority: ReturnType<typeof createSendPriority>): Promise<boolean> {
  let clear = false
  void priority.idle().then(() => {
    clear = true
  })
  await turn()
  return clear
}

test('verification waits for every request that is about to be sent', async () => {
  const priority = createSendPriority()
  const [first, second] = [{}, {}]
  expect(await isIdle(priority)).toBe(true)
  priority.begin(first)
  priority.begin(second)
  const idle = priority.idle()
  priority.end(first)
  expect(await isIdle(priority)).toBe(false)
  priority.end(second)
  await idle
})

test('verification does not wait for the rate limit', async () => {
  const priority = createSendPriority()
  const [held, behind] = [{}, {}]
  priority.begin(held)
  const idle = priority.idle()
  priority.held()
  await idle
  priority.begin(behind)
  expect(await isIdle(priority)).toBe(true)
  priority.end(held)
  expect(await isIdle(priority)).toBe(false)
})

test('a request that ends twice does not end the wait for the rate limit', async () => {
  const priority = createSendPriority()
  const [sent, held] = [{}, {}]
  priority.begin(sent)
  priority.end(sent)
  priority.begin(held)
  priority.held()
  priority.end(sent)
  expect(await isIdle(priority)).toBe(true)
})
