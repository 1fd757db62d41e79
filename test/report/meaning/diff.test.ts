import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../support/cli.ts'
import { IS_SOAK } from '../../support/soak.ts'
import { withFolder } from '../../support/world.ts'
import { type Folder, fits, TODAY, type Wanted, writeFolder } from './cases.ts'
import {
  classA,
  type Declaration,
  DOES_NOT_MEET_ROHS,
  exempt,
  type List,
  MEETS_ROHS,
  METALS_AND_FLAME_RETARDANTS,
  material,
  other,
  PHTHALATES,
  reach,
  rohs,
} from './declarations.ts'

interface DiffCase {
  readonly name: string
  readonly old: Folder
  readonly new: Folder
  /** The parts that are changed; by default P1. Others are not. */
  readonly changed?: readonly string[]
  readonly added?: readonly string[]
  readonly removed?: readonly string[]
  /** What the text says. */
  readonly says?: readonly (string | RegExp)[]
  readonly never?: readonly RegExp[]
  readonly failOn?: string
  readonly exit?: number
}

/** "No longer stated" is the word: nothing is gone or lost because nobody speaks of it any more. */
const NEVER = /\bgone\b|\blost\b|only a new date/i

function itCompares(cases: readonly DiffCase[]): void {
  for (const [index, one] of cases.entries()) {
    // The suite tries one pair of writers for each case, the soak both.
    const writers = IS_SOAK ? [0, 1] : [index % 2]
    it(one.name, async () => {
      const problems: string[] = []
      for (const writer of writers) problems.push(...(await problemsOf(one, writer)))
      if (problems.length > 0) expect.fail(problems.join('\n'))
    })
  }
}

async function problemsOf(one: DiffCase, firstWriter: number): Promise<string[]> {
  return withFolder(async (cwd) => {
    await writeFolder(join(cwd, 'old'), one.old, firstWriter)
    // The other side comes in another order, and from other programs.
    await writeFolder(join(cwd, 'new'), one.new, firstWriter + 1, true)
    const run = (...options: string[]): ReturnType<typeof cli> =>
      cli(['diff', 'old', 'new', ...options], { cwd, nowMs: Date.parse(`${TODAY}T12:00:00Z`) })
    const gate = one.failOn === undefined ? [] : ['--fail-on', one.failOn]
    const text = await run(...gate)
    const json = await run('--json', ...gate)
    const problems: string[] = []
    const check = (what: string, value: unknown, wanted: Wanted | undefined): void => {
      if (wanted !== undefined && !fits(value, wanted)) {
        problems.push(`${what}: ${JSON.stringify(value)}, expected ${String(wanted)} [writer ${firstWriter}]`)
      }
    }
    check('exit', text.code, one.exit ?? 0)
    check('exit with --json', json.code, one.exit ?? 0)
    if (!json.stdout.startsWith('{')) return [...problems, json.stderr]
    const result = json.json()
    for (const [side, parts] of [
      ['changed', one.changed ?? ['P1']],
      ['added', one.added ?? []],
      ['removed', one.removed ?? []],
    ] as const) {
      const found = ((result[side] ?? []) as { part: string }[]).map(({ part }) => part)
      check(side, [...new Set(found)].sort().join(), [...parts].sort().join())
    }
    for (const words of one.says ?? []) check('text', text.stdout, [words])
    for (const words of [NEVER, ...(one.never ?? [])]) {
      if (words.test(text.stdout)) problems.push(`text: ${text.stdout}, expected without ${words}`)
    }
    return problems
  })
}

const OLD = '2026-01-10'
const NEW = '2026-03-10'
const NOBODY = { without: ['SupplyCompany'], lists: [rohs()] } as const
const withoutCodes = (list: List): List => ({
  ...list,
  categories: list.categories.map(({ code: _, ...category }) => category),
})

const NO_LONGER = /no longer stated/i

