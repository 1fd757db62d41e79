/** One entry of an archive whose name is safe to join to a folder. */
export interface ArchiveEntry {
  /** Relative path with `/` between components; a folder's ends with `/`. Show it through `escapeUnsafe`. */
  readonly name: string
  readonly isFolder: boolean
  /** Length unpacked, as declared; verification holds the data to it. */
  readonly bytes: number
  readonly packedBytes: number
  readonly crc32: number
  readonly method: 'stored' | 'deflate'
  /** Milliseconds since the epoch; from a DOS time it is read as UTC. Undefined when it is no date. */
  readonly modifiedMs: number | undefined
  /** Where the local header begins. */
  readonly headerOffset: number
  /** Where the packed data begins. */
  readonly dataOffset: number
  /** Where the entry ends, its data descriptor included. */
  readonly endOffset: number
}

/** Bits of the general purpose flag (APPNOTE 4.4.4). */
export const FLAG = {
  encrypted: 1 << 0,
  levels: 0b110,
  descriptor: 1 << 3,
  patch: 1 << 5,
  strongEncryption: 1 << 6,
  utf8: 1 << 11,
  maskedHeaders: 1 << 13,
  /** Any of those that no entry may have here. */
  unsupported: (1 << 0) | (1 << 5) | (1 << 6) | (1 << 13),
} as const

/** What a compression method is called. */
export function methodName(code: number): string {
  return METHODS[code] ?? `method ${code}`
}

const METHODS: Readonly<Record<number, string>> = {
  0: 'stored',
  1: 'shrink',
  6: 'implode',
  8: 'deflate',
  9: 'deflate64',
  12: 'bzip2',
  14: 'lzma',
  16: 'CMPSC',
  18: 'terse',
  19: 'LZ77',
  20: 'zstd (deprecated)',
  93: 'zstd',
  94: 'mp3',
  95: 'xz',
  96: 'jpeg',
  97: 'WavPack',
  98: 'PPMd',
  99: 'AES encryption',
}

/** The instant of a DOS date and time, read as UTC; undefined when they are no date. */
export function dosTimeMs(dosTime: number): number | undefined {
  const year = (dosTime >>> 25) + 1980
  const month = (dosTime >>> 21) & 15
  const day = (dosTime >>> 16) & 31
  const hour = (dosTime >>> 11) & 31
  const minute = (dosTime >>> 5) & 63
  const second = (dosTime & 31) * 2
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 58) return undefined
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
