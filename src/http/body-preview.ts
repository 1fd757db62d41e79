import { STATUS_CODES } from 'node:http'
import * as z from 'zod/mini'
import { cleanText } from '../base/clean-text.ts'
import { isFailure } from '../base/failure.ts'
import { startsLikeZip } from '../base/file-signatures.ts'
import { jsonValue } from '../base/json-text.ts'
import { redactForeign, redactQueries } from '../base/redact.ts'

/** What a body is, by its first bytes. `words` are its title, message or first words, cleaned; '' when it has none. */
export interface BodyPreview {
  readonly kind: 'zip' | 'nothing' | 'html' | 'json' | 'xml' | 'text' | 'binary'
  readonly words: string
  /** True for JSON that looks like the state of a job that is not done. */
  readonly isPending?: boolean
  /** True when it says no more than a status does, such as `404 Not Found`. */
  readonly saysStatusOnly?: boolean
}

/** What is known of where a body came from. */
interface Source {
  readonly foreign?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

const PHRASES = new Set(['', ...Object.values(STATUS_CODES).map((phrase) => lettersOf(phrase ?? ''))])

/** How many bytes of a body are read for its preview. */
export const PREVIEW_BYTES = 64 * 1024

/** The body of an error that never ends would delay the retry until the stall timeout. */
export const MAX_START_MS = 2_000
const FIELDS = z.record(z.string(), z.unknown())
/** No pattern sees more of a text. */
const EXAMINED_CHARACTERS = 1_000
const SHOWN_CHARACTERS = 300
const TITLE_CHARACTERS = 80
// Fields with the reason, the most likely first (RFC 9457 has `detail` and `title`, which says less than `errors` beside it).
const MESSAGE_KEYS = ['message', 'detail', 'error_description', 'error', 'errors', 'title', 'reason']

/** The start of a body, enough for a preview. Of a body that is cut short or does not end, what arrived. */
export async function readStart(response: {
  readonly body: AsyncIterable<Uint8Array>
  readonly abandon: () => void
}): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const timer = setTimeout(response.abandon, MAX_START_MS)
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= PREVIEW_BYTES) break
    }
  } catch (error) {
    if (isFailure(error) && error.kind === 'interrupted') throw error
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks).subarray(0, PREVIEW_BYTES)
}

/**
 * Classifies a body by its first bytes, not by its content type, of which only the character encoding counts. `redact` masks secrets in
 * what it quotes; of another origin's body, what may be a key, a token or a signature is masked too. No pattern sees more than the first
 * 1,000 characters of a text.
 */
export function previewBody(
  start: Uint8Array,
  redact: (text: string) => string,
  { foreign = false, headers = {} }: Source = {},
): BodyPreview {
  const preview = classified(start, redact, foreign, headers['content-type'])
  return preview.words !== '' && saysStatus(preview.words) ? { ...preview, saysStatusOnly: true } : preview
}

