import { createHash } from 'node:crypto'
import { chmod, readdir, readFile, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { ARCHIVE, fetching, sameArchive } from '../support/fetching.ts'
import { answer, head, type RawServer, rawServer } from '../support/raw-server.ts'
import { testWorld, withFolder } from '../support/world.ts'

const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)

describe('a disk that fails', () => {
  test('never costs a request when it fails at the start', async () => {
    for (const code of ['EACCES', 'EROFS', 'ENOSPC', 'ENAMETOOLONG', 'ENOENT']) {
      await withServer(async (server) => {
        const world = testWorld({ disk: failingDisk((call) => (call === 'open' ? code : undefined)) })
        const run = await fetching(server.url, { world })
        expect(run.failure).toMatchObject({ kind: 'io', exitCode: 9 })
        expect(server.requests).toEqual([])
        expect(run.files).toEqual([])
      })
    }
  })

  // Every call the good run makes, failed once with every error: the right side is blamed, nothing is left but a complete response.
  test('is blamed for what it does, at every call, and leaves a complete response or nothing', async () => {
    const watched = failingDisk(() => undefined)
    await withServer((server) => fetching(server.url, { world: testWorld({ disk: watched }) }))
    const counted = watched.calls.map((call, at) => ({
      call,
      count: watched.calls.slice(0, at + 1).filter((c) => c === call).length,
    }))
    expect(counted.length).toBeGreaterThan(5)
    for (const { call, count } of counted) {
      for (const code of ['ENOSPC', 'EIO', 'EACCES', 'ESTALE']) {
        await withServer(async (server) => {
          const bad = failingDisk((name, nth) => (name === call && nth === count ? code : undefined))
          const run = await fetching(server.url, { world: testWorld({ disk: bad }) })
          const where = `${call} ${count} ${code}`
          if (run.failure) {
            expect(run.failure.kind, where).toBe('io')
            expect(run.files, where).toEqual(run.kept > 0 ? ['body.zip'] : [])
            if (run.kept > 0) expect(run.bytes?.equals(ARCHIVE), where).toBe(true)
            expect(server.requests.length, where).toBeLessThanOrEqual(1)
          } else {
            expect(run.bytes?.equals(ARCHIVE), where).toBe(true)
          }
        })
      }
    }
  })

  test('is checked for free space before the body is received', async () => {
    const full = new Proxy(testWorld().disk, {
      get: (target, key) =>
        key === 'statfs' ? async () => ({ bavail: 1, bsize: 512 }) : Reflect.get(target, key),
    })
    await withServer(async (server) => {
      const run = await fetching(server.url, { world: testWorld({ disk: full }) })
      expect(run.failure?.kind).toBe('io')
      expect(run.failure?.message).toMatch(/not enough space in .*: needs 9\d\d B, 512 B free/)
      expect(run.files).toEqual([])
    })
  })

  test('that is slower than the network is waited for, and is no stall of the server', async () => {
    const big = Buffer.concat([ARCHIVE, Buffer.alloc(8_000_000)])
    const slow = new Proxy(testWorld().disk, {
      get: (target, key) =>
        key !== 'open'
          ? Reflect.get(target, key)
          : async (...args: Parameters<typeof target.open>) => {
              const handle = await target.open(...args)
              const writev = handle.writev.bind(handle)
              handle.writev = (async (buffers: readonly NodeJS.ArrayBufferView[], position?: number) => {
                await new Promise((resolve) => setTimeout(resolve, 150))
                return writev(buffers, position)
              }) as typeof handle.writev
              return handle
            },
    })
    const server = await rawServer((_, socket) => socket.write(answer(200, [], big)))
    const run = await fetching(server.url, {
      world: testWorld({ disk: slow }),
      stallTimeoutMs: 100,
      hasSocketTimeouts: true,
      retries: 0,
      verify: async () => 'unchecked',
    })
    expect(run.failure).toBeUndefined()
    expect(run.bytes?.equals(big)).toBe(true)
    await server.close()
  })
})

