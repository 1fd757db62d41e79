import type { Answer, Search } from '../../src/library/answers.ts'

export const SEARCH: Search = { baseUrl: 'https://api.example.com', api: 'v2', format: '1752A' }

let count = 0

/** An answer that found nothing, with these changes; with an archive it found all of its parts. */
export function answerOf(change: Partial<Answer> & Pick<Answer, 'parts'>): Answer {
  count += 1
  const at = change.at ?? Date.parse('2026-03-04T05:06:07Z')
  const hasArchive = change.archive !== undefined
  return {
    id: `answer-${count}`,
    run: 'run-1',
    search: SEARCH,
    listed: true,
    date: at,
    at,
    status: hasArchive ? 200 : 204,
    attempts: 1,
    seconds: 0.25,
    bytes: hasArchive ? 100 : 0,
    ...(hasArchive ? { sha256: 'ab'.repeat(32), modified: at } : {}),
    found: hasArchive ? change.parts : [],
    others: 0,
    entries: [],
    tool: 'matdecl 1.0.0',
    ...change,
  }
}
