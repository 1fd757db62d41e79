import { describe, expect, test } from 'vitest'
import { byteOrderMark, decodeText } from '../../src/base/decode-text.ts'

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

describe('a text file', () => {
  test.each([
    ['UTF-8', Buffer.from('Gehäuse €\r\nb\n')],
    ['UTF-8 with a mark', Buffer.from('\ufeffGehäuse €\r\nb\n')],
    ['UTF-16LE', Buffer.from('\ufeffGehäuse €\r\nb\n', 'utf16le')],
    ['UTF-16BE', utf16be('\ufeffGehäuse €\r\nb\n')],
    ['Windows-1252', Buffer.from('Geh\xe4use \x80\r\nb\n', 'latin1')],
  ])('is read as %s', (_, bytes) => {
    expect(decodeText(bytes)).toBe('Gehäuse €\r\nb\n')
  })

  test('is read line by line where one line is not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('ä\n'), Buffer.from([0xe4, 0x0a]), Buffer.from('€')])
    expect(decodeText(bytes)).toBe('ä\nä\n€')
  })

  test('keeps a second mark, which is no mark', () => {
    expect(decodeText(Buffer.from('\ufeff\ufeffa'))).toBe('\ufeffa')
    expect(decodeText(Buffer.from('\ufeff\ufeffa', 'utf16le'))).toBe('\ufeffa')
  })

  test.each([
    ['a NUL byte', Buffer.from('a\0b')],
    ['UTF-16 without a mark', Buffer.from('ab', 'utf16le')],
    ['half a UTF-16 character', Buffer.from('fffe61', 'hex')],
    ['UTF-32', Buffer.from('fffe000061000000', 'hex')],
    ['UTF-32BE', Buffer.from('0000feff00000061', 'hex')],
  ])('is none with %s', (_, bytes) => {
    expect(decodeText(bytes)).toBeUndefined()
  })

  test('may be empty, or shorter than a mark', () => {
    expect(decodeText(Buffer.alloc(0))).toBe('')
    expect(decodeText(Buffer.from('fffe', 'hex'))).toBe('')
    expect(byteOrderMark(Buffer.from('ff', 'hex'))).toBeUndefined()
  })
})
