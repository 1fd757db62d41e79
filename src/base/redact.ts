const MASK = '***'

/** Names of headers whose values are never shown; a challenge (`www-authenticate`) is no secret. */
const SECRET_HEADER = /auth(?!enticate)|cookie|token|secret|signature|credential|api-?key|session|password/i

// A shorter secret is masked only as a separate word, not within a path or as a JSON key: "test" would mask
// /srv/test/bom.zip. Real secrets are longer.
const SHORT = 8
// The base64 of fewer characters occurs in ordinary words.
const SHORTEST_FOR_BASE64 = 4

// The beginning of a secret before one of these is masked too: the text was shortened within the secret.
const CUT_MARK = /^(?:…|\.\.\.|~)/
// A shorter beginning reveals little, and is common in other words.
const SHORTEST_BEGINNING = 8

// A pattern of much more than this is too large for a regular expression.
const LONGEST_IN_PATTERN = 2048
const LONGEST_MIXED = 512

/**
 * A function that masks secrets in a text: plain, percent-encoded, escaped for JSON or HTML, in hexadecimal and in base64 (also
 * base64url, also within a longer value), and what an ellipsis leaves of one. Apply it before a text is shortened, and last to complete lines, wherever text
 * leaves the process.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = new Map(secrets.filter((secret) => secret !== '').flatMap(formsOf))
  if (forms.size === 0) return (text) => text
  const longestFirst = [...forms].sort(([a], [b]) => b.length - a.length)
  const long = longestFirst.flatMap(([form]) => (form.length > LONGEST_IN_PATTERN ? [form] : []))
  const patterns = longestFirst.slice(long.length).map(([, pattern]) => pattern)
  const pattern = patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'g')
  const maskBeginnings = beginningMask([...forms.keys()].filter((form) => form.length > SHORT))
  return (text) => {
    const rest = long.reduce((masked, form) => masked.replaceAll(form, MASK), text)
    return maskBeginnings(pattern === undefined ? rest : rest.replace(pattern, MASK))
  }
}

/** The secrets that a run knows. Whoever learns of one adds it; whatever leaves the process passes `redact`. */
export class Secrets {
  readonly #known = new Set<string>()
  #mask = redactor([])

  constructor(...secrets: readonly string[]) {
    this.add(...secrets)
  }

