import { isAscii } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { crc32 } from 'node:zlib'
import type { Entry } from 'yauzl'
import { jsonText } from '../base/clean-text.ts'
import { portableNameProblem, windowsNameProblem } from '../fs/windows-names.ts'
import { FIELD, FLAG, fieldOf } from './entry.ts'

/** A name, with the `reason` when it is not safe to join to a directory. */
export interface EntryName {
  readonly name: string
  readonly isDirectory: boolean
  readonly reason?: string
}

/** The longest component on most file systems, in UTF-8 bytes. */
export const MAX_COMPONENT_BYTES = 255

/** Leaves room for the target directory below the 4,096 bytes of a path on Linux. */
const MAX_PATH_BYTES = 2048

const MAX_DEPTH = 128

/**
 * The relative path of a record, with `/` between components and at the end of a directory, or why it must not be written. A name that
 * readers could decode differently has a reason too.
 */
export function readEntryName(
  record: NameParts & Pick<Entry, 'externalFileAttributes'>,
  decodeOld: NameDecoder = decodeCp437,
): EntryName {
  // 7-Zip leaves the name of standard input empty, and marks it as a pipe; Info-ZIP calls it `-`.
  const isPipe = ((record.externalFileAttributes >>> 16) & 0xf000) === 0x1000
  if (record.fileNameRaw.length === 0 && isPipe) return { name: '-', isDirectory: false }
  const decoded = decodeName(record, decodeOld)
  const path = asPath(decoded.name, record)
  const isDirectory = path.endsWith('/')
  if (decoded.reason !== undefined) return { name: path, isDirectory: false, reason: decoded.reason }
  // bsdtar writes an entry for the packed directory itself.
  const reason = path === './' ? undefined : nameProblem(path)
  return reason === undefined ? { name: path, isDirectory } : { name: path, isDirectory, reason }
}

/** The fields of a central record that determine its name. */
type NameParts = Pick<Entry, 'fileNameRaw' | 'generalPurposeBitFlag' | 'extraFields' | 'versionMadeBy'>

/** Decodes names without the flag that are not UTF-8 either. */
export type NameDecoder = (bytes: Buffer) => string

/** The decoded name, before prefixes and separators are normalized. */
export function fullName(record: NameParts, decodeOld: NameDecoder = decodeCp437): string {
  return decodeName(record, decodeOld).name
}

/** True for a name whose bytes do not show how it is encoded. */
export function isOldName({
  fileNameRaw,
  generalPurposeBitFlag,
}: Pick<NameParts, 'fileNameRaw' | 'generalPurposeBitFlag'>): boolean {
  return (generalPurposeBitFlag & FLAG.utf8) === 0 && decodeUtf8(fileNameRaw) === undefined
}

/**
 * True when the name in a local header leads to the same path as that in the directory, each decoded by its own flag. Python, when it
 * appends to an archive, writes code page 437 as UTF-8 into the directory, and leaves the local header; IZArc writes `/` there, and
 * backslashes into the directory.
 */
export function isSamePath(
  record: NameParts,
  local: Pick<NameParts, 'fileNameRaw' | 'generalPurposeBitFlag'>,
  decodeOld: NameDecoder | undefined,
): boolean {
  const isSameFlag = ((record.generalPurposeBitFlag ^ local.generalPurposeBitFlag) & FLAG.utf8) === 0
  if (isSameFlag && local.fileNameRaw.equals(record.fileNameRaw)) return true
  const decoded = decodeName({ ...record, extraFields: [] }, decodeOld)
  const there = decodeName({ ...record, ...local, extraFields: [] }, decodeOld)
  if (decoded.reason !== undefined || there.reason !== undefined) return false
  const path = asPath(decoded.name, record)
  if (asPath(there.name, record) === path) return true
  const isFlagged = (local.generalPurposeBitFlag & FLAG.utf8) !== 0
  return !isFlagged && asPath(decodeCp437(local.fileNameRaw), record) === path
}

