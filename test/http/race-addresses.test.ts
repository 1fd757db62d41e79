import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { race } from '../../src/http/race-addresses.ts'
import { createFakeClock } from '../support/world.ts'

interface Address {
  readonly connect: () => void
  readonly fail: (code: string) => void
  isGivenUp: boolean
}

/** A race to these addresses; each name is also its socket. */
function racing(...names: readonly string[]) {
  const clock = createFakeClock()
  const opened: Record<string, Address> = {}
  const socket = race(
    names,
    (name) => {
      const connected = new Promise<Socket>((resolve, reject) => {
        opened[name] = {
          connect: () => resolve(name as unknown as Socket),
          fail: (code) => reject(Object.assign(new Error(code), { code })),
          isGivenUp: false,
        }
      })
      const giveUp = (): void => {
        opened[name]!.isGivenUp = true
      }
      return { connected, giveUp }
    },
    clock,
  )
  return { clock, opened, socket }
}

test('a dead address does not hold up the next, and an address far away has time to answer', async () => {
  const { clock, opened, socket } = racing('dead', 'far')
  expect(Object.keys(opened)).toEqual(['dead'])
  clock.advance(250)
  expect(Object.keys(opened)).toEqual(['dead', 'far'])
  clock.advance(9_000)
  opened.far!.connect()
  await expect(socket).resolves.toBe('far')
  expect([opened.dead!.isGivenUp, opened.far!.isGivenUp]).toEqual([true, false])
})

test('the first address may still win after the second has started', async () => {
  const { clock, opened, socket } = racing('far', 'dead', 'other')
  clock.advance(300)
  opened.far!.connect()
  await expect(socket).resolves.toBe('far')
  expect(opened.dead!.isGivenUp).toBe(true)
  clock.advance(10_000)
  expect(Object.keys(opened)).toEqual(['far', 'dead'])
})

test('an address that fails is followed at once', async () => {
  const { opened, socket } = racing('refused', 'other')
  opened.refused!.fail('ECONNREFUSED')
  await expect.poll(() => Object.keys(opened)).toEqual(['refused', 'other'])
  opened.other!.connect()
  await expect(socket).resolves.toBe('other')
})

test('when all fail, an error that is not about the route comes first', async () => {
  const { opened, socket } = racing('v6', 'v4')
  opened.v6!.fail('ENETUNREACH')
  await expect.poll(() => Object.keys(opened)).toEqual(['v6', 'v4'])
  opened.v4!.fail('ECONNREFUSED')
  const { errors } = await socket.then(
    () => expect.unreachable(),
    (error: AggregateError) => error,
  )
  expect(errors.map(({ code }) => code)).toEqual(['ECONNREFUSED', 'ENETUNREACH'])
})