describe('a statement that is no longer made is "no longer stated", never "gone"', () => {
  itCompares([
    {
      name: 'an SVHC',
      old: { a: { date: OLD, lists: [rohs(), reach({ lead: true })] } },
      new: { a: { date: NEW, lists: [rohs(), reach({}, { entries: ['arsenate'] })] } },
      says: [/^! .*1 part with statements that are no longer made/, NO_LONGER, 'Lead'],
    },
    {
      name: 'all of REACH',
      old: { a: { date: OLD, lists: [rohs(), reach()] } },
      new: { a: { date: NEW, lists: [rohs()] } },
      says: [/no longer stated|not declared/i],
    },
    {
      name: 'groups no longer stated are changes',
      old: { a: { date: OLD, lists: [rohs()] } },
      new: { a: { date: NEW, lists: [rohs({}, { groups: METALS_AND_FLAME_RETARDANTS })] } },
      says: [/^! .*1 part became worse/, NO_LONGER, 'DEHP', 'compliant', 'incomplete'],
    },
    {
      // Both are incomplete: a status alone would hide it.
      name: 'groups no longer stated where the status stays',
      old: { a: { date: OLD, lists: [rohs({}, { groups: METALS_AND_FLAME_RETARDANTS })] } },
      new: { a: { date: NEW, lists: [rohs({}, { groups: ['Cd', 'PBB', 'PBDE', 'CrVI', 'Pb'] })] } },
      says: [NO_LONGER, /mercury/i],
    },
    {
      name: 'a list of another law',
      old: { a: { date: OLD, lists: [rohs(), reach(), other('Prop_65_substances', { Toluene: true })] } },
      new: { a: { date: NEW, lists: [rohs(), reach()] } },
      says: [NO_LONGER, 'Prop_65_substances'],
    },
    {
      name: 'entries that were not over',
      old: { a: { date: OLD, lists: [rohs(), reach()] } },
      new: { a: { date: NEW, lists: [rohs(), reach({}, { entries: ['lead'] })] } },
      says: [NO_LONGER],
    },
    {
      name: 'a category of another list that was not over',
      old: {
        a: { date: OLD, lists: [rohs(), other('Prop_65_substances', { Toluene: false, Nickel: false })] },
      },
      new: {
        a: { date: NEW, lists: [rohs(), other('Prop_65_substances', { Toluene: false, Nickel: undefined })] },
      },
      says: ['Prop_65_substances', /no longer stated|incomplete/i],
    },
    {
      name: 'the class A answers',
      old: { a: { date: OLD, lists: [rohs()], queries: [classA(MEETS_ROHS)] } },
      new: { a: { date: NEW, lists: [rohs()] } },
      says: [NO_LONGER, /class A/],
    },
    {
      name: 'the composition, and an indication with it',
      old: {
        a: {
          date: OLD,
          lists: [rohs(), reach()],
          mass: [10, 'mg'],
          materials: [material('solder', 10, '7439-92-1', 5, 'Lead')],
        },
      },
      new: { a: { date: NEW, lists: [rohs(), reach()] } },
      says: [NO_LONGER, '7439-92-1'],
    },
    {
      name: 'an entry of another list that was over: no longer stated, which is neither "no longer over" nor better',
      old: {
        a: {
          date: OLD,
          lists: [rohs(), reach(), other('Prop_65_substances', { Toluene: true, Nickel: false })],
        },
      },
      new: { a: { date: NEW, lists: [rohs(), reach(), other('Prop_65_substances', { Nickel: false })] } },
      says: ['other list no longer stated: Prop_65_substances: Toluene', 'Changed otherwise'],
      never: [/no longer over/, /^Better/m],
    },
    {
      name: 'a group that one of two files had over, which do not replace each other: the other is no statement anew',
      old: {
        a: { date: 'spring 2026', lists: [rohs({ Pb: true }), reach()] },
        b: { date: 'summer 2026', lists: [rohs(), reach()] },
      },
      new: { b: { date: 'summer 2026', lists: [rohs(), reach()] } },
      says: ['RoHS group no longer stated: Lead', 'Changed otherwise'],
      never: [/no longer over/, /^Better/m],
    },
    {
      name: 'a category of a RoHS list that is none of the ten groups',
      old: {
        a: { date: OLD, lists: [rohs(), other('EUROHS-1907', { Melamine: true }), reach()] },
      },
      new: { a: { date: NEW, lists: [rohs(), reach()] } },
      says: ['RoHS group no longer stated: Melamine'],
    },
    {
      name: 'an entry stated not over is another change than one no longer stated',
      old: { a: { date: OLD, lists: [rohs(), reach({ lead: true })] } },
      new: { a: { date: NEW, lists: [rohs(), reach()] } },
      says: ['Lead'],
      never: [/Lead[^\n]*no longer stated/i],
    },
    {
      name: 'an entry stated by its name now, and by its code before, is still stated',
      old: { a: { date: OLD, lists: [rohs(), reach({ lead: true })] } },
      new: { a: { date: NEW, lists: [rohs(), withoutCodes(reach())] } },
      says: ['Lead'],
      never: [NO_LONGER],
    },
    {
      name: 'an entry stated by its code now, and by its name before, is still stated',
      old: { a: { date: OLD, lists: [rohs(), withoutCodes(reach({ lead: true }))] } },
      new: { a: { date: NEW, lists: [rohs(), reach()] } },
      says: ['Lead'],
      never: [NO_LONGER],
    },
  ])
})