/** The same, with the reason when its bytes and its Unicode path field do not give one name. */
export function decodeName(
  record: NameParts,
  decodeOld: NameDecoder = decodeCp437,
): { readonly name: string; readonly reason?: string } {
  const raw = record.fileNameRaw
  const isFlagged = (record.generalPurposeBitFlag & FLAG.utf8) !== 0
  const utf8 = decodeUtf8(raw)
  if (utf8 === undefined && isFlagged) {
    return { name: raw.toString('latin1'), reason: 'name is marked as UTF-8 but is not' }
  }
  // Without the flag a name is in code page 437 (APPNOTE, appendix D), but many writers omit the flag.
  const own = utf8 ?? decodeOld(raw)
  const field = fieldOf(record.extraFields, FIELD.unicodePath)
  if (field === undefined) return { name: own }
  // A version, the checksum of the raw name, the name in UTF-8 (APPNOTE 4.6.9).
  if (field.length < 5 || field[0] !== 1) return { name: own, reason: 'Unicode path field is malformed' }
  if (field.readUInt32LE(1) !== crc32(raw)) {
    return { name: own, reason: 'Unicode path field belongs to another name' }
  }
  const name = decodeUtf8(field.subarray(5))
  if (name === undefined) return { name: own, reason: 'Unicode path field is not UTF-8' }
  const agrees = isFlagged && !ASCII.test(own) ? name === own : agreesInAscii(own, name)
  return agrees
    ? { name }
    : { name: own, reason: `Unicode path field gives it another name, ${jsonText(name)}` }
}

/** With `/` as separator, without `./` in front. */
function asPath(name: string, { versionMadeBy }: NameParts): string {
  const isDos = versionMadeBy >> 8 === 0
  const path = isDos && !name.includes('/') ? name.replaceAll('\\', '/') : name
  // Dropbox calls the packed directory itself `/`.
  if (path === '/') return './'
  return path === './' ? path : path.replace(/^(?:\.\/)+(?=.)/s, '')
}

const ASCII = /^[\0-\x7f]*$/

/**
 * Whether `fallback` can be `name` without Unicode: equal where `name` is ASCII, any placeholder (`_`, `?`, `%U00F6`) where it is not,
 * and with the same directories.
 */
function agreesInAscii(fallback: string, name: string): boolean {
  const [theirs, ours] = [fallback.split(/[/\\]/), name.split(/[/\\]/)]
  return theirs.length === ours.length && ours.every((part, index) => partAgrees(theirs[index]!, part))
}

function partAgrees(fallback: string, part: string): boolean {
  if (ASCII.test(part)) return fallback === part
  const runs = part.split(/[^\0-\x7f]+/)
  const [first, last] = [runs[0]!, runs.at(-1)!]
  if (!fallback.startsWith(first) || !fallback.endsWith(last)) return false
  let at = first.length
  for (const run of runs.slice(1, -1)) {
    // Two ASCII parts have at least one placeholder between them.
    const found = fallback.indexOf(run, at + 1)
    if (found === -1) return false
    at = found + run.length
  }
  return at < fallback.length - last.length
}

