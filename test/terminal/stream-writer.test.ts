import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { ReaderGone, streamWriter } from '../../src/terminal/stream-writer.ts'

const never = new AbortController().signal

function failing(code: string | undefined): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) =>
      done(Object.assign(new Error('write'), code === undefined ? {} : { code })),
  })
}

describe('streamWriter', () => {
  test('resolves when the stream took the chunk', async () => {
    const taken: string[] = []
    const stream = new Writable({
      write(chunk, _encoding, done) {
        taken.push(String(chunk))
        done()
      },
    })
    const write = streamWriter(stream, never)
    await write('a')
    await write(Buffer.from('b'))
    expect(taken).toEqual(['a', 'b'])
  })

  test.each(['EPIPE', 'ERR_STREAM_DESTROYED'])('%s means that the reader is gone', async (code) => {
    await expect(streamWriter(failing(code), never)('x')).rejects.toBeInstanceOf(ReaderGone)
  })

  test('writes nothing more once the reader is gone', async () => {
    const stream = failing('EPIPE')
    const write = streamWriter(stream, never)
    await expect(write('x')).rejects.toBeInstanceOf(ReaderGone)
    await expect(write('y')).rejects.toBeInstanceOf(ReaderGone)
    expect(stream.writableLength).toBe(0)
  })

  test.each([
    ['ENOSPC', 'ENOSPC', 'its disk is full'],
    ['EIO', 'EIO', 'check where standard output goes'],
    [undefined, 'unknown', 'check where standard output goes'],
  ])('%s is an io failure', async (code, shown, hint) => {
    await expect(streamWriter(failing(code), never)('x')).rejects.toMatchObject({
      kind: 'io',
      message: `cannot write to standard output (${shown})`,
      hint,
    })
  })

  test('a stopped run does not wait for a reader that does not read, nor print behind what that has not taken', async () => {
    const stop = new AbortController()
    const reason = new Error('stopped')
    const taken: string[] = []
    let free = (): void => undefined
    const stream = new Writable({
      write(chunk, _encoding, done) {
        taken.push(String(chunk))
        free = done
      },
    })
    const write = streamWriter(stream, stop.signal)
    const first = write('a')
    stop.abort(reason)
    await expect(first).rejects.toBe(reason)
    await expect(write('b')).rejects.toBe(reason)
    free()
    const last = write('c')
    free()
    await last
    expect(taken).toEqual(['a', 'c'])
  })
})
