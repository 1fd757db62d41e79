import type { ExtraField } from 'yauzl'

/** Ids of extra fields (APPNOTE 4.5). */
export const FIELD = { zip64: 0x0001, pkwareUnix: 0x000d, asiUnix: 0x756e, unicodePath: 0x7075 } as const

/** The data of the field with this id. */
export function fieldOf(fields: readonly ExtraField[], id: number): Buffer | undefined {
  return fields.find((field) => field.id === id)?.data
}

/** Why the extra fields of a header (`raw` are their bytes) are refused, or undefined. */
export function extraFieldProblem(fields: readonly ExtraField[], raw: Buffer): string | undefined {
  if (raw.length === 0) return undefined
  const used = fields.reduce((sum, { data }) => sum + 4 + data.length, 0)
  // Some writers align data with zeros.
  if (used < raw.length && raw.subarray(used).some((byte) => byte !== 0)) {
    return 'has an extra field that is cut off'
  }
  if (fields.filter(({ id }) => id === FIELD.zip64).length > 1) return 'has two ZIP64 fields'
  if (fields.filter(({ id }) => id === FIELD.unicodePath).length > 1) return 'has two Unicode path fields'
  // After twelve bytes of times and owners comes a link target or a device number.
  if ((fieldOf(fields, FIELD.pkwareUnix)?.length ?? 0) > 12) {
    return 'is a link or a device (PKWARE UNIX field)'
  }
  const asi = fieldOf(fields, FIELD.asiUnix)
  const mode = asi !== undefined && asi.length >= 6 ? asi.readUInt16LE(4) : 0
  return isPlainMode(mode) ? undefined : 'is a link or a special file (ASi UNIX field)'
}

/** True for the UNIX mode of a file or a directory, or for none; false for links, devices, pipes and sockets. */
export function isPlainMode(mode: number): boolean {
  const type = mode & 0xf000
  return type === 0 || type === 0x8000 || type === 0x4000
}
