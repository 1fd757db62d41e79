type Rows = readonly (readonly [path: string, type: string, meaning: string])[]

/** An entry of an archive. */
export const ENTRY: Rows = [
  ['name', 'text', 'as it stands in the archive'],
  ['folder', 'true or false', 'an entry that is a folder'],
  ['bytes', 'integer', 'unpacked'],
  ['packedBytes', 'integer', 'in the archive'],
  ['modified', 'time or null', 'the date of the entry, null where it has none'],
  ['crc32', 'text', 'eight hexadecimal digits'],
  ['method', 'text', '`stored` or `deflate`'],
]

/** What was unpacked. */
export const EXTRACTED: Rows = [
  ['path', 'text', 'the folder'],
  ['files', 'integer', 'files written'],
  ['bytes', 'integer', 'bytes written'],
]
