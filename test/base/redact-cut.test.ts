import { describe, expect, test } from 'vitest'
import { cleanText, quoteText } from '../../src/base/clean-text.ts'
import { redactor } from '../../src/base/redact.ts'
import { JWT, pieceOf, writtenForms } from '../support/secret-pieces.ts'

const TOKEN68 = `q+/~${JWT.slice(0, 120)}==`

describe.each([
  ['a JSON Web Token', JWT],
  ['a token with other characters', TOKEN68],
])('%s', (_title, secret) => {
  const redact = redactor([secret])
  const shownPiece = pieceOf(secret)

  test('shows no part of a secret around any cut, masked before or after it', () => {
    for (const form of writtenForms(secret)) {
      for (const most of [40, 60, 80, 100, 120, 200, 300, 400]) {
        for (let offset = 0; offset <= most; offset += 1) {
          const text = `${'.'.repeat(offset)} ${form} and more`
          const shown = [
            cleanText(redact(text), most),
            redact(cleanText(text, most)),
            redact(quoteText(text, most)),
            redact(JSON.stringify({ message: cleanText(text, most) })),
          ]
          for (const one of shown) expect(shownPiece(one), `${most}, ${offset}: ${one}`).toBeUndefined()
        }
      }
    }
  })

  test('shows no piece where whitespace is collapsed before the cut', () => {
    for (let blanks = 0; blanks < 1_300; blanks += 1) {
      const shown = redact(cleanText(`${' '.repeat(blanks)}x ${' '.repeat(blanks)}${secret}`, 300))
      expect(shownPiece(shown), `${blanks}: ${shown}`).toBeUndefined()
    }
  })

  test.each(['…', '...', '~'])('shows no piece before the mark %s', (mark) => {
    for (let length = 8; length < secret.length; length += 1) {
      expect(redact(`see ${secret.slice(0, length)}${mark}`)).toBe(`see ***${mark}`)
    }
  })
})

test('a word that is not the beginning of the secret is kept before an ellipsis', () => {
  const redact = redactor(['matdecl-secret-1234567890'])
  expect(redact('matdecl… downloaded matdec... matdecl-parts… matdecl-secret')).toBe(
    'matdecl… downloaded matdec... matdecl-parts… matdecl-secret',
  )
  expect(redact('matdecl-s…')).toBe('***…')
})
