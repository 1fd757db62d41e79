/** Bytes of a file by position: what the structure of an archive is read through. */
export interface ByteReader {
  /** Length of the file in bytes. */
  readonly size: number
  /** Exactly `length` bytes from `offset`, or an error; never fewer. In the beginning of `into`, else in a buffer of the caller's own. */
  readonly read: (offset: number, length: number, into?: Buffer) => Promise<Buffer>
  /** The same at once, for many small reads: one that waits costs ten times the read itself. */
  readonly readNow: (offset: number, length: number, into?: Buffer) => Buffer
}
