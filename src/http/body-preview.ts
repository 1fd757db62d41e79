import * as z from 'zod/mini'
import { cleanText } from '../base/clean-text.ts'
import { isFailure } from '../base/failure.ts'
import { startsLikeZip } from '../base/file-signatures.ts'
import { jsonValue } from '../base/json-text.ts'
import { redactQueries } from '../base/redact.ts'

/** What a body is, by its first bytes. `words` are its title, message or first words, cleaned; '' when it has none. */
export interface BodyPreview {
  readonly kind: 'zip' | 'nothing' | 'html' | 'json' | 'xml' | 'text' | 'binary'
  readonly words: string
  /** True for JSON that looks like the state of a job that is not done. */
  readonly isPending?: boolean
}

/** How many bytes of a body are read for its preview. */
export const PREVIEW_BYTES = 64 * 1024

// The body of an error that never ends would delay the retry until the stall timeout.
const MAX_START_MS = 2_000
const FIELDS = z.record(z.string(), z.unknown())
const SHOWN_CHARACTERS = 300
const TITLE_CHARACTERS = 80
// Fields with the reason, the most likely first (RFC 9457 has `detail` and `title`).
const MESSAGE_KEYS = ['message', 'detail', 'error_description', 'error', 'title', 'reason', 'errors']

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

/** Classifies a body by its first bytes, not by its content type. `redact` masks secrets in what it quotes. */
export function previewBody(start: Uint8Array, redact: (text: string) => string): BodyPreview {
  const shorten = (text: string, most = SHOWN_CHARACTERS): string =>
    cleanText(redactQueries(redact(text)), most)
  if (start.length === 0) return { kind: 'nothing', words: '' }
  if (startsLikeZip(start)) return { kind: 'zip', words: '' }
  const text = decode(start)
  if (text === undefined) return { kind: 'binary', words: '' }
  // The bytes may end in the middle of a secret.
  const trimmed = redact(`${text.trimEnd()}…`).slice(0, -1).trim()
  if (trimmed === '') return { kind: 'nothing', words: '' }
  if (/^[{[]/.test(trimmed)) {
    const message = serverMessage(trimmed)
    return {
      kind: 'json',
      words: shorten(message ?? trimmed),
      ...(isPending(trimmed) && { isPending: true }),
    }
  }
  if (/^<(?:!doctype html|html|head|body|!--[\s\S]*?<html)\b/i.test(trimmed)) {
    return { kind: 'html', words: shorten(htmlWords(trimmed), TITLE_CHARACTERS) }
  }
  if (trimmed.startsWith('<')) return { kind: 'xml', words: shorten(stripTags(trimmed)) }
  return { kind: 'text', words: shorten(trimmed) }
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
  const names = Object.keys(fields).map((name) => name.toLowerCase())
  const state = Object.entries(fields).find(([name]) => /^(?:status|state)$/i.test(name))?.[1]
  const leadsOn = names.some((name) => /url|href|link|location|retry[_-]?after|job[_-]?id/.test(name))
  return typeof state === 'string' && PENDING.test(state) && leadsOn
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
    const found = messageIn(fields[key], depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function htmlWords(html: string): string {
  const title = elementText(html, 'title') ?? elementText(html, 'h1') ?? html
  return unescapeHtml(stripTags(title))
}

// A regular expression would take quadratic time for a page of opening tags.
function elementText(html: string, name: string): string | undefined {
  const lower = html.toLowerCase()
  const open = lower.indexOf(`<${name}`)
  const start = open < 0 ? -1 : lower.indexOf('>', open)
  const end = start < 0 ? -1 : lower.indexOf(`</${name}`, start)
  const text = end < 0 ? '' : html.slice(start + 1, end)
  return text.trim() === '' ? undefined : text
}

function stripTags(markup: string): string {
  return markup.replace(/<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ').replace(/<[^>]*(?:>|$)/g, ' ')
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

// UTF-8, or UTF-16 by its byte order mark; undefined for binary data.
function decode(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, PREVIEW_BYTES)
  if (sample[0] === 0xff && sample[1] === 0xfe) return new TextDecoder('utf-16le').decode(sample)
  if (sample[0] === 0xfe && sample[1] === 0xff) return new TextDecoder('utf-16be').decode(sample)
  const text = new TextDecoder('utf-8').decode(sample)
  const odd = text.match(/[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]/g)?.length ?? 0
  return odd > text.length / 20 ? undefined : text
}
