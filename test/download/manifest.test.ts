import { describe, expect, it } from 'vitest'
import { manifestText } from '../../src/download/manifest.ts'

describe('manifestText', () => {
  it('is the canonical form of RFC 8785', () => {
    // The example of RFC 8785, section 3.2.2, without what JavaScript cannot write, and the key order of section 3.2.3.
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\nA\'B"\\\\"/',
      literals: [null, true, false],
    }
    expect(manifestText(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\nA\'B\\"\\\\\\\\\\"/"}',
    )
    const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }
    expect(manifestText(keys)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}')
  })

  it('leaves undefined fields out, and does not depend on the order of fields', () => {
    expect(manifestText({ b: 1, a: undefined, c: { e: 1, d: 2 } })).toBe('{"b":1,"c":{"d":2,"e":1}}')
    expect(manifestText({ c: { d: 2, e: 1 }, b: 1 })).toBe('{"b":1,"c":{"d":2,"e":1}}')
  })
})
