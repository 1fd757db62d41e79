import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { readSmallText } from '../../src/fs/text-file.ts'
import { testWorld, withFolder } from '../support/world.ts'

const world = testWorld()

describe('a request text', () => {
  test('is read from standard input', async () => {
    const stdin = Readable.from([Buffer.from('a'), 'b'])
    expect(await readSmallText(world, { stdin })).toEqual({ text: 'ab', isExposed: false })
  })

  test.each([
    ['none', 'none does not exist'],
    ['folder', 'folder is a directory'],
  ])('of a wrong path is a usage failure: %s', (name, message) =>
    withFolder(async (folder) => {
      await mkdir(join(folder, 'folder'))
      await expect(readSmallText(world, { path: name, absolute: join(folder, name) })).rejects.toMatchObject({
        kind: 'usage',
        message,
      })
    }),
  )
})
