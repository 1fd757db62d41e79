declare module 'zip-stream' {
  import type { Transform } from 'node:stream'

  /** The part of zip-stream that is used. The package has no types. */
  export default class ZipStream extends Transform {
    constructor(options: { readonly store: true })
    /** Writes one entry; `done` is called when it was taken, before another may be added. Dates are written in UTC. */
    entry(
      source: Buffer,
      facts: { readonly name: string; readonly date: Date; readonly mode: number },
      done: (error: Error | null | undefined) => void,
    ): void
    /** Writes the directory and ends the stream. */
    finalize(): void
  }
}
