import { escapeUnsafe } from '../base/clean-text.ts'

/** The values of the placeholders in an output name. */
export interface NameFacts {
  readonly supplier: string | undefined
  readonly format: string
  readonly formatClass: string | undefined
  readonly startDate: string | undefined
  /** The start of the run. */
  readonly nowMs: number
}

/** The default output name. */
export const DEFAULT_NAME = '{supplier}_{format}_{date}T{time}Z.zip'

const PLACEHOLDERS = ['supplier', 'format', 'class', 'date', 'time', 'start'] as const
const LONGEST_BYTES = 120

/** True when the name depends on the clock. */
export function holdsTime(template: string): boolean {
  return /\{(?:date|time)\}/.test(template)
}

/**
 * Fills the placeholders: `{supplier}` (or `parts`), `{format}`, `{class}`, `{date}`, `{time}` (UTC, `HHMMSS`), `{start}`. Values cannot
 * add directories or invalid characters; undefined values are empty. An unknown placeholder is a reason.
 */
export function fillName(
  template: string,
  facts: NameFacts,
): { readonly name: string } | { readonly reason: string } {
  const iso = new Date(facts.nowMs).toISOString()
  const values: Record<(typeof PLACEHOLDERS)[number], string> = {
    supplier: facts.supplier === undefined ? 'parts' : safeComponent(facts.supplier),
    format: safeComponent(facts.format),
    class: facts.formatClass ?? '',
    date: iso.slice(0, 10),
    time: iso.slice(11, 19).replaceAll(':', ''),
    start: facts.startDate ?? '',
  }
  let unknown: string | undefined
  const name = template.replace(/\{([^{}]*)\}/g, (whole, key: string) => {
    if (Object.hasOwn(values, key)) return values[key as keyof typeof values]
    unknown ??= whole
    return whole
  })
  if (unknown === undefined) return { name }
  return {
    reason: `unknown placeholder ${escapeUnsafe(unknown)}; expected ${PLACEHOLDERS.map((one) => `{${one}}`).join(' ')}`,
  }
}

// A supplier ID can be any text, even a path.
function safeComponent(text: string): string {
  const safe = text.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, '-')
  return Buffer.byteLength(safe) <= LONGEST_BYTES
    ? safe
    : Buffer.from(safe)
        .subarray(0, LONGEST_BYTES)
        .toString('utf8')
        .replace(/\ufffd+$/, '')
}