describe('a directory that cannot be written', () => {
  test.skipIf(process.getuid?.() === 0)('is reported before anything is sent', async () => {
    await withServer((server) =>
      withFolder(async (folder) => {
        await chmod(folder, 0o555)
        const run = await fetching(server.url, { folder })
        await chmod(folder, 0o755)
        expect(run.failure?.kind).toBe('io')
        expect(server.requests).toEqual([])
      }),
    )
  })

  test('a link at the draft’s path is not followed', async () => {
    await withServer((server) =>
      withFolder(async (folder) => {
        await writeFile(join(folder, 'precious'), 'precious')
        await symlink(join(folder, 'precious'), join(folder, 'body.zip'))
        const run = await fetching(server.url, { folder })
        expect(run.failure?.kind).toBe('io')
        expect(server.requests).toEqual([])
        expect(await readFile(join(folder, 'precious'), 'utf8')).toBe('precious')
        expect(await readdir(folder)).toEqual(['body.zip', 'precious'])
      }),
    )
  })
})

describe('the file on disk', () => {
  test('is what is verified: a bit that flips after the write is found, and the archive fetched again', async () => {
    await withServer(async (server) => {
      let times = 0
      const run = await fetching(server.url, {
        verify: async (path) => {
          times += 1
          if (times === 1) await writeFile(path, Buffer.from(ARCHIVE).fill('y', 100, 101))
          return sameArchive(path)
        },
      })
      expect(run.failure).toBeUndefined()
      expect(run.bytes?.equals(ARCHIVE)).toBe(true)
      expect(server.requests.length).toBe(2)
    })
  })

  test('that disappears while it is checked is downloaded once more, then fails with io', async () => {
    for (const always of [false, true]) {
      await withServer(async (server) => {
        let times = 0
        const run = await fetching(server.url, {
          retries: 5,
          verify: async (path) => {
            times += 1
            if (times === 1 || always) await unlink(path)
            return times === 1 || always ? 'gone' : sameArchive(path)
          },
        })
        expect(server.requests.length).toBe(2)
        if (always) {
          expect(run.failure).toMatchObject({
            kind: 'io',
            message: expect.stringMatching(/disappeared while it was being verified/),
          })
          expect(run.files).toEqual([])
        } else {
          expect(run.bytes?.equals(ARCHIVE)).toBe(true)
        }
      })
    }
  })

  test.each([1, 99, 100])('is verified when the system has a file for that: after %i times', (times) =>
    withServer(async (server) => {
      let tries = 0
      const run = await fetching(server.url, {
        verify: async () => {
          tries += 1
          if (tries > times) return 'verified'
          const cause = Object.assign(new Error('EMFILE'), { code: 'EMFILE' })
          throw new Failure('io', 'cannot be read: too many open files', { cause })
        },
      })
      expect(run.failure?.kind).toBe(times < 100 ? undefined : 'io')
      expect(tries).toBe(Math.min(100, times + 1))
      expect(server.requests.length).toBe(1)
    }),
  )

  test('that cannot be read back is a disk failure', async () => {
    await withServer(async (server) => {
      const run = await fetching(server.url, {
        verify: async (path) => {
          throw new Failure('io', `cannot read ${path}: the disk reports an error (EIO)`)
        },
      })
      expect(run.failure?.kind).toBe('io')
      expect(server.requests.length).toBe(1)
      // The next run verifies it, and needs no request.
      expect([run.files, run.kept]).toEqual([['body.zip'], ARCHIVE.length])
    })
  })

  test('is left with its hash, small or large, in one piece or several', async () => {
    const big = Buffer.concat([ARCHIVE, Buffer.alloc(20_000_000, 7)])
    for (const body of [ARCHIVE, big]) {
      for (const lines of [[], ['ETag: "x"', 'Accept-Ranges: bytes']]) {
        const server = await rawServer((request, socket) => {
          const start = Number(/bytes=(\d+)/.exec(request.headers.range ?? '')?.[1] ?? 0)
          const range = `Content-Range: bytes ${start}-${body.length - 1}/${body.length}`
          const status = request.headers.range ? 206 : 200
          const length = `Content-Length: ${body.length - start}`
          socket.write(head(status, [...lines, length, ...(status === 206 ? [range] : [])]))
          if (request.number === 1) socket.end(body.subarray(0, Math.floor(body.length / 2)))
          else socket.write(body.subarray(start))
        })
        const run = await fetching(server.url, { verify: async () => 'unchecked', stallTimeoutMs: 5_000 })
        expect(run.got).toMatchObject({
          archive: { bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') },
        })
        expect(server.requests.length).toBe(2)
        await server.close()
      }
    }
  })

  test('is gone when its check fails while it is still being hashed', async () => {
    const big = Buffer.concat([ARCHIVE, Buffer.alloc(30_000_000, 7)])
    const server = await rawServer((_, socket) => socket.write(answer(200, [], big)))
    const run = await fetching(server.url, { retries: 0, stallTimeoutMs: 5_000 })
    expect(run.failure?.kind).toBe('archive')
    expect(run.files).toEqual([])
    await server.close()
  })
})

describe('a stop', () => {
  const stopped = new Failure('interrupted', 'stopped', { exitCode: 130 })

  test.each([
    ['while waiting for the response', () => undefined],
    [
      'in the body',
      (socket: import('node:net').Socket) =>
        socket.write(Buffer.concat([Buffer.from(head(200, ['Content-Length: 5000'])), ARCHIVE])),
    ],
  ] as const)('%s ends the request at once with its own reason, and leaves nothing', async (_, serve) => {
    const stop = new AbortController()
    const server = await rawServer((_request, socket) => {
      if (serve(socket) === undefined) stop.abort(stopped)
    })
    const run = await fetching(server.url, {
      signal: stop.signal,
      onProgress: ({ phase }) => {
        if (phase === 'receiving') stop.abort(stopped)
      },
    })
    expect(run.failure).toBe(stopped)
    expect(server.requests.length).toBe(1)
    expect(run.files).toEqual([])
    await server.close()
  })

  test('while waiting to try again ends the wait', async () => {
    const stop = new AbortController()
    const world = testWorld()
    const clock = {
      ...world.clock,
      sleep: (_: number, signal?: AbortSignal) =>
        new Promise<void>((_resolve, reject) => {
          signal!.addEventListener('abort', () => reject(signal!.reason))
          stop.abort(stopped)
        }),
    }
    const server = await rawServer((_, socket) => socket.write(answer(503, [], '')))
    const run = await fetching(server.url, { world: testWorld({ clock }), signal: stop.signal })
    expect(run.failure).toBe(stopped)
    expect(server.requests.length).toBe(1)
    expect(run.files).toEqual([])
    await server.close()
  })

  test('before the start sends nothing and makes no file', async () => {
    await withServer(async (server) => {
      const run = await fetching(server.url, { signal: AbortSignal.abort(stopped) })
      expect(run.failure).toBe(stopped)
      expect(server.requests).toEqual([])
      expect(run.files).toEqual([])
    })
  })

  test('while it is checked is the check’s own business, and what it throws comes out', async () => {
    await withServer(async (server) => {
      const run = await fetching(server.url, {
        verify: async () => {
          throw stopped
        },
      })
      expect(run.failure).toBe(stopped)
      expect([run.files, run.kept]).toEqual([['body.zip'], ARCHIVE.length])
    })
  })
})

async function withServer<T>(body: (server: RawServer) => Promise<T>): Promise<T> {
  const server = await rawServer((_, socket) => socket.write(WHOLE))
  try {
    return await body(server)
  } finally {
    await server.close()
  }
}
