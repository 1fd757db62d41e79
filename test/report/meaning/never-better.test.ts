import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../support/cli.ts'
import { pick, seeded } from '../../support/seeded.ts'
import { sweep } from '../../support/soak.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'
import { gateWords, PLAIN_RULES, type Row, TODAY, writeFolder } from './cases.ts'
import {
  ALL_ENTRIES,
  ALL_GROUPS,
  type Article,
  type Category,
  classA,
  type Declaration,
  DOES_NOT_MEET_ROHS,
  type Entry,
  type Group,
  type List,
  type Material,
  MEETS_ROHS,
  material,
  other,
  reach,
  rohs,
  WRITERS,
  xmlOf,
} from './declarations.ts'

/** What one declaration of a world says of a thing: a RoHS group, a Candidate List entry, a list, the composition. */
type Said = 'good' | 'exempt' | 'over' | 'pending' | 'gap' | 'contradiction'

interface Told {
  readonly supplier: string
  /** From when to when, in milliseconds; undefined where the date is not comparable. */
  readonly moment: readonly [number, number] | undefined
  readonly isAccepted: boolean
  readonly things: ReadonlyMap<string, Said>
  readonly declaration: Declaration
}

interface World {
  readonly before: readonly Told[]
  readonly added: Told
}

/** The names that a supplier writes beside its identifier. */
const SUPPLIERS: Readonly<Record<string, readonly string[]>> = {
  '804735132': ['Northern Resistors', 'NORTHERN RESISTORS GmbH', ''],
  '561930274': ['Southern Resistors', ''],
}
const IDENTIFIERS = Object.keys(SUPPLIERS)
/** Dates as several programs write them, each with its moment in ISO. */
const DATES = [
  ['2026-01-10', '2026-01-10'],
  ['10.1.2026', '2026-01-10'],
  ['2026-02-10', '2026-02-10'],
  ['20260210', '2026-02-10'],
  ['2026-02-10T08:00:00Z', '2026-02-10T08:00:00Z'],
  ['2026-02-10T16:00:00+01:00', '2026-02-10T15:00:00Z'],
  ['2026/3/10', '2026-03-10'],
  ['10-Mar-2026', '2026-03-10'],
  ['2026-4-10', '2026-04-10'],
] as const
const DAY_MS = 86_400_000
const NOT_COMPARABLE = [undefined, '', '2027-05-01', 'spring 2026', '10/03/2026'] as const
const NOT_ACCEPTED = ['false', '0', 'perhaps'] as const
const WORLDS = sweep(50, 200)

describe('adding any declaration to a folder', () => {
  it('never turns a row from bad to good unless a newer declaration of the same supplier states that very thing as good', async () => {
    const random = seeded(20_261_122)
    const worlds = Array.from({ length: WORLDS }, () => makeWorld(random))
    const rows = await reportOf(worlds)
    const problems = worlds.flatMap((world, index) => {
      const rowsOf = (part: string): ReadonlyMap<string, Row> =>
        new Map((rows.get(part) ?? []).map((row) => [supplierOf(row), row]))
      return problemsOf(world, rowsOf(`before-${index}`), rowsOf(`after-${index}`)).map(
        (problem) => `world ${index}: ${problem}\n${worldText(world)}`,
      )
    })
    if (problems.length > 0) expect.fail(`${problems.length} problems\n${problems.slice(0, 5).join('\n')}`)
  })
})

describe('a folder of declarations', () => {
  it('has the same rows from a directory, and from archives in any order', async () => {
    const random = seeded(7)
    const worlds = Array.from({ length: sweep(10, 40) }, () => makeWorld(random))
    const files = filesOf(worlds).map(([name, declaration], index) => ({
      name: `${name}.xml`,
      data: xmlOf(declaration, WRITERS[index % WRITERS.length]),
    }))
    const expected = [...(await reportOf(worlds)).values()].flat().map(told).sort()
    await withFolder(async (cwd) => {
      for (const [folder, order] of [
        ['up', files],
        ['down', files.toReversed()],
      ] as const) {
        await mkdir(join(cwd, folder))
        for (let at = 0; at < order.length; at += 9) {
          await writeFile(
            join(cwd, folder, `${String(at).padStart(4, '0')}.zip`),
            zip(order.slice(at, at + 9)),
          )
        }
      }
      const env = { XDG_CONFIG_HOME: cwd, XDG_STATE_HOME: cwd }
      for (const folder of ['up', 'down']) {
        const result = await cli(['report', folder, '--json', '--fail-on', PLAIN_RULES], {
          cwd,
          env,
          nowMs: Date.parse(`${TODAY}T12:00:00Z`),
        })
        expect((result.json().rows as Row[]).map(told).sort(), folder).toEqual(expected)
      }
    })
  })
})

