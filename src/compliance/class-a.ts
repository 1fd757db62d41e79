import type { AnswersRecord } from './part-record.ts'

/** What a class A answer says about a regulation: nothing above the limits, something by exemption, or something above. */
export interface AnswerClaim {
  readonly about: 'rohs' | 'reach'
  readonly says: 'none' | 'exempt' | 'over'
  /** The statement as it is quoted. */
  readonly words: string
}

/** What the answers claim, as far as their texts are understood. */
export function answerClaims(answers: readonly AnswersRecord[]): readonly AnswerClaim[] {
  return answers.flatMap(({ list, statements }) => {
    const read = statements.flatMap(({ code, text, answer }) => {
      const about = subjectOf(`${list} ${text}`)
      const says = meaningOf(text)
      return about === undefined || says === undefined || answer === undefined
        ? []
        : [{ about, says, answer, words: statementName({ code, text }) }]
    })
    return read.flatMap(({ about, says, answer, words }): AnswerClaim[] => {
      if (answer) return [{ about, says, words }]
      // A question that is asked alone is answered by "no" too; of several statements one is true.
      if (read.length > 1 || says === 'exempt') return []
      return [{ about, says: says === 'none' ? 'over' : 'none', words: `${words}: no` }]
    })
  })
}

/** A statement in a text. */
export function statementName({ code, text }: { readonly code: string; readonly text: string }): string {
  return (
    [code, text === '' ? '' : `"${text}"`].filter((part) => part !== '').join(' ') ||
    'a statement without a code'
  )
}

function subjectOf(text: string): AnswerClaim['about'] | undefined {
  if (/rohs|2011\/65/i.test(text)) return 'rohs'
  return /reach|svhc|candidate list|very high concern/i.test(text) ? 'reach' : undefined
}

/** The statements of class A differ in their words from version to version; what is not understood says nothing. */
function meaningOf(text: string): AnswerClaim['says'] | undefined {
  const words = text.toLowerCase()
  if (/obsolete|unknown|no information|not (?:known|available|determined)/.test(words)) return undefined
  if (/\b(?:not|n't) (?:meet|comply|conform)|\bnon-?(?:compliant|conform)|\bnot compliant/.test(words))
    return 'over'
  const isWithout = /(?:\bno\b|\bnot\b|\bnon\b|without)[ -]*(?:any |an |under |under an? |by )?exempt/.test(
    words,
  )
  const isExempt = !isWithout && /exempt|\bexcept\b/.test(words)
  if (/\b(?:meets?|compl(?:y|ies|iant)|conforms?)\b/.test(words)) return isExempt ? 'exempt' : 'none'
  if (!/\b(?:contains?|containing|above|exceeds?|over|present|has|have|free|below)\b/.test(words))
    return undefined
  const isNegated =
    /\b(?:not|n't) (?:contain|exceed|above|over|present|have)|^\W*(?:\d\W+)?(?:no|none)\b|\b(?:contains?|has|have) no\b|\bfree (?:of|from)\b|\bbelow\b/.test(
      words,
    )
  if (isNegated) return isExempt ? 'exempt' : 'none'
  return isExempt ? 'exempt' : 'over'
}
