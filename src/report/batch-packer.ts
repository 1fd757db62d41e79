import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { joinBatches, type ReadBatch, sizeOf } from './report-batch.ts'

/** Compresses batches, some hundred rows together. Those that wait for more are text already: objects that wait outlive their use. */
export interface BatchPacker {
  /** Adds a batch; returns a compressed piece when there are enough rows. */
  readonly add: (batch: ReadBatch) => Buffer | undefined
  /** The last piece; undefined when nothing waits. */
  readonly rest: () => Buffer | undefined
}

const PACK_ROWS = 500
const END = Buffer.from(']')

export function createBatchPacker(): BatchPacker {
  let texts: Buffer[] = []
  let rows = 0

  function rest(): Buffer | undefined {
    if (texts.length === 0) return undefined
    const piece = deflateRawSync(Buffer.concat([...texts, END]), { level: 1 })
    texts = []
    rows = 0
    return piece
  }

  return {
    add(batch) {
      texts.push(Buffer.from(`${texts.length === 0 ? '[' : ','}${JSON.stringify(batch)}`))
      rows += sizeOf(batch)
      return rows >= PACK_ROWS ? rest() : undefined
    },
    rest,
  }
}

/** All batches of a piece, as one. */
export function unpackBatches(piece: Buffer): ReadBatch {
  return joinBatches(JSON.parse(inflateRawSync(piece).toString('utf8')) as readonly ReadBatch[])
}