/** The identifier of the company, without the placeholder beside it. */
function supplierOf(row: Row): string {
  return String(row.company_id).split('; ')[0]!
}

/** A row without what depends on where its files are, and on which of several comes first. */
function told({ source: _, note: _note, standard: _standard, supplier: _supplier, ...row }: Row): string {
  const lists = Object.entries(row).map(([column, value]): [string, unknown] => [
    column,
    typeof value === 'string' ? value.split('; ').sort() : typeof value === 'object' ? null : value,
  ])
  return JSON.stringify(lists)
}

function makeWorld(random: () => number): World {
  const count = 1 + Math.floor(random() * 3)
  return { before: Array.from({ length: count }, () => makeTold(random)), added: makeTold(random) }
}

function makeTold(random: () => number): Told {
  const things = new Map<string, Said>()
  const say = (thing: string, chance: number, choices: readonly Said[]): Said | undefined => {
    if (random() >= chance) return undefined
    const said = pick(random, choices)
    things.set(thing, said)
    return said
  }
  const isComparable = random() < 0.8
  const [date, moment] = isComparable ? pick(random, DATES) : [pick(random, NOT_COMPARABLE)]
  const isMisplaced = random() < 0.06
  const isAccepted = random() < 0.8
  const supplier = IDENTIFIERS[random() < 0.85 ? 0 : 1]!

  const changes: Partial<Record<Group, Partial<Category>>> = {}
  const groups =
    random() < 0.25
      ? []
      : ALL_GROUPS.filter((group) => {
          const isLead = group === 'Pb' || group === 'Cd'
          const said = say(
            `group ${group}`,
            isLead ? 0.7 : 0.9,
            isLead ? ['good', 'good', 'over', 'exempt', 'pending', 'gap', 'contradiction'] : ['good'],
          )
          if (said !== undefined) changes[group] = groupSaying(said, group)
          return said !== undefined
        })
  const entryChanges: Partial<Record<Entry, Partial<Category>>> = {}
  const entries =
    random() < 0.35
      ? []
      : ALL_ENTRIES.filter((entry) => {
          const said = say(`entry ${entry}`, 0.6, ['good', 'good', 'over', 'gap'])
          if (said !== undefined) entryChanges[entry] = { over: said === 'gap' ? undefined : said === 'over' }
          return said !== undefined
        })
  const misnamed = say('misnamed', 0.1, ['good', 'over'])
  const prop = say('list', 0.3, ['good', 'over'])
  const composition = say('composition', 0.3, ['good', 'over', 'gap'])
  const answer = say('answers', 0.25, ['good', 'over', 'gap'])
  // A file may have several lists of a family: then each of them states some of the groups or entries.
  const split = <T>(all: readonly T[], older: string, newer: string): [string, T[]][] => {
    const isOlder = random() < 0.3 ? all.map(() => random() < 0.5) : all.map(() => false)
    const lists: [string, T[]][] = [
      [older, all.filter((_, index) => isOlder[index])],
      [newer, all.filter((_, index) => !isOlder[index])],
    ]
    return lists.filter(([, some]) => some.length > 0)
  }
  const lists = [
    ...split(groups, 'EUROHS-0508', 'EUROHS-1907').map(([list, some]) =>
      rohs(changes, { groups: some, list }),
    ),
    ...split(entries, 'EUREACH-0622', pick(random, ['EUREACH-0624', 'EUREACH-0125'])).map(([list, some]) =>
      reach(entryChanges, { ...(some.length < ALL_ENTRIES.length ? { entries: some } : {}), list }),
    ),
    ...(misnamed === undefined
      ? []
      : [reach({ bpa: misnamed === 'over' }, { entries: ['bpa'], list: 'SVHC 2024' })]),
    ...(prop === undefined ? [] : [other('Prop_65_substances', { Toluene: prop === 'over' })]),
  ]
  const written = random() < 0.2 ? lists.map(withoutCodes) : lists
  const stated: Article = {
    lists: written,
    ...(answer === undefined ? {} : { queries: [answersSaying(random, answer)] }),
  }
  return {
    supplier,
    moment: moment === undefined ? undefined : momentOf(moment),
    isAccepted,
    things: isMisplaced ? misplaced(things) : things,
    declaration: {
      supplier: pick(random, SUPPLIERS[supplier]!),
      ids: [['NA'], [supplier, 'DUNS']],
      date,
      isMisplaced,
      accepted: isAccepted ? pick(random, ['true', '1', 'yes']) : pick(random, NOT_ACCEPTED),
      // What the only article inside a part states, the part states.
      ...(!isMisplaced && random() < 0.15 ? { subProducts: [{ part: 'inner', ...stated }] } : stated),
      ...(composition === undefined
        ? {}
        : { mass: [100, 'mg'] as const, materials: [materialSaying(random, composition)] }),
    },
  }
}