/** Why `name` (a directory's ends with `/`) must not be written below a directory, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (name === '' || name === '/') return 'name is empty'
  if (name.includes('\0')) return 'name contains a NUL character'
  if (CONTROL.test(name)) return 'name contains a control character'
  if (name.startsWith('//') || name.startsWith('\\\\')) return 'name is a UNC path'
  if (name.startsWith('/') || name.startsWith('\\')) return 'name is an absolute path'
  if (/^[a-z]:/i.test(name)) return 'name starts with a drive'
  const components = (name.endsWith('/') ? name.slice(0, -1) : name).split('/')
  for (const component of name.split(/[/\\]/)) {
    if (component === '..') return 'name leaves the directory with ".."'
  }
  if (name.includes('\\')) return 'name contains a backslash, which some tools take for a separator'
  for (const component of components) {
    const problem = componentProblem(component)
    if (problem !== undefined) return problem
  }
  if (components.length > MAX_DEPTH)
    return `name is ${components.length} directories deep, more than ${MAX_DEPTH}`
  const bytes = utf8Length(name)
  return bytes > MAX_PATH_BYTES ? `name is ${bytes} bytes long, more than ${MAX_PATH_BYTES}` : undefined
}

/** Why an entry of this name cannot be extracted on Windows, although it is ordinary elsewhere; undefined when it can. */
export function windowsEntryProblem(name: string): string | undefined {
  for (const component of name.split('/')) {
    const problem = windowsNameProblem(component)
    if (problem !== undefined) return `name ${problem}`
  }
  return undefined
}

/** True for what macOS adds to an archive or a directory beside the files: it declares nothing, whatever its name ends with. */
export function isMacMetadata(name: string): boolean {
  return /(?:^|\/)(?:__MACOSX\/|\._[^/]*$)/.test(name)
}

const CONTROL = /\p{Cc}/u

function componentProblem(component: string): string | undefined {
  if (component === '') return 'name has an empty component'
  if (component === '.') return 'name has the component "."'
  const problem = portableNameProblem(component)
  if (problem !== undefined)
    return problem.startsWith('ends') ? `name has a component that ${problem}` : `name ${problem}`
  if (component.length * 3 <= MAX_COMPONENT_BYTES) return undefined
  const bytes = utf8Length(component)
  return bytes > MAX_COMPONENT_BYTES
    ? `name has a component of ${bytes} bytes, more than ${MAX_COMPONENT_BYTES}`
    : undefined
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1')
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return undefined
  }
}

// The upper half of IBM code page 437.
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

function decodeCp437(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte < 0x80 ? String.fromCharCode(byte) : CP437[byte - 0x80]
  return text
}

/** An encoding of East Asia with characters of two bytes, of which the second may be that of a backslash. */
interface OldEncoding {
  readonly label: 'shift_jis' | 'gbk' | 'big5'
  readonly isLead: (byte: number) => boolean
  /** Of a lead byte: true for the characters that nearly all text consists of: it tells the encodings apart where names are valid in several. */
  readonly isCommon: (lead: number, trail: number) => boolean
}

const BACKSLASH = 0x5c

const OLD_ENCODINGS: readonly OldEncoding[] = [
  {
    label: 'shift_jis',
    isLead: (byte) => (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc),
    // Punctuation, kana, and the kanji of level 1.
    isCommon: (lead) => lead <= 0x83 || (lead >= 0x88 && lead <= 0x97),
  },
  {
    label: 'gbk',
    isLead: (byte) => byte >= 0x81 && byte <= 0xfe,
    // The hanzi of level 1 of GB 2312, and its punctuation.
    isCommon: (lead, trail) =>
      trail >= 0xa1 && ((lead >= 0xb0 && lead <= 0xd7) || (lead >= 0xa1 && lead <= 0xa3)),
  },
  {
    label: 'big5',
    isLead: (byte) => byte >= 0x81 && byte <= 0xfe,
    // Punctuation, and the hanzi of level 1.
    isCommon: (lead) => lead >= 0xa1 && lead <= 0xc6,
  },
]

/**
 * How the names of an archive that do not show it (`isOldName`) are decoded. Code page 437, unless all are valid in an encoding of East
 * Asia and one of them has a character that ends with the byte of a backslash: as code page 437, it would be a separator.
 */
