const BLOCK_BYTES = 64 * 1024

/** Joins small pieces to blocks: each as a buffer of its own would take several times its size. */
export class Blocks {
  #full: Buffer[] = []
  #block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  #used = 0

  add(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) {
      const copied = piece.copy(this.#block, this.#used, at)
      at += copied
      this.#used += copied
      if (this.#used < BLOCK_BYTES) continue
      this.#full.push(this.#block)
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
      this.#used = 0
    }
  }

  /** The full blocks since the last call. */
  take(): readonly Buffer[] {
    const taken = this.#full
    this.#full = []
    return taken
  }

  /** What does not fill a block. */
  rest(): Buffer {
    return this.#block.subarray(0, this.#used)
  }
}
