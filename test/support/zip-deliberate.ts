import type { Finding } from './zip-findings.ts'

/** Rules by which we refuse what other readers read alike; `docs/decisions/zip-rules.md` gives their reasons. */
export const DELIBERATE_REFUSALS: Readonly<Record<string, RegExp>> = {
  'unsafe name': /: name (?:has|is|contains|starts|leaves) /,
  collision: /differs from .* only by case|: name occurs twice|is a (?:file|directory) here/,
  'unicode path': /Unicode path field/,
  kind: /by its attributes|is a device, a pipe or a socket|is a symbolic link|special file|link or a device/,
  'directory entry': /\/" at offset \d+: |is a directory that holds/,
  encryption: /is encrypted/,
  'several files': /is one part of an archive split|starts in (?:file \d|another file)/,
  'trailing bytes': /bytes? follows? the end record/,
  'leading bytes': /too many before the archive/,
  layout: /belong to no entry|overlaps "|reaches into the directory|before the first entry/,
  'end record': /two end records|second end record|counts \d+ entries here/,
  zip64: /ZIP64/,
  'local header': /: its local header /,
  'data descriptor': /has no data descriptor that agrees/,
}

/** Differences that are deliberate in archives that we accept, with the readers that have them. */
export const DELIBERATE_DIFFERENCES: Readonly<Record<string, readonly string[]>> = {
  'unflagged name': ['python3', 'bsdtar', 'unzip', '7zz'],
  'ASCII fallback': ['python3'],
  'Unicode path of the directory': ['bsdtar'],
  'DOS separator': ['python3', 'bsdtar', '7zz'],
  'newer version': ['unzip'],
  'DOS code page': ['unzip'],
  'no-break space': ['unzip'],
  'compression level': ['7zz'],
  'ZIP64 locator': ['unzip'],
  'mode 0xffff': ['bsdtar'],
  'East Asian name': ['python3', 'bsdtar', 'unzip', '7zz'],
  'spelling in the local header': ['python3', 'bsdtar', 'unzip', '7zz'],
  'masked sizes': ['bsdtar', '7zz'],
  'the directory itself': ['unzip'],
  'size of a directory': ['bsdtar', '7zz', 'unzip'],
}

/** The deliberate rule behind a finding; undefined when there is none, so it has to be looked at. */
export function ruleOf(finding: Finding): string | undefined {
  if (finding.kind === 'accepted, different elsewhere') return differenceOf(finding)
  const rules = finding.problems.map((problem) =>
    Object.keys(DELIBERATE_REFUSALS).find((rule) => DELIBERATE_REFUSALS[rule]!.test(problem)),
  )
  return rules.includes(undefined) ? undefined : rules[0]
}

function differenceOf({
  reader,
  own,
  theirs,
  bytes,
}: Extract<Finding, { kind: 'accepted, different elsewhere' }>): string | undefined {
  const is = (difference: string): boolean => DELIBERATE_DIFFERENCES[difference]!.includes(reader)
  const records = recordsOf(bytes)
  if (theirs === undefined) {
    if (is('newer version') && records.some(({ version }) => version > 46)) return 'newer version'
    if (is('compression level') && hasOtherLevels(bytes)) return 'compression level'
    if (is('ZIP64 locator') && countsNoFiles(bytes)) return 'ZIP64 locator'
    if (is('spelling in the local header') && records.some(isSpelledOtherwise))
      return 'spelling in the local header'
    if (is('masked sizes') && records.some(hasMaskedSizes)) return 'masked sizes'
    if (is('the directory itself') && records.some(({ name }) => name.toString('latin1') === '/'))
      return 'the directory itself'
    if (is('size of a directory') && records.some(hasDirectorySize)) return 'size of a directory'
    const hasNoBreakSpace = [...own.keys()].some((name) => name.includes('\xc2\xa0'))
    return is('no-break space') && hasNoBreakSpace ? 'no-break space' : undefined
  }
  if (isSameSet(own, theirs, (name) => name)) return undefined
  if (is('unflagged name') && isSameSet(own, theirs, asUnflagged)) return 'unflagged name'
  if (is('DOS separator') && [...theirs.keys()].some((name) => name.includes('\\'))) {
    // A directory whose name ends with a backslash is an empty file to them.
    const files = new Map(
      [...theirs]
        .filter(([name]) => !name.endsWith('\\'))
        .map(([name, hash]) => [name.replaceAll('\\', '/'), hash]),
    )
    if (isSameSet(own, files, asUnflagged)) return 'DOS separator'
  }
  const isNotAscii = [...own.keys()].some((name) => /[^\0-\x7f]/.test(name))
  const isFromDos = records.some(({ host }) => host === 0)
  if (is('DOS code page') && isFromDos && isNotAscii && isSameContents(own, theirs)) return 'DOS code page'
  const withUnicodePath = records.filter(({ extra }) => hasUnicodePath(extra))
  const isAsciiFallback = withUnicodePath.length > 0
  if (is('ASCII fallback') && isAsciiFallback && isSameContents(own, theirs)) return 'ASCII fallback'
  const isOfDirectory = withUnicodePath.some(({ offset }) => !hasUnicodePath(localExtra(bytes, offset)))
  if (is('Unicode path of the directory') && isOfDirectory && isSameContents(own, theirs))
    return 'Unicode path of the directory'
  const isEastAsian = records.some(({ name }) => /[^\0-\x7f]\\/.test(name.toString('latin1')))
  if (is('East Asian name') && isEastAsian && isSameContents(own, theirs)) return 'East Asian name'
  if (is('spelling in the local header') && records.some(isSpelledOtherwise) && isSameContents(own, theirs))
    return 'spelling in the local header'
  const hasNoMode = records.some(({ mode }) => mode === 0xffff)
  if (is('mode 0xffff') && hasNoMode && isSameNames(own, theirs)) return 'mode 0xffff'
  return undefined
}