/** A list as converters write it. */
function withoutCodes(list: List): List {
  return { ...list, categories: list.categories.map(({ code: _, ...category }) => category) }
}

function answersSaying(random: () => number, said: Said): NonNullable<Article['queries']>[number] {
  if (said !== 'gap') return classA(said === 'over' ? DOES_NOT_MEET_ROHS : MEETS_ROHS)
  return { list: 'EUROHS-1907', statements: pick(random, [[], [[MEETS_ROHS, 'perhaps']]] as const) }
}

function materialSaying(random: () => number, said: Said): Material {
  if (said !== 'gap') return material('body', 100, '7440-43-9', said === 'over' ? 5 : 0.001, 'Cadmium')
  const substances = pick(random, [
    [],
    [{ name: 'secret', cas: 'system', concentration: ['100'] }],
    [
      { name: 'Cadmium', cas: '7440-43-9' },
      { name: 'Tin', cas: '7440-31-5', concentration: ['99'] },
    ],
  ] as const)
  return { name: 'body', amount: [100, 'mg'], substances }
}

function momentOf(date: string): readonly [number, number] {
  const from = Date.parse(date)
  return [from, date.includes('T') ? from : from + DAY_MS - 1]
}

/** Of lists in an unknown place nothing is understood; the composition is where it always is. */
function misplaced(things: ReadonlyMap<string, Said>): ReadonlyMap<string, Said> {
  const left = [...things].filter(([thing]) => ['composition', 'answers'].includes(thing))
  return new Map<string, Said>(left.length === things.size ? left : [...left, ['unread', 'gap']])
}

function groupSaying(said: Said, group: Group): Partial<Category> {
  if (said === 'gap') return { over: undefined }
  if (said === 'contradiction') return { over: false, concentration: ['5'] }
  if (said === 'pending') return { over: true, exemptions: ['6(c) pending'] }
  // Each of the two numbers is for its own substance.
  return said === 'exempt'
    ? { over: true, exemptions: [group === 'Cd' ? '8(b)' : '6(c)'] }
    : { over: said === 'over' }
}

/** The files of all worlds: those of before are for both parts of a world. */
function filesOf(worlds: readonly World[]): [string, Declaration][] {
  return worlds.flatMap(({ before, added }, index) => [
    ...before.map(({ declaration }, place): [string, Declaration] => [
      `${index}-${place}`,
      { ...declaration, parts: [`before-${index}`, `after-${index}`] },
    ]),
    [`${index}-added`, { ...added.declaration, parts: [`after-${index}`] }] as [string, Declaration],
  ])
}

