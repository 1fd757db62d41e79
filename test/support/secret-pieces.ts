import { createHash } from 'node:crypto'

const PIECE = 8

/** A JSON Web Token of 900 characters, as services issue them. */
export const JWT: string = (() => {
  const part = (seed: string, length: number): string => {
    let text = ''
    for (let at = 0; text.length < length; at += 1)
      text += createHash('sha256').update(`${seed} ${at}`).digest('base64url')
    return text.slice(0, length)
  }
  return `${part('head', 36)}.${part('payload', 520)}.${part('signature', 342)}`
})()

const BEFORE = ['', 'a', 'ab']

/** A secret as services and logs write it: plain, percent-encoded, in base64 of itself and of a longer text. */
export function writtenForms(secret: string): readonly string[] {
  const base64 = BEFORE.map((before) => Buffer.from(`${before}${secret}`).toString('base64'))
  return [secret, encodeURIComponent(secret), ...base64]
}

/** The first piece of eight characters of a secret, in any form, that a text shows; undefined when there is none. */
export function pieceOf(secret: string): (text: string) => string | undefined {
  const pieces = new Set<string>()
  // The first characters of base64 are those of the text before, mixed with the secret.
  const inner = BEFORE.map(({ length }) => (length === 0 ? 0 : length + 1))
  const starts = [0, 0, ...inner]
  for (const [index, form] of writtenForms(secret).entries()) {
    for (let at = starts[index]!; at + PIECE <= form.length; at += 1) pieces.add(form.slice(at, at + PIECE))
  }
  return (text) => {
    for (let at = 0; at + PIECE <= text.length; at += 1) {
      const piece = text.slice(at, at + PIECE)
      if (pieces.has(piece)) return piece
    }
    return undefined
  }
}