type Files = ReadonlyMap<string, string>

function isSameSet(own: Files, theirs: Files, rename: (name: string) => string): boolean {
  return (
    own.size === theirs.size &&
    [...theirs].every(([name, hash]) => own.get(name) === hash || own.get(rename(name)) === hash)
  )
}

function isSameContents(own: Files, theirs: Files): boolean {
  return [...own.values()].toSorted().join() === [...theirs.values()].toSorted().join()
}

function isSameNames(own: Files, theirs: Files): boolean {
  const names = new Set([...theirs.keys()].map(asUnflagged))
  return own.size === theirs.size && [...own.keys()].every((name) => theirs.has(name) || names.has(name))
}

// Bytes 0x80 to 0xff of code page 437.
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

/**
 * A name that a reader left as it is, in code page 437, or read in that although it is UTF-8, as we read it. Names are bytes as latin1.
 */
function asUnflagged(name: string): string {
  const bytes = Buffer.from(name, 'latin1')
  const text = bytes.toString('utf8')
  if (text.includes('\ufffd')) {
    const decoded = [...bytes].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : CP437[byte - 0x80]))
    return Buffer.from(decoded.join('')).toString('latin1')
  }
  const raw = [...text].map((letter) =>
    letter < '\x80' ? letter.charCodeAt(0) : CP437.indexOf(letter) + 0x80,
  )
  return Buffer.from(raw).toString('latin1')
}

// Bits 1 and 2 of the flags.
function hasOtherLevels(bytes: Buffer): boolean {
  return recordsOf(bytes).some(
    ({ flags, offset }) => offset + 8 <= bytes.length && ((flags ^ bytes.readUInt16LE(offset + 6)) & 6) !== 0,
  )
}

function hasUnicodePath(extra: Buffer): boolean {
  return extra.includes('up', 0, 'latin1')
}

function localExtra(bytes: Buffer, offset: number): Buffer {
  if (offset + 30 > bytes.length) return Buffer.alloc(0)
  const start = offset + 30 + bytes.readUInt16LE(offset + 26)
  return bytes.subarray(start, start + bytes.readUInt16LE(offset + 28))
}

function countsNoFiles(bytes: Buffer): boolean {
  const at = bytes.indexOf('PK\x06\x07')
  return at !== -1 && bytes.readUInt32LE(at + 16) === 0
}

interface CentralRecord {
  readonly flags: number
  /** Of the local header. */
  readonly offset: number
  readonly version: number
  /** The system it was made on: 0 is DOS. */
  readonly host: number
  readonly mode: number
  readonly extra: Buffer
  readonly name: Buffer
  readonly bytes: number
  /** The local header and what follows. */
  readonly local: Buffer
}

const MAX_32 = 0xffffffff

function localName({ local }: CentralRecord): Buffer {
  return local.length < 30 ? Buffer.alloc(0) : local.subarray(30, 30 + local.readUInt16LE(26))
}

// Bit 11 of the flags marks a name as UTF-8.
function isSpelledOtherwise(record: CentralRecord): boolean {
  const { name, flags, local } = record
  return (
    local.length >= 30 && (((flags ^ local.readUInt16LE(6)) & 0x800) !== 0 || !localName(record).equals(name))
  )
}

function hasMaskedSizes({ local }: CentralRecord): boolean {
  return local.length >= 30 && local.readUInt32LE(18) === MAX_32 && local.readUInt32LE(22) === MAX_32
}

function hasDirectorySize({ name, bytes, local }: CentralRecord): boolean {
  return (
    [0x2f, 0x5c].includes(name.at(-1) ?? 0) &&
    (bytes !== 0 || (local.length >= 30 && local.readUInt32LE(22) !== 0))
  )
}

function recordsOf(bytes: Buffer): CentralRecord[] {
  const found: CentralRecord[] = []
  for (
    let at = bytes.indexOf('PK\x01\x02');
    at !== -1 && at + 46 <= bytes.length;
    at = bytes.indexOf('PK\x01\x02', at + 1)
  ) {
    const extraAt = at + 46 + bytes.readUInt16LE(at + 28)
    found.push({
      name: bytes.subarray(at + 46, extraAt),
      bytes: bytes.readUInt32LE(at + 24),
      local: bytes.subarray(bytes.readUInt32LE(at + 42)),
      host: bytes[at + 5]!,
      version: bytes[at + 6]!,
      flags: bytes.readUInt16LE(at + 8),
      offset: bytes.readUInt32LE(at + 42),
      mode: bytes.readUInt16LE(at + 40),
      extra: bytes.subarray(extraAt, extraAt + bytes.readUInt16LE(at + 30)),
    })
  }
  return found
}
