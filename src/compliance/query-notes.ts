import { cleanText } from '../base/clean-text.ts'
import type { Article, QueryList, QueryStatement } from './declaration.ts'

/** What the class A statements of an article say, a note for each list. They are reported, not judged. */
export function queryNotes(article: Article): string[] {
  return article.queryLists.map((list) => {
    const name = list.identity === '' ? 'class A' : `class A, ${cleanText(list.identity, 60)}`
    return `${name}: ${answers(list)}`
  })
}

function answers({ statements }: QueryList): string {
  if (statements.length === 0) return 'without a statement'
  const made = statements.filter((statement) => isTrue(statement) === true)
  const open = statements.filter((statement) => isTrue(statement) === undefined)
  return [
    made.length > 0 ? `states ${made.map(describe).join(', ')}` : '',
    open.length > 0 ? `no answer understood for ${open.map(describe).join(', ')}` : '',
    made.length + open.length === 0 ? `none of ${statements.length} statements is true` : '',
  ]
    .filter((part) => part !== '')
    .join(', ')
}

/** Whether a statement is made; undefined without an answer, or with an unknown one. */
function isTrue({ answer }: QueryStatement): boolean | undefined {
  if (answer === undefined) return undefined
  if (/^(?:true|1|yes|x|checked|selected)$/i.test(answer)) return true
  return /^(?:false|0|no|)$/i.test(answer) ? false : undefined
}

function describe({ code, text }: QueryStatement): string {
  const words = text === '' ? '' : `"${cleanText(text, 120)}"`
  return [cleanText(code, 40), words].filter((part) => part !== '').join(' ') || 'a statement without a code'
}
