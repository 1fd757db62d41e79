import { createHash } from 'node:crypto'
import { appendFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { WorkerName } from '../../src/base/world.ts'
import { FileHash, type HashTask, hashFile } from '../../src/fs/file-hash.ts'
import { testWorld, withFolder } from '../support/world.ts'

const MIB = 1024 ** 2

describe('the hash of a file while it is written', () => {
  test('starts no thread for a small one', async () => {
    await withHash(async ({ hash, started, path }) => {
      const content = Buffer.alloc(7 * MIB, 1)
      await writeFile(path, content)
      hash.expect(content.length)
      hash.take(content)
      hash.written(content.length)
      expect(await hash.finish()).toBe(sha256(content))
      expect(started).toEqual([])
    })
  })

  test('moves to a thread when the file is large, or announced so', async () => {
    for (const announced of [true, false]) {
      await withHash(async ({ hash, started, path }) => {
        const pieces = Array.from({ length: 12 }, (_, at) => Buffer.alloc(MIB, at))
        if (announced) hash.expect(12 * MIB)
        let onFile = 0
        for (const piece of pieces) {
          await appendFile(path, piece)
          onFile += piece.length
          hash.take(piece)
          hash.written(onFile)
        }
        expect(await hash.finish()).toBe(sha256(Buffer.concat(pieces)))
        expect(started).toEqual(['hash-worker'])
      })
    }
  })

  test('starts no thread where there is one core', async () => {
    await withHash(async ({ hash, started, path }) => {
      const content = Buffer.alloc(10 * MIB, 1)
      await writeFile(path, content)
      hash.expect(content.length)
      hash.take(content)
      hash.written(content.length)
      expect(await hash.finish()).toBe(sha256(content))
      expect(
        await hashFile({ ...testWorld(), host: { ...testWorld().host, cores: 1 } }, path, content.length),
      ).toBe(sha256(content))
      expect(started).toEqual([])
    }, 1)
  })

  test('waits for bytes that are not yet written', async () => {
    await withHash(async ({ hash, path, feeds }) => {
      const content = Buffer.alloc(20 * MIB, 3)
      hash.expect(content.length)
      hash.take(content)
      await writeFile(path, content.subarray(0, MIB))
      hash.written(MIB)
      // The number of threads that wait for more.
      while (Atomics.notify(feeds[0]!.counters, 2) === 0) await immediate()
      await appendFile(path, content.subarray(MIB))
      hash.written(content.length)
      expect(await hash.finish()).toBe(sha256(content))
    })
  })

  test('starts over with the file', async () => {
    await withHash(async ({ hash, path, started }) => {
      await writeFile(path, Buffer.alloc(10 * MIB, 1))
      hash.take(Buffer.alloc(10 * MIB, 1))
      hash.written(10 * MIB)
      hash.restart()
      await truncate(path, 0)
      const content = Buffer.alloc(9 * MIB, 2)
      await writeFile(path, content)
      hash.take(content)
      hash.written(content.length)
      expect(await hash.finish()).toBe(sha256(content))
      expect(started.length).toBe(2)
      hash.restart()
      hash.take(Buffer.from('small'))
      expect(await hash.finish()).toBe(sha256(Buffer.from('small')))
    })
  })

  test('fails as io when the file cannot be read back', async () => {
    await withHash(async ({ hash, path }) => {
      hash.expect(10 * MIB)
      hash.written(10 * MIB)
      await expect(hash.finish()).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringContaining(`cannot read ${path}`),
      })
    })
  })

  test('fails as io when the file is shorter than announced', async () => {
    await withHash(async ({ hash, path }) => {
      await writeFile(path, Buffer.alloc(MIB))
      hash.expect(10 * MIB)
      hash.written(10 * MIB)
      await expect(hash.finish()).rejects.toMatchObject({ kind: 'io' })
    })
  })

  test('ends its thread when it is abandoned', async () => {
    await withHash(async ({ hash, path, exits }) => {
      await writeFile(path, Buffer.alloc(MIB))
      hash.expect(10 * MIB)
      hash.written(MIB)
      hash.abandon()
      hash.abandon()
      expect(await Promise.all(exits)).toHaveLength(1)
    })
  })
})

async function withHash(
  body: (given: {
    readonly hash: FileHash
    readonly path: string
    readonly started: WorkerName[]
    readonly feeds: HashTask[]
    readonly exits: Promise<unknown>[]
  }) => Promise<void>,
  cores = 2,
): Promise<void> {
  await withFolder(async (folder) => {
    const world = testWorld()
    const started: WorkerName[] = []
    const feeds: HashTask[] = []
    const exits: Promise<unknown>[] = []
    const path = join(folder, '.draft')
    const hash = new FileHash(
      {
        host: { ...world.host, cores },
        startWorker: (name) => {
          started.push(name)
          const worker = world.startWorker(name)
          const send = worker.postMessage.bind(worker)
          worker.postMessage = (order: { task?: HashTask }) => {
            if (order.task) feeds.push(order.task)
            send(order)
          }
          exits.push(new Promise((resolve) => worker.once('exit', resolve)))
          return worker
        },
      },
      path,
    )
    try {
      await body({ hash, path, started, feeds, exits })
    } finally {
      hash.abandon()
      await Promise.all(exits)
    }
  })
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

test.each([0, 3, 9 * MIB])('the hash of a finished file of %i bytes', (bytes) =>
  withFolder(async (folder) => {
    const content = Buffer.alloc(bytes, 7)
    await writeFile(join(folder, 'file'), content)
    expect(await hashFile(testWorld(), join(folder, 'file'), bytes)).toBe(sha256(content))
  }),
)
