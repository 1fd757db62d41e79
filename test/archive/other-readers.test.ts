import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { needs } from '../support/programs.ts'
import { sweep } from '../support/soak.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'
import { DELIBERATE_DIFFERENCES, DELIBERATE_REFUSALS, ruleOf } from '../support/zip-deliberate.ts'
import { compareReaders } from '../support/zip-findings.ts'
import { READERS } from '../support/zip-readers.ts'

// `npm run fuzz` sets these.
const FIRST = Number(process.env.MATDECL_FUZZ_FIRST ?? 0)
const CASES = Number(process.env.MATDECL_FUZZ_CASES ?? sweep(20, 300))

describe('mutations of good archives', () => {
  it.skipIf(!needs(...READERS))(
    'are read as by Python, unzip, bsdtar and 7-Zip, or refused by a documented rule',
    async () => {
      await withFolder(async (folder) => {
        const { accepted, refused, findings } = await compareReaders(folder, FIRST, CASES)
        const byRule: Record<string, number> = {}
        const unexplained: unknown[] = []
        for (const finding of findings) {
          const rule = ruleOf(finding)
          if (rule === undefined) unexplained.push(inspect(finding))
          else byRule[`${finding.kind}: ${rule}`] = (byRule[`${finding.kind}: ${rule}`] ?? 0) + 1
        }
        if (process.env.MATDECL_FUZZ_CASES !== undefined) {
          console.log(JSON.stringify({ accepted, refused, byRule, unexplained: unexplained.length }, null, 2))
        }
        expect(unexplained).toEqual([])
        // All must be common, or the mutations test nothing.
        expect(refused).toBeGreaterThan(CASES / 2)
        expect(accepted).toBeGreaterThan(CASES / 20)
        expect(findings.length).toBeGreaterThan(CASES / 50)
      })
    },
    3_600_000,
  )
})

describe('a finding without a documented rule', () => {
  const [a, b] = ['a'.repeat(64), 'b'.repeat(64)]
  const bytes = zip([{ name: 'a.xml', data: 'x' }])
  const accepted = { kind: 'accepted, different elsewhere', index: 0, bytes } as const

  it('is one in which another reader has another name, another content, or fails', () => {
    const own = new Map([['a.xml', a]])
    for (const reader of READERS) {
      expect(ruleOf({ ...accepted, reader, own, theirs: new Map([['b.xml', a]]) })).toBe(undefined)
      expect(ruleOf({ ...accepted, reader, own, theirs: new Map([['a.xml', b]]) })).toBe(undefined)
      expect(ruleOf({ ...accepted, reader, own, theirs: undefined })).toBe(undefined)
    }
  })

  it('is one in which we refuse for any other reason, also beside a documented one', () => {
    const refused = { kind: 'refused, read alike by four others', index: 0 } as const
    const known = '"a" at offset 3: its local header has other flags than the directory'
    expect(ruleOf({ ...refused, problems: [known] })).toBe('local header')
    expect(ruleOf({ ...refused, problems: [known, '"a" at offset 3: is not to our taste'] })).toBe(undefined)
  })

  it('is not one of the documentation', () => {
    const page = readFileSync('docs/decisions/zip-rules.md', 'utf8')
    const rules = [...Object.keys(DELIBERATE_REFUSALS), ...Object.keys(DELIBERATE_DIFFERENCES)]
    for (const rule of rules) expect(page).toContain(`| ${rule} |`)
  })
})
