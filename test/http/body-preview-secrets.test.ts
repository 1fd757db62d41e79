import { describe, expect, test } from 'vitest'
import { redactor } from '../../src/base/redact.ts'
import { PREVIEW_BYTES, previewBody } from '../../src/http/body-preview.ts'
import { JWT, pieceOf, writtenForms } from '../support/secret-pieces.ts'
import { sweep } from '../support/soak.ts'

const redact = redactor([JWT])
const shownPiece = pieceOf(JWT)

const BODIES: readonly (readonly [string, (before: string, secret: string) => string])[] = [
  ['a JSON message', (before, secret) => JSON.stringify({ message: `${before}${secret} is bad` })],
  ['JSON without a message', (before, secret) => JSON.stringify({ [`x${before}`]: secret })],
  ['a title', (before, secret) => `<html><title>${before}${secret}</title></html>`],
  ['a page', (before, secret) => `<html><p>${before}${secret}</p></html>`],
  ['XML', (before, secret) => `<error>${before}${secret}</error>`],
  ['text', (before, secret) => `${before}${secret}`],
  ['escaped JSON', (before, secret) => `{"message":"${before}\\u0020${secret}"}`],
]

describe.each(BODIES)('%s that echoes the token', (_title, body) => {
  test('shows no piece of it, wherever the preview ends', () => {
    for (const form of writtenForms(JWT)) {
      for (let offset = 0; offset < 320; offset += sweep(7, 1)) {
        const { words } = previewBody(Buffer.from(body('.'.repeat(offset), form)), redact)
        expect(shownPiece(words), `${offset}: ${words}`).toBeUndefined()
      }
    }
  })

  test('shows no piece of it, wherever the bytes end', () => {
    const whole = Buffer.from(body('', JWT))
    for (let length = 1; length < whole.length; length += sweep(7, 1)) {
      const { words } = previewBody(whole.subarray(0, length), redact)
      expect(shownPiece(words), `${length}: ${words}`).toBeUndefined()
    }
  })
})

test('a page whose visible text begins at the end of what is read', () => {
  for (let room = 0; room <= JWT.length; room += sweep(7, 1)) {
    const script = `<html><script>${'x'.repeat(PREVIEW_BYTES - room - 23)}</script>`
    const page = Buffer.from(`${script}${JWT}`).subarray(0, PREVIEW_BYTES)
    expect(page.length).toBe(PREVIEW_BYTES)
    const { words } = previewBody(page, redact)
    expect(shownPiece(words), `${room}: ${words}`).toBeUndefined()
  }
})
