import type { World } from '../base/world.ts'
import { openPrivateFile, type PrivateFile } from '../fs/private-file.ts'
import type { TableRow } from './list-table.ts'

/** Some fifty thousand rows. */
const MEMORY_BYTES = 4 * 1024 ** 2

/** The rows of a list, which are read more than once: the first in memory, those beyond in a private temporary file. */
export class RowSpool implements AsyncDisposable {
  readonly #world: Pick<World, 'disk' | 'host'>
  readonly #inMemory: Buffer[] = []
  readonly #onDisk: number[] = []
  #bytes = 0
  #file: PrivateFile | undefined

  constructor(world: Pick<World, 'disk' | 'host'>) {
    this.#world = world
  }

  async add(rows: readonly TableRow[]): Promise<void> {
    if (rows.length === 0) return
    const packed = Buffer.from(JSON.stringify(rows))
    this.#bytes += packed.length
    if (this.#bytes <= MEMORY_BYTES) {
      this.#inMemory.push(packed)
      return
    }
    this.#file ??= await openPrivateFile(this.#world)
    await this.#file.append(packed)
    this.#onDisk.push(packed.length)
  }

  /** All rows in the batches in which they were added. */
  async *batches(): AsyncGenerator<readonly TableRow[]> {
    for (const packed of this.#inMemory) yield JSON.parse(packed.toString())
    let position = 0
    for (const length of this.#onDisk) {
      yield JSON.parse((await this.#file!.read(position, length)).toString())
      position += length
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.[Symbol.asyncDispose]()
  }
}