/** The rows of every world in one report: each world is a part of its own, before and after. */
async function reportOf(worlds: readonly World[]): Promise<ReadonlyMap<string, readonly Row[]>> {
  return withFolder(async (cwd) => {
    await writeFolder(join(cwd, 'xml'), Object.fromEntries(filesOf(worlds)))
    const result = await cli(['report', 'xml', '--json', '--fail-on', PLAIN_RULES], {
      cwd,
      nowMs: Date.parse(`${TODAY}T12:00:00Z`),
    })
    expect(result.code, result.stderr.slice(0, 500)).toBe(13)
    const rows = new Map<string, Row[]>()
    for (const row of result.json().rows as Row[]) {
      const part = String(row.part)
      rows.set(part, [...(rows.get(part) ?? []), row])
    }
    return rows
  })
}

function problemsOf(
  { before, added }: World,
  rowsBefore: ReadonlyMap<string, Row>,
  rowsAfter: ReadonlyMap<string, Row>,
): string[] {
  const all = [...before, added]
  return IDENTIFIERS.flatMap((supplier) => {
    const own = all.filter((told) => told.supplier === supplier)
    const row = rowsAfter.get(supplier)
    if (own.length === 0) return row === undefined ? [] : [`a row of ${supplier}`]
    if (row === undefined) return [`no row of ${supplier}`]
    const old = rowsBefore.get(supplier)
    return [
      ...(old === undefined ? [] : betterWithoutReason(old, row, before, added)),
      ...(added.supplier === supplier || old === undefined ? [] : differences(old, row)),
      ...own.flatMap((told) =>
        [...told.things].flatMap(([thing, said]) => hidden(told, thing, said, own, row)),
      ),
      ...betterThanDeclared(own, row),
    ].map((problem) => `${supplier}: ${problem}: ${shownRow(row)}`)
  })
}

/** A row that became better by the added declaration, which gives no reason for it. */
function betterWithoutReason(old: Row, row: Row, before: readonly Told[], added: Told): string[] {
  const isReason = (bad: Told, thing: string): boolean => takesBack(added, bad, thing)
  const badOf = (prefix: string, said: readonly Said[]): [Told, string][] =>
    before.flatMap((told) =>
      [...told.things]
        .filter(
          ([thing, is]) => told.supplier === supplierOf(row) && thing.startsWith(prefix) && said.includes(is),
        )
        .map(([thing]): [Told, string] => [told, thing]),
    )
  const checks: [string, boolean, [Told, string][]][] = [
    [
      'rohs',
      old.rohs === 'not compliant' && row.rohs !== 'not compliant',
      badOf('group', ['over', 'pending']),
    ],
    ['reach', old.reach === 'SVHC' && row.reach !== 'SVHC', badOf('entry', ['over'])],
    [
      'other list',
      /over: [^;]*Toluene/.test(String(old.other_lists)) &&
        !/over: [^;]*Toluene/.test(String(row.other_lists)),
      badOf('list', ['over']),
    ],
  ]
  const own = before.filter((told) => told.supplier === supplierOf(row))
  const isPowerless = !own.some((told) => mayTakeBack(added, told))
  const lost = gateWords(old).filter((word) => !gateWords(row).includes(word))
  const final = ['not-compliant', 'svhc', 'unaccepted']
  return checks
    .concat(final.map((word) => [`rule ${word}`, isPowerless && lost.includes(word), []]))
    .filter(([, isBetter, bad]) => isBetter && !bad.some(([told, thing]) => isReason(told, thing)))
    .map(([what]) => `${what} became better without a reason`)
}

/** What must be the same for a supplier who declared nothing new. */
function differences(old: Row, row: Row): string[] {
  return ['rohs', 'reach', 'svhc', 'svhc_count', 'other_lists', 'indications', 'gate', 'date', 'classes']
    .filter((column) => old[column] !== row[column])
    .map((column) => `${column} changed with a declaration of another supplier`)
}

/** True where `newer` may take back what `older` states of the thing. */
function takesBack(newer: Told, older: Told, thing: string): boolean {
  const said = newer.things.get(thing)
  return said !== undefined && said !== 'over' && said !== 'gap' && mayTakeBack(newer, older)
}

