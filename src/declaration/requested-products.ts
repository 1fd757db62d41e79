import { createXmlDecoder, XmlProblem } from '../base/xml.ts'
import { isRequest, statesOnlyMaterials } from '../compliance/declaration-head.ts'
import type { ProductId } from './product-ids.ts'
import { createDeclarationReader, NotADeclaration } from './read-declaration.ts'

/**
 * The ProductIDs found in a file, marked where the file asks for the declaration of the part and declares nothing about it. `pieces`
 * is the whole file; one that cannot be read marks none.
 */
export async function markRequested(
  ids: readonly ProductId[],
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<readonly ProductId[]> {
  const declared = new Set<string>()
  const reader = createDeclarationReader((product) => {
    if (!statesOnlyMaterials(product)) return
    for (const { itemNumber, requesterItemNumber } of product.ids) {
      declared.add(itemNumber).add(requesterItemNumber)
    }
  })
  const decoder = createXmlDecoder()
  try {
    for await (const piece of pieces) reader.write(decoder.write(piece))
    reader.write(decoder.end())
    reader.end()
  } catch (error) {
    if (error instanceof XmlProblem || error instanceof NotADeclaration) return ids
    throw error
  }
  if (!isRequest(reader.header())) return ids
  return ids.map((id) =>
    declared.has(id.itemNumber ?? id.requesterItemNumber ?? '') ? id : { ...id, isOnlyRequested: true },
  )
}