  add(...secrets: readonly string[]): void {
    const before = this.#known.size
    for (const secret of secrets) if (secret !== '') this.#known.add(secret)
    if (this.#known.size > before) this.#mask = redactor([...this.#known])
  }

  /** The text without the secrets that are known now. */
  readonly redact = (text: string): string => this.#mask(text)
}

/** Masks the beginning of one of these forms before a cut mark. */
function beginningMask(forms: readonly string[]): (text: string) => string {
  if (forms.length === 0) return (text) => text
  const heads = new RegExp(
    [...new Set(forms.map((form) => patternOf(form.slice(0, SHORTEST_BEGINNING))))].join('|'),
    'gi',
  )
  const endOf = (text: string, start: number): number =>
    forms.reduce((furthest, form) => {
      const end = start + sharedLength(text, start, form)
      // The secret itself may have the first characters of the mark.
      for (let at = end; at >= end - 3 && at >= start + SHORTEST_BEGINNING; at -= 1) {
        if (CUT_MARK.test(text.slice(at, at + 3))) return Math.max(furthest, at)
      }
      return furthest
    }, start)
  return (text) => {
    let masked = ''
    let done = 0
    for (const { index } of text.matchAll(heads)) {
      const end = index < done ? index : endOf(text, index)
      if (end === index) continue
      masked += text.slice(done, index) + MASK
      done = end
    }
    return done === 0 ? text : masked + text.slice(done)
  }
}

/** How many characters from `start` are those of the form, in either case. */
function sharedLength(text: string, start: number, form: string): number {
  let length = 0
  while (length < form.length && text[start + length]?.toLowerCase() === form[length]!.toLowerCase())
    length += 1
  return length
}

/** The value of a header for display: secret ones are masked, an authorization keeps its scheme, and URLs lose their secrets. */
export function redactHeader(name: string, value: string): string {
  if (!SECRET_HEADER.test(name))
    return name.toLowerCase() === 'location' ? redactUrl(value) : redactQueries(value)
  const scheme = /^(bearer|basic|digest|negotiate)\s/i.exec(value)?.[1]
  return scheme ? `${scheme} ${MASK}` : MASK
}

// Signatures and keys have any name: only what the service documents is shown.
const SHOWN_PARAMETERS: readonly string[] = [
  'format',
  'formatclass',
  'supplier',
  'partnumbers[]',
  'startdate',
]
const PARAMETER = /([?&#;])([^=&#;]{1,200})=([^&#;]*)/g
// In JSON and HTML an ampersand may be escaped.
const PARAMETER_IN_TEXT = /([?&]|&amp;|\\u0026)([\w.~%[\]-]{1,64})=([^&#\s"'<>\\]+)/g

/** A URL for display: user information is masked, and every value in its query that is none of the search criteria. */
export function redactUrl(url: string): string {
  return url
    .replace(/^([a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#]*@/i, `$1${MASK}@`)
    .replace(/([?#])[^=?&#;]{20,}(?=[&#;]|$)/g, `$1${MASK}`)
    .replace(PARAMETER, maskedParameter)
}

/** A text for display: in the URLs in it, values that are no search criteria are masked. */
export function redactQueries(text: string): string {
  return text.replace(PARAMETER_IN_TEXT, maskedParameter)
}

function maskedParameter(_: string, before: string, name: string, value: string): string {
  const isShown = SHOWN_PARAMETERS.includes(name.toLowerCase().replace('%5b', '[').replace('%5d', ']'))
  return `${before}${name}=${isShown ? value : MASK}`
}

/** A text of another origin than the service, for display: what may be a key, a token or a signature is masked. */
export function redactForeign(text: string): string {
  return redactQueries(text)
    .replace(/\b([\w-]{1,40}[=:]) ?(?=[^\s,;"'<>]{0,500}\d)[^\s,;"'<>]{8,}/g, `$1 ${MASK}`)
    .replace(/(?=[\w+/=.%~-]{0,200}\d)(?<![\w+/=.%~-])[\w+/=.%~-]{16,}/g, MASK)
}

// Each form of the secret, with the pattern that matches it.
function formsOf(secret: string): (readonly [form: string, pattern: string])[] {
  const json = JSON.stringify(secret).slice(1, -1)
  // Some programs escape slashes too.
  const escaped = [json, json.replaceAll('/', '\\/')]
  const twice = escaped.map((form) => JSON.stringify(form).slice(1, -1))
  const plain = [secret, ...escaped, ...twice, encodeSafely(secret), formEncode(secret)]
  const find = secret.length < SHORT ? (form: string) => standingAlone(patternOf(form)) : patternOf
  const encoded =
    secret.length < SHORTEST_FOR_BASE64 ? [] : [...base64Forms(secret), ...characterForms(secret)]
  return [
    ...encoded.map((form) => [form, patternOf(form)] as const),
    ...plain.map((form) => [form, find(form)] as const),
    ...(secret.length < SHORT || secret.length > LONGEST_MIXED || !/^[\x21-\x7e]+$/.test(secret)
      ? []
      : [[secret, mixedPattern(secret)] as const]),
  ]
}

// Programs escape the characters that they think need it, such as `/` as `&#x2F;`: any of them may be, in any of these ways.
function mixedPattern(secret: string): string {
  return [...secret]
    .map((character) => {
      const code = character.charCodeAt(0)
      const hex = eitherCase(code.toString(16))
      const name = HTML_NAMES[character]
      const named = name === undefined ? '' : `|&${name};`
      return `(?:${patternOf(character)}|%(?:25)?${hex}|\\\\{1,8}(?:u00|x)${hex}|&#0{0,8}${code};|&#[xX]0{0,8}${hex};${named})`
    })
    .join('')
}

const HTML_NAMES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
  '/': 'sol',
  '+': 'plus',
  '=': 'equals',
  '`': 'grave',
}

function eitherCase(hex: string): string {
  return [...hex].map((digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`).join('')
}

// Each character escaped, as some programs do with all of them: `%41`, `\\u0041`, `&#65;`, `&#x41;`, `41`.
function characterForms(secret: string): string[] {
  const bytes = [...Buffer.from(secret, 'utf8')].map((byte) => byte.toString(16).padStart(2, '0'))
  const units = Array.from({ length: secret.length }, (_, index) => secret.charCodeAt(index))
  const unicode = units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  const entities = [...secret].map((character) => character.codePointAt(0)!)
  const hex = bytes.join('')
  const upper = [unicode.toUpperCase().replaceAll('\\U', '\\u'), hex.toUpperCase()]
  return [
    `%${bytes.join('%')}`,
    unicode,
    JSON.stringify(unicode).slice(1, -1),
    entities.map((code) => `&#${code};`).join(''),
    entities.map((code) => `&#x${code.toString(16)};`).join(''),
    htmlEscaped(secret),
    hex,
    ...upper,
  ]
}

function htmlEscaped(secret: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': 'amp',
    '<': 'lt',
    '>': 'gt',
    '"': 'quot',
    "'": '#39',
  }
  return secret.replace(/[&<>"']/g, (character) => `&${names[character]};`)
}

// The inner characters of base64 depend only on the secret and its offset modulo three; those at its ends mix with neighbors.
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const inner = padded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    const whole = offset === 0 ? [bytes.toString('base64'), padded] : []
    return [inner, ...whole]
      .filter((form) => form.length >= 6)
      .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
  })
}

function encodeSafely(secret: string): string {
  return encodeURIComponent(secret.toWellFormed())
}

function formEncode(secret: string): string {
  return new URLSearchParams({ s: secret.toWellFormed() }).toString().slice(2)
}

// An escaped line break or a percent triplet ends in a letter or digit, but is not part of the word.
const BEFORE = '(?:(?<=\\\\[nrt]|%[0-9A-Fa-f]{2})|(?<![A-Za-z0-9]|[A-Za-z0-9][-_./]))'

function standingAlone(pattern: string): string {
  const isKey = `(?<=[{,]\\s*"${pattern})"\\s*:`
  const isLiteral = JSON_LITERAL.test(pattern) ? `(?!(?<=[:,[])${pattern}[,}\\]])` : ''
  return `${isLiteral}${BEFORE}${pattern}(?![A-Za-z0-9]|[-_./][A-Za-z0-9]|${isKey})`
}

// A number in a JSON result is not the secret, and masked it would not be JSON.
const JSON_LITERAL = /^(?:\d|true$|false$|null$)/

// Percent triplets match in either case.
function patternOf(form: string): string {
  return form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replace(/%([0-9A-F]{2})/gi, (_, hex: string) => {
    return `%${eitherCase(hex)}`
  })
}