it('CSV has the same words: no longer stated is not the same as no longer above 0.1 %', async () => {
  await withFolder(async (cwd) => {
    const told = (date: string, part: string, list: List): Declaration => ({
      date,
      part,
      lists: [rohs(), list],
    })
    await writeFolder(join(cwd, 'old'), {
      a: told(OLD, 'P1', reach({ lead: true })),
      b: told(OLD, 'P2', reach({ lead: true })),
    })
    await writeFolder(join(cwd, 'new'), {
      a: told(NEW, 'P1', reach({}, { entries: ['arsenate', 'dehp', 'bpa'] })),
      b: told(NEW, 'P2', reach()),
    })
    const { stderr } = await cli(['diff', 'old', 'new', '-o', 'changes.csv'], { cwd })
    const csv = await readFile(join(cwd, 'changes.csv'), 'utf8')
    expect(csv, stderr).toContain('worse,P1,Northern Resistors,SVHC no longer stated,Lead,\r\n')
    expect(csv).toContain('better,P2,Northern Resistors,SVHC no longer above 0.1 %,Lead,\r\n')
  })
})

describe('what are changes', () => {
  const D = (percent: number) => ({
    mass: [10, 'mg'] as const,
    materials: [material('solder', 10, '7439-92-1', percent, 'Lead')],
  })
  itCompares([
    {
      name: 'a share that grew',
      old: {
        a: { date: OLD, lists: [rohs(), reach({ lead: { over: true, amount: ['0.2', 'massPercent'] } })] },
      },
      new: {
        a: { date: NEW, lists: [rohs(), reach({ lead: { over: true, amount: ['2.5', 'massPercent'] } })] },
      },
      says: ['Lead', '0.2', '2.5'],
    },
    {
      name: 'a share of a RoHS group that grew',
      old: {
        a: { date: OLD, lists: [rohs({ Pb: { over: true, concentration: ['0.2'], exemptions: ['6(c)'] } })] },
      },
      new: {
        a: { date: NEW, lists: [rohs({ Pb: { over: true, concentration: ['3.9'], exemptions: ['6(c)'] } })] },
      },
      says: ['Lead', '0.2', '3.9'],
    },
    {
      name: 'another list newly over',
      old: {
        a: { date: OLD, lists: [rohs(), other('Prop_65_substances', { Toluene: false, Nickel: false })] },
      },
      new: {
        a: { date: NEW, lists: [rohs(), other('Prop_65_substances', { Toluene: true, Nickel: false })] },
      },
      says: ['Prop_65_substances', 'Toluene'],
    },
    {
      name: 'a newer version of another list, with the same over: the list, and not the entry',
      old: { a: { date: OLD, lists: [rohs(), other('IEC_62474 D18.00', { Toluene: true })] } },
      new: { a: { date: NEW, lists: [rohs(), other('IEC_62474 D19.00', { Toluene: true })] } },
      says: ['other list newly stated: IEC_62474 D19.00', 'other list no longer stated: IEC_62474 D18.00'],
      never: [/newly over/],
    },
    {
      name: 'a class A answer',
      old: { a: { date: OLD, queries: [classA(MEETS_ROHS)] } },
      new: { a: { date: NEW, queries: [classA(DOES_NOT_MEET_ROHS)] } },
      says: [/class A|answer/i],
    },
    {
      name: 'an indication',
      old: { a: { date: OLD, lists: [rohs(), reach()], ...D(0.01) } },
      new: { a: { date: NEW, lists: [rohs(), reach()], ...D(5) } },
      says: ['7439-92-1'],
    },
    {
      name: 'a contradiction',
      old: { a: { date: OLD, lists: [rohs(), reach()] } },
      new: { a: { date: NEW, lists: [rohs({ Pb: { over: false, concentration: ['5'] } }), reach()] } },
      says: [/contradict/i],
    },
    {
      name: 'a new exemption and a status',
      old: { a: { date: OLD, lists: [rohs()] } },
      new: { a: { date: NEW, lists: [rohs({ Pb: exempt('6(c)') })] } },
      says: ['6(c)', 'compliant with exemptions'],
    },
    {
      name: 'a new SVHC',
      old: { a: { date: OLD, lists: [reach()] } },
      new: { a: { date: NEW, lists: [reach({ lead: true })] } },
      says: ['Lead'],
    },
    {
      name: 'acceptance withdrawn',
      old: { a: { date: OLD, lists: [rohs()] } },
      new: { a: { date: NEW, lists: [rohs()], accepted: 'false' } },
      says: [/accept/i],
    },
  ])
})

