/** A name as it stands in an archive, before anyone trusts it. */
export interface RawEntryName {
  readonly bytes: Uint8Array
  /** General purpose bit 11: the bytes are UTF-8; else they are code page 437 (APPNOTE 4.4.4, appendix D). */
  readonly isUtf8: boolean
  /** The name of an Info-ZIP Unicode path field (0x7075) whose checksum fits `bytes`. */
  readonly unicodePath?: Uint8Array | undefined
}

/** A name that is safe to join to a folder, or the reason why it is not; `name` is for showing in both cases. */
export type EntryName =
  | { readonly name: string; readonly isFolder: boolean; readonly reason?: undefined }
  | { readonly name: string; readonly isFolder: boolean; readonly reason: string }

/** The longest component most file systems hold, in UTF-8 bytes. */
export const MAX_COMPONENT_BYTES = 255

/** Room for the target folder must stay below the 4,096 bytes that Linux takes as one path. */
export const MAX_PATH_BYTES = 2048

/** More folders inside each other than anyone means. */
export const MAX_DEPTH = 128

/**
 * The relative path that `raw` means, with `/` between its components and at the end of a folder, or why it must not be
 * written anywhere. Where two readers could read different names, there is no name (contract §7).
 */
export function readEntryName(raw: RawEntryName): EntryName {
  const isAscii = raw.bytes.every((byte) => byte < 0x80)
  const own = isAscii ? latin1(raw.bytes) : raw.isUtf8 ? decodeUtf8(raw.bytes) : decodeCp437(raw.bytes)
  if (own === undefined) return refused(latin1(raw.bytes), 'name is marked as UTF-8 and is not')
  if (raw.unicodePath === undefined) return judge(own)
  const unicode = decodeUtf8(raw.unicodePath)
  if (unicode === undefined) return refused(own, 'Unicode path field is not UTF-8')
  if (unicode !== own && (raw.isUtf8 || isAscii)) {
    return refused(own, `Unicode path field gives it another name, ${JSON.stringify(unicode)}`)
  }
  return judge(unicode)
}

/**
 * Whether `bytes[start, end)` are a name of ordinary letters that `readEntryName` would take as it stands: what nearly every name is,
 * found out without making anything. False says nothing.
 */
export function isPlainName(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > MAX_COMPONENT_BYTES) return false
  let before: number = LETTER_KIND.slash
  for (let at = start; at < end; at += 1) {
    const kind = KINDS[bytes[at]!]!
    if (kind === LETTER_KIND.plain) {
      // Only what begins like a device's name can be one.
      const second = before === LETTER_KIND.slash ? SECOND_OF_DEVICE[bytes[at]!]! : 0
      if (second !== 0 && at + 1 < end && (bytes[at + 1]! | 0x20) === second && mayBeDevice(bytes, at, end))
        return false
    } else if (kind === LETTER_KIND.slash) {
      if (before !== LETTER_KIND.plain) return false
    } else if (kind === LETTER_KIND.other || before === LETTER_KIND.slash) {
      return false
    }
    before = kind
  }
  return end > start && before !== LETTER_KIND.inside
}

/** What a byte may do in an ordinary name: stand anywhere, stand inside a component, separate components, or none of these. */
const LETTER_KIND = { other: 0, plain: 1, inside: 2, slash: 3 } as const

const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const letter = String.fromCharCode(byte)
  if (/[A-Za-z0-9_+()[\],;=@#$%&!~^'-]/.test(letter)) return LETTER_KIND.plain
  if (letter === '.' || letter === ' ') return LETTER_KIND.inside
  return letter === '/' ? LETTER_KIND.slash : LETTER_KIND.other
})

// The second letter of a device's name by its first: CON and COM, PRN, AUX, NUL, LPT.
const SECOND_OF_DEVICE = Uint8Array.from({ length: 256 }, (_, byte) => {
  const second = ({ c: 'o', p: 'r', a: 'u', n: 'u', l: 'p' } as Readonly<Record<string, string>>)[
    String.fromCharCode(byte).toLowerCase()
  ]
  return second?.charCodeAt(0) ?? 0
})

/** Whether a component that begins at `at` is before its first dot as long as a device's name (CON, COM1, CONIN$, CONOUT$). */
function mayBeDevice(bytes: Uint8Array, at: number, end: number): boolean {
  let stemEnd = at
  while (stemEnd < end && stemEnd < at + 8 && KINDS[bytes[stemEnd]!] === LETTER_KIND.plain) stemEnd += 1
  const length = stemEnd - at
  return length === 3 || length === 4 || length === 6 || length === 7
}

/** Why `name` (components with `/` between them, a last `/` for a folder) must not be written below a folder, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (name === '' || name === '/') return 'name is empty'
  if (name.includes('\0')) return 'name holds a NUL character'
  if (CONTROL.test(name)) return 'name holds a control character'
  if (name.startsWith('//') || name.startsWith('\\\\')) return 'name is a UNC path'
  if (name.startsWith('/') || name.startsWith('\\')) return 'name is an absolute path'
  if (/^[a-z]:/i.test(name)) return 'name begins with a drive'
  const components = (name.endsWith('/') ? name.slice(0, -1) : name).split('/')
  for (const component of name.split(/[/\\]/)) {
    if (component === '..') return 'name climbs out of the folder with ".."'
  }
  if (name.includes('\\'))
    return 'name holds a backslash, which is a separator to some and a letter to others'
  for (const component of components) {
    const problem = componentProblem(component)
    if (problem !== undefined) return problem
  }
  if (components.length > MAX_DEPTH)
    return `name is ${components.length} folders deep, more than ${MAX_DEPTH}`
  const bytes = utf8Length(name)
  return bytes > MAX_PATH_BYTES ? `name is ${bytes} bytes long, more than ${MAX_PATH_BYTES}` : undefined
}

const CONTROL = /\p{Cc}/u

// Device names of Windows, with any extension (Microsoft, "Naming Files, Paths, and Namespaces").
const RESERVED = /(?:^|\/)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.[^/]*)?(?:\/|$)/i

function componentProblem(component: string): string | undefined {
  if (component === '') return 'name has an empty component'
  if (component === '.') return 'name has the component "."'
  if (component.includes(':')) return 'name holds ":", which names a drive or a stream on Windows'
  if (component.endsWith('.') || component.endsWith(' '))
    return 'name has a component that ends with a dot or a space'
  if (RESERVED.test(component)) return 'name is reserved for a device on Windows'
  if (component.length * 3 <= MAX_COMPONENT_BYTES) return undefined
  const bytes = utf8Length(component)
  return bytes > MAX_COMPONENT_BYTES
    ? `name has a component of ${bytes} bytes, more than ${MAX_COMPONENT_BYTES}`
    : undefined
}

function judge(name: string): EntryName {
  const isFolder = name.endsWith('/')
  const reason = nameProblem(name)
  return reason === undefined ? { name, isFolder } : { name, isFolder, reason }
}

function refused(name: string, reason: string): EntryName {
  return { name, isFolder: false, reason }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(bytes: Uint8Array): string | undefined {
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

function utf8Length(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}
