import { createProductScanner, type ProductId } from '../declaration/product-ids.ts'
import { markRequested } from '../declaration/requested-products.ts'

/** Finds the ProductIDs of an XML file while it is unpacked. */
export interface EntryScan {
  readonly push: (chunk: Buffer) => void
  /** The ProductIDs; `unpackAgain` gives the whole file, for one that may ask for declarations. */
  readonly end: (unpackAgain: () => AsyncIterable<Buffer> | Iterable<Buffer>) => Promise<readonly ProductId[]>
}

export function createEntryScan(): EntryScan {
  const { push, end, mayBeRequest } = createProductScanner()
  return {
    push,
    end: async (unpackAgain) => {
      const ids = end()
      return ids.length > 0 && mayBeRequest() ? await markRequested(ids, unpackAgain()) : ids
    },
  }
}