describe('what are none', () => {
  itCompares([
    {
      name: 'the same declarations from other programs in other files',
      old: { a: { lists: [rohs(), reach()] }, b: { part: 'P2', lists: [rohs({ Pb: true })] } },
      new: { c: { part: 'P2', lists: [rohs({ Pb: true })] }, d: { lists: [rohs(), reach()] } },
      changed: [],
    },
    {
      name: 'a new date alone',
      old: { a: { date: OLD, lists: [rohs(), reach()] } },
      new: { a: { date: NEW, lists: [rohs(), reach()] } },
      changed: [],
    },
    {
      name: 'one file that becomes two which say the same',
      old: { a: { date: OLD, lists: [rohs(), reach({ lead: true })] } },
      new: { a: { date: OLD, lists: [rohs()] }, b: { date: OLD, lists: [reach({ lead: true })] } },
      changed: [],
    },
    {
      name: 'parts without a supplier are known by their numbers',
      old: { a: { part: 'P1', ...NOBODY }, b: { part: 'P2', ...NOBODY, lists: [rohs({ Pb: true })] } },
      new: { b: { part: 'P2', ...NOBODY, lists: [rohs({ Pb: true })] }, c: { part: 'P1', ...NOBODY } },
      changed: [],
    },
    {
      name: 'a superseded declaration more',
      old: { a: { date: NEW, lists: [rohs(), reach()] } },
      new: {
        a: { date: NEW, lists: [rohs(), reach()] },
        older: { date: OLD, lists: [rohs({ Pb: true }), reach()] },
      },
      changed: [],
    },
    {
      name: 'a RoHS file added beside the REACH file takes nothing back',
      old: { a: { date: OLD, lists: [rohs(), reach({ lead: true })] } },
      new: {
        a: { date: OLD, lists: [rohs(), reach({ lead: true })] },
        b: { date: NEW, lists: [rohs({}, { groups: PHTHALATES })] },
      },
      changed: [],
    },
    {
      name: 'parts are added and removed by number and supplier',
      old: { a: { lists: [rohs()] }, b: { part: 'P2', lists: [rohs()] } },
      new: { a: { lists: [rohs()] }, b: { part: 'P2', supplier: 'Southern Resistors', lists: [rohs()] } },
      changed: [],
      added: ['P2'],
      removed: ['P2'],
    },
  ])
})

describe('diff --fail-on', () => {
  itCompares([
    {
      name: 'fails on a changed part that is contradictory now',
      old: { a: { date: OLD, lists: [rohs(), reach()] } },
      new: { a: { date: NEW, lists: [rohs({ Pb: { over: false, concentration: ['5'] } }), reach()] } },
      failOn: 'contradictory',
      exit: 13,
    },
    {
      name: 'not on a part that is as it was',
      old: { a: { lists: [rohs({ Pb: true })] } },
      new: { a: { lists: [rohs({ Pb: true })] } },
      changed: [],
      failOn: 'not-compliant',
      exit: 0,
    },
  ])
})
