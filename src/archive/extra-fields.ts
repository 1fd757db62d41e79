/** What the extra fields of one header say that matters to a reader. */
export interface ExtraFields {
  /** The data of the ZIP64 field (0x0001), as absolute positions in the buffer. */
  readonly zip64?: { readonly start: number; readonly end: number }
  /** The data of the Info-ZIP Unicode path field (0x7075). */
  readonly unicodePath?: { readonly start: number; readonly end: number }
  /** Modification time in milliseconds since the epoch (Info-ZIP 0x5455 or NTFS 0x000a). */
  readonly modifiedMs?: number
  /** Why the fields can't be taken as they are. */
  readonly problem?: string
}

const NONE: ExtraFields = {}

/** Whether the extra fields in `bytes[start, end)` are whole and none of them changes what the header says. */
export function areExtraFieldsHarmless(bytes: Buffer, start: number, end: number): boolean {
  let position = start
  while (end - position >= 4) {
    const id = bytes.readUInt16LE(position)
    if (id === 0x0001 || id === 0x7075 || id === 0x000d || id === 0x756e) return false
    position += 4 + bytes.readUInt16LE(position + 2)
  }
  return position === end
}

/** Reads the extra fields in `bytes[start, end)` (APPNOTE 4.5); a field that reaches beyond them is a problem. */
export function readExtraFields(bytes: Buffer, start: number, end: number): ExtraFields {
  if (start === end) return NONE
  const found: { -readonly [Key in keyof ExtraFields]: ExtraFields[Key] } = {}
  let position = start
  while (end - position >= 4) {
    const id = bytes.readUInt16LE(position)
    const dataStart = position + 4
    const dataEnd = dataStart + bytes.readUInt16LE(position + 2)
    if (dataEnd > end) return { problem: 'has an extra field that is cut off' }
    if (id === 0x0001) {
      if (found.zip64 !== undefined) return { problem: 'has two ZIP64 fields' }
      found.zip64 = { start: dataStart, end: dataEnd }
    } else if (id === 0x7075) {
      if (found.unicodePath !== undefined) return { problem: 'has two Unicode path fields' }
      found.unicodePath = { start: dataStart, end: dataEnd }
    } else if (id === 0x5455) {
      // Flags, then the modification time in seconds when bit 0 is set.
      if (dataEnd - dataStart >= 5 && (bytes[dataStart]! & 1) === 1) {
        found.modifiedMs = bytes.readInt32LE(dataStart + 1) * 1000
      }
    } else if (id === 0x000a) {
      const modifiedMs = ntfsTime(bytes, dataStart, dataEnd)
      if (modifiedMs !== undefined) found.modifiedMs ??= modifiedMs
    } else if (id === 0x000d) {
      // PKWARE UNIX: what follows the twelve bytes of times and owners is a link's target or a device's number.
      if (dataEnd - dataStart > 12) return { problem: 'is a link or a device (PKWARE UNIX field)' }
    } else if (id === 0x756e) {
      const mode = dataEnd - dataStart >= 6 ? bytes.readUInt16LE(dataStart + 4) : 0
      if (!isPlainMode(mode)) return { problem: 'is a link or a special file (ASi UNIX field)' }
    }
    position = dataEnd
  }
  // Some writers pad with zeros to align what follows.
  for (; position < end; position += 1) {
    if (bytes[position] !== 0) return { problem: 'has an extra field that is cut off' }
  }
  return found
}

/** True for the UNIX mode of a file or a folder, or of nothing at all; false for links, devices, pipes and sockets. */
export function isPlainMode(mode: number): boolean {
  const type = mode & 0xf000
  return type === 0 || type === 0x8000 || type === 0x4000
}

// NTFS field: four reserved bytes, then tagged attributes; tag 1 holds three times in 100 ns since 1601.
function ntfsTime(bytes: Buffer, start: number, end: number): number | undefined {
  let position = start + 4
  while (end - position >= 4) {
    const tag = bytes.readUInt16LE(position)
    const size = bytes.readUInt16LE(position + 2)
    if (tag === 1 && size >= 8 && position + 12 <= end) {
      const ticks = bytes.readBigUInt64LE(position + 4)
      return Number(ticks / 10_000n) - 11_644_473_600_000
    }
    position += 4 + size
  }
  return undefined
}
