import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { RULE_WORDS } from '../../../src/compliance/finding-rules.ts'
import { columnsOf } from '../../../src/report/columns.ts'
import { htmlFormatter } from '../../../src/report/page/report-page.ts'
import { formatAll, SHAPE, sampleRows, summaryOf } from '../../support/report-rows.ts'

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

describe('the report page', () => {
  it('allows only its own style and script', async () => {
    const page = (await formatAll(htmlFormatter(SHAPE), sampleRows())).toString()
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)![1]!
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)![1]!
    const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map((match) => match[1]!)
    expect(scripts).toHaveLength(1)
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `style-src '${hashOf(style)}'`,
      `script-src '${hashOf(scripts[0]!)}'`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
    ])
    expect(page).not.toMatch(/\s(?:style|on\w+)=/)
    expect(page.replace(/<script>[\s\S]*?<\/script>/, '')).not.toMatch(/(?:https?:)?\/\/[a-z]/i)
  })

  it('escapes text from files', async () => {
    const rows = sampleRows().map((row) => ({
      ...row,
      name: '</noscript><script>x</script>',
      svhc_names: ['"><b>'],
    }))
    const page = (await formatAll(htmlFormatter(SHAPE), rows)).toString()
    expect(page.match(/<script>/g)).toHaveLength(1)
    expect(page.match(/<\/script>/g)).toHaveLength(2)
    expect(page.match(/<\/noscript>/g)).toHaveLength(1)
    expect(page).not.toContain('<b>')
  })

  it.each(['parts', 'substances'] as const)('explains every status, rule and column of %s', async (kind) => {
    const page = (await formatAll(htmlFormatter({ ...SHAPE, kind }), [])).toString()
    const words = [...page.matchAll(/<dt>(.*?)<\/dt><dd>[^<]/g)].map(([, word]) =>
      word!.replace(/<span aria-hidden.*?<\/span>|<[^>]+>/g, ''),
    )
    const verdicts = Object.keys(summaryOf([]).counts.rohs)
    const statuses = ['missing', 'unreadable', 'superseded']
    for (const word of [...verdicts, ...statuses, ...RULE_WORDS]) expect(words).toContain(word)
    for (const word of ['nominal date passed', 'not judged']) expect(words).toContain(word)
    for (const { title } of Object.values(columnsOf(kind))) expect(words).toContain(title)
    expect(page).not.toMatch(/expired/i)
  })
})