/** A file replaces another one only where the name of its company agrees too. */
function nameOf({ declaration: { supplier = '' } }: Told): string {
  return supplier.toLowerCase().replace(' gmbh', '')
}

function mayTakeBack(newer: Told, older: Told): boolean {
  return (
    newer.supplier === older.supplier &&
    nameOf(newer) === nameOf(older) &&
    newer.moment !== undefined &&
    older.moment !== undefined &&
    newer.moment[0] > older.moment[1] &&
    (newer.isAccepted || !older.isAccepted)
  )
}

/** What a declaration states and nobody took back has to be seen in the row. */
function hidden(told: Told, thing: string, said: Said, own: readonly Told[], row: Row): string[] {
  if (said === 'good' || own.some((other) => takesBack(other, told, thing))) return []
  const [kind, name] = thing.split(' ')
  const isHidden = {
    // Only a newer declaration with both kinds of lists may speak for all of the part again.
    unread: () =>
      /^compliant/.test(String(row.rohs)) &&
      row.reach === 'no SVHC' &&
      !own.some((other) => mayTakeBack(other, told) && hasThing(other, 'group') && hasThing(other, 'entry')),
    misnamed: () => row.reach === 'no SVHC',
    group: () =>
      said === 'contradiction'
        ? // A newer "over" takes the contradiction back too.
          !gateWords(row).includes('contradictory') &&
          !own.some((other) => other.things.get(thing) === 'over' && mayTakeBack(other, told))
        : said === 'over'
          ? row.rohs !== 'not compliant'
          : said === 'gap' || said === 'pending'
            ? /^compliant/.test(String(row.rohs))
            : row.rohs === 'compliant',
    entry: () =>
      said === 'over'
        ? row.reach !== 'SVHC' ||
          !String(row.svhc).includes(
            { arsenate: 'arsenate', dehp: 'DEHP', lead: 'Lead', bpa: 'bisphenol A' }[name!]!,
          )
        : row.reach === 'no SVHC',
    list: () => !/over: [^;]*Toluene/.test(String(row.other_lists)),
    // A declaration of RoHS without a list cannot be contradicted, nor can one that is not compliant.
    answers: () =>
      said === 'over' && /^compliant/.test(String(row.rohs)) && !gateWords(row).includes('contradictory'),
    composition: () =>
      said === 'over' &&
      !own.some(({ things }) => ['over', 'exempt', 'pending'].includes(things.get('group Cd') ?? '')) &&
      !gateWords(row).includes('indicated'),
  }[kind!]!()
  return isHidden ? [`${thing} ${said} of ${told.declaration.date} is hidden`] : []
}

function hasThing({ things }: Told, kind: string): boolean {
  return [...things.keys()].some((thing) => thing.startsWith(kind))
}

/** A good status needs the statements it stands for. */
function betterThanDeclared(own: readonly Told[], row: Row): string[] {
  const stated = new Set(own.flatMap(({ things }) => [...things.keys()]))
  const problems: string[] = []
  if (/^compliant/.test(String(row.rohs)) && !ALL_GROUPS.every((group) => stated.has(`group ${group}`))) {
    problems.push('compliant without all ten groups')
  }
  if (row.reach === 'no SVHC' && !ALL_ENTRIES.some((entry) => stated.has(`entry ${entry}`))) {
    problems.push('no SVHC without a statement')
  }
  return problems
}

function shownRow(row: Row): string {
  const columns = ['rohs', 'reach', 'svhc', 'other_lists', 'indications', 'gate', 'date', 'note']
  return JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]])))
}

function worldText({ before, added }: World): string {
  return [...before, added]
    .map((told, index) => {
      const who = index === before.length ? 'added' : `before ${index}`
      return `  ${who}: ${told.supplier}, ${told.declaration.date}, accepted ${told.isAccepted}, ${[
        ...told.things,
      ]
        .filter(([, said]) => said !== 'good')
        .map((pair) => pair.join(' '))
        .join(', ')}; good: ${[...told.things]
        .filter(([, said]) => said === 'good')
        .map(([thing]) => thing)
        .join(', ')}`
    })
    .join('\n')
}