export function oldNameDecoder(names: readonly Buffer[]): NameDecoder {
  if (!names.some((name) => name.includes(BACKSLASH))) return decodeCp437
  let best: { readonly decoder: TextDecoder; readonly share: number } | undefined
  for (const encoding of OLD_ENCODINGS) {
    const found = charactersOf(names, encoding)
    if (!found.hasBackslash || (best !== undefined && found.share <= best.share)) continue
    const decoder = new TextDecoder(encoding.label, { fatal: true })
    if (names.every((name) => isValid(name, decoder))) best = { decoder, share: found.share }
  }
  if (best === undefined) return decodeCp437
  const { decoder } = best
  // A local header may have a name in another encoding.
  return (bytes) => (isValid(bytes, decoder) ? decoder.decode(bytes) : decodeCp437(bytes))
}

/** The share of common characters among those beyond ASCII, and whether one of them ends with the byte of a backslash. */
function charactersOf(
  names: readonly Buffer[],
  { isLead, isCommon }: OldEncoding,
): { readonly share: number; readonly hasBackslash: boolean } {
  let [all, common, hasBackslash] = [0, 0, false]
  for (const name of names) {
    for (let at = 0; at < name.length; at += 1) {
      const lead = name[at]!
      if (lead < 0x80) continue
      all += 1
      if (!isLead(lead)) continue
      at += 1
      const trail = name[at] ?? 0
      if (isCommon(lead, trail)) common += 1
      if (trail === BACKSLASH) hasBackslash = true
    }
  }
  return { share: all === 0 ? 0 : common / all, hasBackslash }
}

function isValid(bytes: Buffer, decoder: TextDecoder): boolean {
  try {
    decoder.decode(bytes)
    return true
  } catch {
    return false
  }
}

function utf8Length(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

/** A name with Unicode form, case and invisible characters folded: names that collide on any file system have equal keys. */
export function collisionKey(name: string): string {
  const path = name.endsWith('/') ? name.slice(0, -1) : name
  if (ASCII.test(path)) return path.toLowerCase()
  // Upper case maps ß to SS, ſ to S and splits ligatures; ẞ becomes ß first.
  return path
    .normalize('NFD')
    .replace(IGNORABLE, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
}

// Some file systems ignore these when they compare names.
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu

/** Finds names that would collide on disk: equal, by case, by Unicode form, or a file where another needs a directory. */
export class CollisionCheck {
  readonly #taken = new Map<string, string>()
  /** Every parent directory of a name, with or without its own entry. */
  readonly #directories = new Map<string, string>()
  #lastDirectory = ''

  /** Adds a name (a directory's ends with `/`); the reason when it collides with one added before, else undefined. */
  add(name: string): string | undefined {
    const slash = name.lastIndexOf('/', name.length - 2)
    if (slash + 1 !== this.#lastDirectory.length || !name.startsWith(this.#lastDirectory)) {
      const directory = name.slice(0, slash + 1)
      const problem = this.#enter(directory)
      if (problem !== undefined) return problem
      this.#lastDirectory = directory
    }
    const key = collisionKey(name)
    const other = this.#taken.get(key) ?? (name.endsWith('/') ? undefined : this.#directories.get(key))
    if (other !== undefined) return collision(name, other)
    this.#taken.set(key, name)
    return name.endsWith('/') ? this.#enter(name) : undefined
  }

  /** Adds every parent of `directory`, and `directory`. */
  #enter(directory: string): string | undefined {
    for (let end = directory.indexOf('/'); end !== -1; end = directory.indexOf('/', end + 1)) {
      const path = directory.slice(0, end + 1)
      const key = collisionKey(path)
      const known = this.#directories.get(key)
      if (known === undefined) this.#directories.set(key, path)
      const other = known ?? this.#taken.get(key)
      if (other !== undefined && other !== path) return collision(path, other)
    }
    return undefined
  }
}

function collision(name: string, other: string): string {
  if (name === other) return 'name occurs twice'
  if (name.endsWith('/') !== other.endsWith('/')) {
    const [here, elsewhere] = name.endsWith('/') ? ['directory', 'file'] : ['file', 'directory']
    return `${jsonText(name)} is a ${here} here and a ${elsewhere} elsewhere`
  }
  return `name differs from ${jsonText(other)} only by case or Unicode form`
}
