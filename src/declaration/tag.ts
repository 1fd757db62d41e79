import { expandReference, isSpace, nameEnd, normalizeValue } from './xml-text.ts'

/** The attributes of a start tag. */
export interface Attributes {
  /** The value of the attribute with this local name (any prefix), or undefined. */
  readonly get: (localName: string) => string | undefined
  /** The namespace this tag itself declares for a prefix (`''` for the default one), or undefined. */
  readonly namespace: (prefix: string) => string | undefined
  /** How many characters the tag takes in the file. */
  readonly length: number
}

/** A start tag, read. */
export interface Tag {
  readonly name: string
  readonly local: string
  readonly prefix: string
  /** True for `<name/>`. */
  readonly isEmpty: boolean
  readonly attributes: Attributes
}

/** What is wrong with markup, and at which character of the text. */
export interface TagProblem {
  readonly problem: string
  readonly at: number
}

/** A tag with the place after it; `'more'` when the text ends inside it. */
export type TagResult = { readonly tag: Tag; readonly end: number } | TagProblem | 'more'

/** Reads the start tags of one thread. */
export interface TagReader {
  /** Reads the tag that begins at `from`, where `<` stands. */
  readonly read: (text: string, from: number) => TagResult
}

const MAX_ATTRIBUTES = 256
const MAX_VALUE = 1024 * 1024

/** Tags up to this length are remembered, and this many of them: declarations repeat the same few hundred, file after file. */
const KNOWN_LENGTH = 400
const KNOWN_TAGS = 4_000

const GT = 0x3e
const SLASH = 0x2f

/**
 * A reader of start tags that recognises one it has read before by its text alone. At most 256 attributes of at most 1 Mi
 * characters each; a repeated attribute, an unknown entity and whatever else XML forbids in a tag is a problem.
 */
export function createTagReader(): TagReader {
  const known = new Map<string, Tag>()
  return {
    read(text, from) {
      const close = text.indexOf('>', from)
      if (close === -1) return readTag(text, from)
      const isShort = close - from < KNOWN_LENGTH
      const seen = isShort ? known.get(text.slice(from, close + 1)) : undefined
      if (seen) return { tag: seen, end: close + 1 }
      const result = readTag(text, from)
      if (isShort && typeof result === 'object' && 'tag' in result && result.end === close + 1) {
        if (known.size >= KNOWN_TAGS) known.clear()
        known.set(detached(text.slice(from, close + 1)), result.tag)
      }
      return result
    },
  }
}

function readTag(text: string, from: number): TagResult {
  const nameFrom = from + 1
  const nameTo = nameEnd(text, nameFrom)
  if (nameTo >= text.length) return 'more'
  if (nameTo === nameFrom) return { problem: '"<" that starts no tag', at: from }
  const name = detached(text.slice(nameFrom, nameTo))
  const names: string[] = []
  const values: string[] = []
  // No "<" may stand in a tag: the next one bounds it, so that values are skipped by searching for their end alone.
  const next = text.indexOf('<', nameTo)
  const limit = next === -1 ? text.length : next
  for (let index = nameTo; ; ) {
    const space = index
    while (isSpace(text.charCodeAt(index))) index += 1
    if (index >= text.length) return 'more'
    const code = text.charCodeAt(index)
    if (code === GT) {
      return { tag: makeTag(name, names, values, false, index + 1 - from), end: index + 1 }
    }
    if (code === SLASH) {
      if (index + 1 >= text.length) return 'more'
      if (text.charCodeAt(index + 1) !== GT) return { problem: `"/" inside <${name}>`, at: index }
      return { tag: makeTag(name, names, values, true, index + 2 - from), end: index + 2 }
    }
    if (index === space) return { problem: `no space before an attribute of <${name}>`, at: index }
    const read = readAttribute(text, index, limit, name, names, values)
    if (typeof read !== 'number') return read
    index = read
  }
}

function readAttribute(
  text: string,
  from: number,
  limit: number,
  tag: string,
  names: string[],
  values: string[],
): number | TagProblem | 'more' {
  const nameTo = nameEnd(text, from)
  let index = skipSpace(text, nameTo)
  if (index >= text.length) return 'more'
  if (nameTo === from || text.charCodeAt(index) !== 0x3d) {
    return { problem: `a malformed attribute in <${tag}>`, at: from }
  }
  index = skipSpace(text, index + 1)
  if (index >= text.length) return 'more'
  const quote = text.charAt(index)
  if (quote !== '"' && quote !== "'") return { problem: `an attribute without quotes in <${tag}>`, at: index }
  const end = text.indexOf(quote, index + 1)
  if (end === -1 ? limit < text.length : end > limit) {
    return { problem: `"<" in an attribute of <${tag}>`, at: limit }
  }
  if (end === -1) return 'more'
  if (end - index > MAX_VALUE) {
    return { problem: `an attribute of <${tag}> has more than ${MAX_VALUE} characters`, at: from }
  }
  if (names.length >= MAX_ATTRIBUTES) {
    return { problem: `<${tag}> has more than ${MAX_ATTRIBUTES} attributes`, at: from }
  }
  const name = detached(text.slice(from, nameTo))
  if (names.includes(name)) return { problem: `the attribute "${name}" twice in <${tag}>`, at: from }
  const raw = text.slice(index + 1, end)
  const problem = referenceProblem(raw)
  if (problem !== undefined) return { problem, at: index + 1 }
  names.push(name)
  values.push(detached(normalizeValue(raw)))
  return end + 1
}

/** What is wrong with the references in a piece of text, if anything. */
export function referenceProblem(text: string): string | undefined {
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    const semicolon = text.indexOf(';', at)
    if (semicolon === -1) return '"&" without ";"'
    const body = text.slice(at + 1, semicolon)
    if (expandReference(body) === undefined) {
      return `"&${body.slice(0, 40)};" is none of XML's own entities, and no other is expanded`
    }
  }
  return undefined
}

function makeTag(
  name: string,
  names: readonly string[],
  values: readonly string[],
  isEmpty: boolean,
  length: number,
): Tag {
  const colon = name.indexOf(':')
  const local = names.map((attribute) => attribute.slice(attribute.indexOf(':') + 1))
  return {
    name,
    local: name.slice(colon + 1),
    prefix: colon === -1 ? '' : name.slice(0, colon),
    isEmpty,
    attributes: {
      length,
      get: (localName) => values[local.indexOf(localName)],
      namespace: (prefix) => values[names.indexOf(prefix === '' ? 'xmlns' : `xmlns:${prefix}`)],
    },
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at += 1
  return at
}

/** A copy of its own: V8 keeps the whole file alive for as long as a slice of more than twelve characters of it lives. */
function detached(text: string): string {
  return text.length <= 12 ? text : Buffer.from(text, 'utf8').toString('utf8')
}
