import { describe, expect, test } from 'vitest'
import { ResourceStack } from '../../src/base/resource-stack.ts'

describe('ResourceStack', () => {
  test('releases the last resource first', async () => {
    const released: string[] = []
    {
      await using stack = new ResourceStack()
      stack.use({ [Symbol.asyncDispose]: async () => void released.push('async') })
      stack.use({ [Symbol.dispose]: () => void released.push('sync') })
      stack.defer(() => void released.push('deferred'))
    }
    expect(released).toEqual(['deferred', 'sync', 'async'])
  })

  test('releases nothing after it was moved', async () => {
    const released: string[] = []
    const stack = new ResourceStack()
    stack.defer(() => void released.push('one'))
    const moved = stack.move()
    await stack[Symbol.asyncDispose]()
    expect(released).toEqual([])
    await moved[Symbol.asyncDispose]()
    await moved[Symbol.asyncDispose]()
    expect(released).toEqual(['one'])
  })

  test('releases the rest after an error, and rejects with the first', async () => {
    const released: string[] = []
    const stack = new ResourceStack()
    stack.defer(() => void released.push('one'))
    stack.defer(() => {
      throw new Error('second')
    })
    stack.defer(() => Promise.reject(new Error('first')))
    await expect(stack[Symbol.asyncDispose]()).rejects.toThrow('first')
    expect(released).toEqual(['one'])
  })
})
