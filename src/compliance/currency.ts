import { entryKey, nameKey, unpackKeys } from './entry-keys.ts'
import type { EntryRecord, ListRecord, PartRecord } from './part-record.ts'
import { isLater, type Moment } from './response-date.ts'

/** When a declaration was made, and whether its supplier stands by it. */
export interface Standing {
  /** Undefined where the date cannot be compared: it neither replaces nor is replaced. */
  readonly moment: Pick<Moment, 'fromMs' | 'toMs'> | undefined
  readonly isAccepted: boolean
}

/** True when what `newer` states replaces what `older` states of the same thing. */
export function replaces(newer: Standing, older: Standing): boolean {
  if (newer.moment === undefined || older.moment === undefined) return false
  return isLater(newer.moment, older.moment) && (newer.isAccepted || !older.isAccepted)
}

const texts = new WeakMap<PartRecord, string>()

/** What a declaration states, as text: two with the same text state the same things, whatever they say about them. */
export function coverageText(record: PartRecord, hasComposition: boolean): string {
  const text = texts.get(record) ?? statementsText(record)
  texts.set(record, text)
  return hasComposition ? `${text}${LINE}${COMPOSITION}` : text
}

function statementsText({ lists, answers, unread }: PartRecord): string {
  const lines = lists.map(({ key, stated, silent, marked, size }) => {
    const unclear = marked.filter(({ state }) => state === 'unclear').map(({ key: entry }) => entry)
    const named = marked.filter(({ state, code }) => state === 'over' && code !== '').map(bothKeys)
    return [key, stated, silent, unclear.join('\n'), named.join('\n'), size === 0 ? 'empty' : ''].join(FIELD)
  })
  for (const { list } of answers) lines.push(`answers ${list.toUpperCase()}`)
  if (unread.length > 0) lines.push(UNREAD)
  return lines.join(LINE)
}

const LINE = '\u0001'
const FIELD = '\u0002'
export const COMPOSITION = 'composition'
const UNREAD = 'unread'
const NAME = '\u0003'

/** An entry by its code, and by its name where another writer has no codes. */
function bothKeys({ key, name }: EntryRecord): string {
  return `${key}${NAME}${nameKey(name)}`
}

/** What a declaration states and so takes back, and what it has that must be taken back. */
export interface Coverage {
  readonly states: ReadonlySet<string>
  readonly needs: ReadonlySet<string>
  /** The other names of what it needs. */
  readonly names: ReadonlyMap<string, string>
}

/** The statements in a coverage text. */
export function readCoverage(text: string): Coverage {
  const states = new Set<string>()
  const needs = new Set<string>()
  const names = new Map<string, string>()
  const lines = text.split(LINE).filter((line) => line !== '')
  // A file with RoHS and REACH, all of it understood, speaks for the part again.
  const speaks = (key: string): boolean => lines.some((line) => line.startsWith(`${key}${FIELD}`))
  if (speaks('rohs') && speaks('reach') && !lines.includes(UNREAD)) states.add(UNREAD)
  for (const line of lines) {
    const [key = '', stated, silent = '', unclear = '', named = '', empty] = line.split(FIELD)
    if (stated === undefined) {
      needs.add(key)
      if (key !== UNREAD) states.add(key)
      continue
    }
    for (const entry of unpackKeys(stated)) {
      states.add(`${key} ${entry}`)
      needs.add(`${key} ${entry}`)
    }
    for (const entry of [...unpackKeys(silent), ...unclear.split('\n')]) {
      if (entry !== '') needs.add(`${key} ${entry}`)
    }
    for (const pair of named.split('\n')) {
      const [entry, name] = pair.split(NAME)
      if (name !== undefined) names.set(`${key} ${entry}`, `${key} ${name}`)
    }
    if (stated !== '') states.add(`${key} `)
    if (empty === 'empty') needs.add(`${key} `)
  }
  return { states, needs, names }
}

/** True when newer declarations state all that a declaration has. */
export function isCovered({ needs, names }: Coverage, newer: readonly Coverage[]): boolean {
  if (newer.length === 0) return false
  for (const need of needs) {
    const name = names.get(need)
    const isStated = newer.some(({ states }) => states.has(need) || (name !== undefined && states.has(name)))
    if (!isStated) return false
  }
  return true
}

/** True when a list states an entry in a way that is understood. */
export function statesEntry(
  { stated }: Pick<ListRecord, 'stated'>,
  { key, code, name }: EntryRecord,
): boolean {
  const keys = unpackKeys(stated)
  return keys.has(key) || (key === entryKey(code, name) && keys.has(nameKey(name)))
}