function classified(
  start: Uint8Array,
  redact: (text: string) => string,
  isForeign: boolean,
  contentType: string | undefined,
): BodyPreview {
  const shorten = (text: string, most = SHOWN_CHARACTERS): string => {
    // The bytes may end in the middle of a secret.
    const masked = redact(`${beginning(text).trimEnd()}…`).slice(0, -1)
    return cleanText(isForeign ? redactForeign(masked) : redactQueries(masked), most)
  }
  if (start.length === 0) return { kind: 'nothing', words: '' }
  if (startsLikeZip(start)) return { kind: 'zip', words: '' }
  const text = decode(start, contentType)?.trim()
  if (text === undefined) return { kind: 'binary', words: '' }
  if (text === '') return { kind: 'nothing', words: '' }
  const head = text.slice(0, EXAMINED_CHARACTERS)
  if (/^[{[]/.test(head)) {
    const message = serverMessage(text)
    const isWhole = message !== undefined || !isForeign
    return {
      kind: 'json',
      words: isWhole ? shorten(message ?? text) : '',
      ...(isPending(text) && { isPending: true }),
    }
  }
  if (
    /^<(?:!doctype html|html|head|title|meta|body|h1)\b/i.test(head) ||
    (head.startsWith('<!--') && /<html\b/i.test(head))
  ) {
    const title = elementText(text, 'title') ?? elementText(text, 'h1')
    const words = shorten(markupText(title ?? ''), TITLE_CHARACTERS)
    if (words !== '' && !saysStatus(words)) return { kind: 'html', words }
    const page = shorten(markupText(afterHead(text)))
    return { kind: 'html', words: words === '' || page.split(' ').length > 5 ? page : words }
  }
  if (head.startsWith('<')) {
    const parts = [elementText(text, 'code'), elementText(text, 'message')].flatMap((part) => part ?? [])
    const words = parts.length > 0 ? parts.join(': ') : isForeign ? '' : head
    return { kind: 'xml', words: shorten(markupText(words)) }
  }
  return { kind: 'text', words: shorten(text) }
}

// `404 Not Found`, `Error: Bad Request`, or nothing.
function saysStatus(words: string): boolean {
  return words.length <= TITLE_CHARACTERS && PHRASES.has(lettersOf(words).replace(/^(?:http)?error/, ''))
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/\P{L}/gu, '')
}

function afterHead(html: string): string {
  const end = html.toLowerCase().indexOf('</head>')
  return end < 0 ? html : html.slice(end)
}

// What patterns may see: whole words, as the last one may be half a secret.
function beginning(text: string): string {
  if (text.length <= EXAMINED_CHARACTERS) return text
  const head = text.slice(0, EXAMINED_CHARACTERS)
  return /^.*[ \n>]/s.exec(head)?.[0] ?? head
}

/** The reason in a JSON body, uncleaned: its `message` or a field with the same meaning. Undefined when there is none. */
export function serverMessage(text: string): string | undefined {
  return messageIn(jsonValue(text), 0)
}

const PENDING =
  /^(?:pending|queued|accepted|preparing|processing|in[ _-]?progress|running|building|submitted|not[ _-]?ready)$/i

// `{"status":"pending","url":"…"}` or with `retryAfter`.
function isPending(text: string): boolean {
  const { data: fields = {} } = FIELDS.safeParse(jsonValue(text))
  const names = Object.keys(fields).map((name) => name.slice(0, 100).toLowerCase())
  const state = Object.entries(fields).find(([name]) => /^(?:status|state)$/i.test(name))?.[1]
  const leadsOn = names.some((name) => /url|href|link|location|retry[_-]?after|job[_-]?id/.test(name))
  return typeof state === 'string' && PENDING.test(state.slice(0, 100)) && leadsOn
}

function messageIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (depth > 3) return undefined
  if (Array.isArray(value)) {
    const found = value.slice(0, 5).flatMap((item) => messageIn(item, depth + 1) ?? [])
    return found.length === 0 ? undefined : found.join('; ')
  }
  const { data: fields = {} } = FIELDS.safeParse(value)
  for (const key of MESSAGE_KEYS) {
    const found = messageIn(fields[key], depth + 1) ?? (key === 'errors' ? byField(fields[key]) : undefined)
    if (found !== undefined) return found
  }
  return undefined
}

// `{"supplier":["must have nine digits"]}`, as ASP.NET, Rails and Laravel have it.
function byField(value: unknown): string | undefined {
  const { data: fields = {} } = FIELDS.safeParse(value)
  const found = Object.entries(fields)
    .slice(0, 5)
    .flatMap(([name, what]) => {
      const said = messageIn(what, 2)
      return said === undefined ? [] : `${name}: ${said}`
    })
  return found.length === 0 ? undefined : found.join('; ')
}

// A regular expression would take quadratic time for a page of opening tags.
function elementText(html: string, name: string): string | undefined {
  const lower = html.toLowerCase()
  const open = Math.max(lower.indexOf(`<${name}>`), lower.indexOf(`<${name} `))
  const start = open < 0 ? -1 : lower.indexOf('>', open)
  const end = start < 0 ? -1 : lower.indexOf(`</${name}`, start)
  const text = end < 0 ? '' : html.slice(start + 1, end)
  return text.trim() === '' ? undefined : text
}

// Without scripts, styles and tags.
function markupText(markup: string): string {
  const text = beginning(markup)
    .split('<')
    .reduce(
      ({ words, isHidden }, part, at) => {
        if (at === 0) return { words: part, isHidden }
        const isNowHidden =
          /^(?:script|style)\b/i.test(part) || (isHidden && !/^\/(?:script|style)\b/i.test(part))
        const end = part.indexOf('>')
        const rest = isNowHidden || end < 0 ? '' : part.slice(end + 1)
        return { words: `${words} ${rest}`, isHidden: isNowHidden }
      },
      { words: '', isHidden: false },
    )
  return unescapeHtml(text.words)
}

function unescapeHtml(text: string): string {
  const named: Readonly<Record<string, string>> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
  }
  return text.replace(/&(amp|lt|gt|quot|apos|nbsp|#39);/gi, (whole, name: string) =>
    name === '#39' ? "'" : (named[name.toLowerCase()] ?? whole),
  )
}

// In the encoding of its byte order mark or content type, or else in UTF-8; undefined for binary data.
function decode(bytes: Uint8Array, contentType = ''): string | undefined {
  const text = decoderOf(bytes, contentType).decode(bytes.subarray(0, PREVIEW_BYTES))
  const head = text.slice(0, EXAMINED_CHARACTERS)
  const odd = head.match(/[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]/g)?.length ?? 0
  return odd > head.length / 20 ? undefined : text
}

function decoderOf([first, second]: Uint8Array, contentType: string) {
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le')
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be')
  const [, name = 'utf-8'] = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType) ?? []
  try {
    return new TextDecoder(name)
  } catch {
    return new TextDecoder()
  }
}
