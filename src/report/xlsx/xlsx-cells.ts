import { escapeXml } from '../formats/escape-markup.ts'
import type { CellValue } from '../formats/formatter.ts'
import { toneOf } from '../html/html-tones.ts'
import { gateWords } from '../rows/finish-row.ts'
import { STYLE, type StyleName } from './xlsx-styles.ts'

/** What a column holds, and so how its cells look. */
export type CellKind =
  | 'code'
  | 'text'
  | 'date'
  | 'count'
  | 'mass'
  | 'percent'
  /** A status, with its color. */
  | 'verdict'
  /** The gate column. */
  | 'gate'
  /** A count that should be 0. */
  | 'hits'
  /** Whether something is so, which it should be. */
  | 'flag'
  /** A count and a date on the left, as in text. */
  | 'fact'
  | 'day'

/** Characters of a cell: Excel's limit. */
const MAX_TEXT = 32_767
const MS_PER_DAY = 86_400_000
/** Spreadsheets count days from 30 December 1899. */
const UNIX_DAY = 25_569
const FORMULA_START = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** A cell of a column; empty for nothing. Text never becomes a formula, a number or a date. */
export function cellXml(reference: string, kind: CellKind, value: CellValue): string {
  if (value === null || value === '') return ''
  if (typeof value === 'number') return numberCell(reference, value, kind)
  if (typeof value === 'boolean') {
    return `<c r="${reference}" s="${value ? STYLE.yes : STYLE.no}" t="b"><v>${value ? 1 : 0}</v></c>`
  }
  const day = kind === 'date' || kind === 'day' ? dayOf(value) : undefined
  if (day !== undefined) return `<c r="${reference}" s="${STYLE[kind as 'date' | 'day']}"><v>${day}</v></c>`
  return textCell(reference, value, textStyle(kind, value))
}

/** An inline string. */
export function textCell(reference: string, value: string, style: StyleName): string {
  const text = escapeXml(value.slice(0, MAX_TEXT)).replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
  return `<c r="${reference}" s="${STYLE[style]}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`
}

/** A time in UTC. */
export function timeCell(reference: string, ms: number): string {
  return `<c r="${reference}" s="${STYLE.time}"><v>${ms / MS_PER_DAY + UNIX_DAY}</v></c>`
}

/** Points of a line of text. */
export const LINE_HEIGHT = 13.5
/** Excel's limit. */
const MAX_HEIGHT = 409

/** A text that wraps in a column of this width in characters. */
export interface WrappedText {
  readonly text: string
  readonly width: number
  readonly bold?: boolean
}

/** The height of a row in points, in which the longest of its texts fits. A program that knows the font may change it. */
export function rowHeight(texts: readonly WrappedText[]): number {
  let lines = 1
  for (const { text, width, bold } of texts) {
    lines = Math.max(lines, linesOf(text, (width - PADDING) * (bold ? 0.9 : 1)))
  }
  return Math.min(lines * LINE_HEIGHT, MAX_HEIGHT)
}

/** Of the width of a column, in characters. */
const PADDING = 0.7

/** Lines of a text that breaks after spaces and hyphens, and within a word that is longer than a line. */
function linesOf(text: string, width: number): number {
  if (text.length * WIDEST <= width) return 1
  let lines = 1
  let used = 0
  let word = 0
  for (const character of text) {
    const isSpace = character === ' '
    const size = sizeOf(character)
    word += size
    if (used + word > width && !isSpace) {
      if (used > 0) lines += 1
      used = 0
      if (word > width) {
        lines += 1
        word = size
      }
    }
    if (isSpace || character === '-') {
      used += word
      word = 0
    }
  }
  return lines
}

const WIDEST = 2

/** The width of each ASCII character in widths of a digit: those of Arial, rounded up. */
const SIZES = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[MWmw]/.test(character)) return 1.6
  if (/[A-Z]/.test(character)) return 1.25
  return /[\s.,:;!'|()[\]/\\-]/.test(character) ? 0.6 : 1
})

function sizeOf(character: string): number {
  return SIZES[character.charCodeAt(0)] ?? (character > '\u2e80' ? WIDEST : 1.3)
}

/** The letters of a column, from 1. */
export function columnLetters(count: number): string {
  const last = String.fromCharCode(65 + ((count - 1) % 26))
  return count <= 26 ? last : columnLetters(Math.floor((count - 1) / 26)) + last
}

function numberCell(reference: string, value: number, kind: CellKind): string {
  const style = numberStyle(kind, value)
  return `<c r="${reference}" s="${STYLE[style]}"><v>${value}</v></c>`
}

function numberStyle(kind: CellKind, value: number): StyleName {
  if (kind === 'hits') return value > 0 ? 'hits' : 'count'
  return kind === 'mass' || kind === 'percent' || kind === 'count' || kind === 'fact' ? kind : 'plain'
}

function textStyle(kind: CellKind, value: string): StyleName {
  if (kind === 'code') return 'code'
  if (kind === 'verdict') {
    const tone = toneOf(value)
    return tone === 'none' ? 'text' : tone
  }
  if (kind === 'gate') return gateWords({ gate: value }).length > 0 ? 'bad' : 'fair'
  return FORMULA_START.test(value) ? 'quoted' : 'text'
}

function dayOf(date: string): number | undefined {
  const ms = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(ms) ? undefined : ms / MS_PER_DAY + UNIX_DAY
}
