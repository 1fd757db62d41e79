import type { Quantity } from './facts.ts'

/** Attributes in their order; undefined ones are left out. */
export type Attributes = Readonly<Record<string, string | undefined>>

/** Writes elements of one file, with or without a namespace prefix. */
export type Writer = (name: string, attributes: Attributes, children?: readonly string[]) => string

export const PLAIN: Writer = element
export const PREFIXED: Writer = (name, attributes, children) => element(`ipc:${name}`, attributes, children)

/** An element on lines of its own. `name` may have a prefix. */
export function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  let open = `<${name}`
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) open += ` ${attribute}="${escapeAttribute(value)}"`
  }
  return children.length === 0 ? `${open}/>\n` : `${open}>\n${children.join('')}</${name}>\n`
}

/** A number with a decimal point and without an exponent. */
export function decimal(value: number): string {
  const short = String(value)
  return short.includes('e') ? value.toFixed(15).replace(/\.?0+$/, '') : short
}

/** A value with its unit as attributes. */
export function quantity({ value, unit }: Quantity): Attributes {
  return { value: decimal(value), UOM: unit }
}

/** Line breaks and tabs are escaped, since a parser makes spaces of them. What XML 1.0 cannot hold becomes U+FFFD. */
function escapeAttribute(value: string): string {
  if (!/[<>&"\u0000-\u001f\ufffe\uffff\ud800-\udfff]/.test(value)) return value
  return value
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[<>&"\t\n\r]/g, (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`)
}
