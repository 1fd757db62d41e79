// Which characters XML 1.0 allows where (productions 2, 3, 4 and 4a), and its references.

/** Characters no XML document may hold; lone surrogates can't come out of a strict decoder. */
export const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

const NAME_START_BEYOND_ASCII = new RegExp(
  '[\\u{c0}-\\u{d6}\\u{d8}-\\u{f6}\\u{f8}-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}\\u{200d}' +
    '\\u{2070}-\\u{218f}\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}]',
  'u',
)
const NAME_BEYOND_ASCII = /[\u{300}-\u{36f}\u{203f}\u{2040}\u{b7}]/u

const NAME_START = table((character) => /[A-Za-z_:]/.test(character))
const NAME = table((character) => /[A-Za-z0-9_:.-]/.test(character))

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** The end of the name that starts at `from`; `from` itself when there is none. */
export function nameEnd(text: string, from: number): number {
  let at = from
  let code = text.charCodeAt(at)
  if (code < 128 ? NAME_START[code] === 0 : !startsName(text, at)) return from
  do {
    at += code < 0xd800 || code > 0xdbff ? 1 : 2
    code = text.charCodeAt(at)
  } while (code < 128 ? NAME[code] === 1 : goesOn(text, at))
  return at
}

function startsName(text: string, at: number): boolean {
  const code = text.codePointAt(at)
  return code !== undefined && NAME_START_BEYOND_ASCII.test(String.fromCodePoint(code))
}

function goesOn(text: string, at: number): boolean {
  const code = text.codePointAt(at)
  if (code === undefined) return false
  const character = String.fromCodePoint(code)
  return NAME_START_BEYOND_ASCII.test(character) || NAME_BEYOND_ASCII.test(character)
}

/** True for the four white-space characters of XML. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d
}

/** The text of a reference without its `&` and `;`, such as `amp` or `#xA`; undefined for any that is not built in. */
export function expandReference(body: string): string | undefined {
  if (body.charCodeAt(0) !== 0x23) return Object.hasOwn(NAMED, body) ? NAMED[body] : undefined
  const match = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/.exec(body)
  if (!match) return undefined
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16)
  if (!isCharacter(code)) return undefined
  return String.fromCodePoint(code)
}

/** An attribute's value as the document means it: line ends and tabs are spaces, references expanded (they were checked before). */
export function normalizeValue(raw: string): string {
  const oneLine = /[\t\n\r]/.test(raw) ? raw.replace(/\r\n|[\t\n\r]/g, ' ') : raw
  return oneLine.includes('&')
    ? oneLine.replace(/&([^;]*);/g, (whole, body: string) => expandReference(body) ?? whole)
    : oneLine
}

function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff)
}

function table(holds: (character: string) => boolean): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (holds(String.fromCharCode(code)) ? 1 : 0))
}
