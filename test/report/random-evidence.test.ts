import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import type { AccountEntry } from '../../src/base/account-entry.ts'
import { isFailure } from '../../src/base/failure.ts'
import { SILENT } from '../../src/base/notice.ts'
import { readParts } from '../../src/parts/read-parts.ts'
import { parseFailOn } from '../../src/report/gate/fail-on.ts'
import { plainList } from '../../src/report/lines.ts'
import { report } from '../../src/report/report.ts'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { seeded } from '../support/seeded.ts'
import { LONG_SOAK_MS, sweep } from '../support/soak.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

// What comes in with random and damaged inputs is used or named, and a pass has something clean. The generators know what they put
// in, and share no code with what reads it.

const count = (entry: AccountEntry): number =>
  entry.used + entry.named.reduce((sum, one) => sum + one.count, 0)

type Random = () => number
const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)]!

type RowKind = 'part' | 'placeholder' | 'no number' | 'blank' | 'not fitted' | 'total'

interface MadeRow {
  readonly kind: RowKind
  readonly part: string
  text: string
}

interface MadeTable {
  readonly name: string
  readonly text: string
  readonly rows: readonly MadeRow[]
  readonly isDamaged: boolean
}

/** A table with titles, rows of several kinds and perhaps damage to some of its rows. */
function madeTable(random: Random, seed: number): MadeTable {
  const delimiter = pick(random, [',', ';', '\t', '|'])
  const kinds: RowKind[] = ['part', 'part', 'part', 'part', 'placeholder', 'no number', 'blank', 'not fitted']
  const rows = Array.from({ length: 4 + Math.floor(random() * 12) }, (_, at): MadeRow => {
    const kind = at < 3 ? 'part' : pick(random, kinds)
    const part = `${pick(random, ['LM', 'BAT', 'TPS', 'CRCW', 'GRM'])}${1000 + seed * 31 + at}${pick(random, ['DR', '-7', 'KE', ''])}`
    const number =
      kind === 'placeholder'
        ? pick(random, ['TBD', 'N/A', 'customer supplied'])
        : kind === 'no number'
          ? ''
          : part
    const cells =
      kind === 'blank'
        ? ['', '', '', '', '']
        : [String(at + 1), number, String(1 + (at % 7)), kind === 'not fitted' ? 'DNP' : '', 'amplifier']
    return { kind, part, text: cells.join(delimiter) }
  })
  if (random() < 0.3) rows.push({ kind: 'total', part: '', text: ['Total', '', '9', '', ''].join(delimiter) })
  const isDamaged = random() < 0.5
  const lines = rows.map(({ text }) => text)
  if (isDamaged) {
    for (let times = 1 + Math.floor(random() * 3); times > 0; times -= 1) {
      const at = Math.floor(random() * lines.length)
      const line = lines[at]!
      const where = Math.floor(random() * (line.length + 1))
      lines[at] = pick(random, [
        () => `${line.slice(0, where)}"${line.slice(where)}`,
        () => line.slice(0, where),
        () => `${line.slice(0, where)}${delimiter}${line.slice(where)}`,
        () => `${line.slice(0, where)}\u0000${line.slice(where)}`,
        () => `${line}${line}`,
        () => `${line.slice(0, where)}\n${line.slice(where)}`,
      ])()
    }
  }
  const heading = ['Item', 'MPN', 'Qty', 'Fitted', 'Description'].join(delimiter)
  const above = random() < 0.3 ? 'Bill of materials\n\n' : ''
  const end = pick(random, ['\n', '\r\n'])
  const text = `${above}${[heading, ...lines].join('\n')}${random() < 0.9 ? '\n' : ''}`.replaceAll('\n', end)
  return { name: delimiter === '\t' ? 'a.tsv' : 'a.csv', text, rows, isDamaged }
}

test(
  'what comes in with a random list is used or named',
  () =>
    withFolder(async (folder) => {
      const world = testWorld({ cwd: folder })
      const random = seeded(4701)
      const seen = { whole: 0, damaged: 0, refused: 0 }
      for (let round = 0; round < sweep(1700, 85_000); round += 1) {
        const made = madeTable(random, round % 997)
        await writeFile(join(folder, made.name), made.text)
        const read = await readParts(
          world,
          { parts: [], files: [made.name], strict: false, details: true },
          SILENT,
        ).catch((error: unknown) => {
          if (isFailure(error) && error.kind === 'usage') return undefined
          throw error
        })
        const at = `round ${round}:\n${made.text}`
        if (read === undefined) {
          expect(made.isDamaged, at).toBe(true)
          seen.refused += 1
          continue
        }
        const { account, skipped } = read.lists[0]!
        for (const entry of [account.rows, account.tables, account.cells])
          expect(count(entry), at).toBe(entry.in)
        expect(account.rows.used, at).toBeGreaterThan(0)
        const hasPart = ({ kind }: MadeRow): boolean => kind === 'part' || kind === 'not fitted'
        if (!made.isDamaged) {
          seen.whole += 1
          const filled = made.rows.filter(({ kind }) => kind !== 'blank').length
          const above = made.text.startsWith('Bill') ? 1 : 0
          expect(account.rows.in, at).toBe(filled + 1 + above)
          expect(account.rows.used, at).toBe(made.rows.filter(hasPart).length)
          expect([...read.parts].sort(), at).toEqual(
            made.rows
              .filter(hasPart)
              .map(({ part }) => part)
              .sort(),
          )
          continue
        }
        seen.damaged += 1
        // A row that is as it was made is read, or named with its value.
        const texts = new Set(made.text.split(/\r?\n/))
        const values = skipped.flatMap(({ first }) => first.map(({ value }) => value))
        for (const { text, part } of made.rows.filter(hasPart).filter((row) => texts.has(row.text))) {
          const isKnown = read.parts.includes(part) || values.some((value) => value.includes(part))
          expect(isKnown, `${text} of ${at}`).toBe(true)
        }
      }
      expect(seen.whole).toBeGreaterThan(sweep(600, 30_000))
      expect(seen.damaged).toBeGreaterThan(sweep(100, 5_000))
      expect(seen.refused).toBeGreaterThan(0)
    }),
  LONG_SOAK_MS,
)

const CLEAN = listXml('EUROHS-1907', rohsCategories())
const declaration = (part: string): string => fileA(productXml([part], CLEAN))

type FileKind =
  | 'xml'
  | 'zip'
  | 'cut zip'
  | 'flipped zip'
  | 'cut xml'
  | 'hidden'
  | 'text'
  | 'request'
  | 'AppleDouble'

interface MadeFile {
  readonly name: string
  readonly data: string | Buffer
  readonly part: string
  /** Whether it declares its part: undefined where damage may have changed anything, or nothing. */
  readonly declares: boolean | undefined
  /** How many entries of an archive came in; undefined for another file, or where damage may have changed it. */
  readonly entries: number | undefined
}

function madeFile(random: Random, part: string): MadeFile {
  const kind = pick<FileKind>(random, [
    'xml',
    'xml',
    'xml',
    'zip',
    'zip',
    'cut zip',
    'flipped zip',
    'cut xml',
    'hidden',
    'text',
    'request',
    'AppleDouble',
  ])
  const xml = declaration(part)
  const folder = pick(random, ['', 'sub/', 'sub/deep/'])
  const file = (name: string, data: string | Buffer, declares?: boolean, entries?: number): MadeFile => ({
    name: folder + name,
    data,
    part,
    declares,
    entries,
  })
  if (kind === 'xml') return file(`${part}.xml`, xml, true)
  if (kind === 'cut xml')
    return file(`${part}.xml`, xml.slice(0, Math.floor(random() * (xml.length - 20))), undefined)
  if (kind === 'hidden') return file(`.${part}.xml`, xml, false)
  if (kind === 'AppleDouble') return file(`._${part}.xml`, 'x', false)
  if (kind === 'text') return file(`${part}.txt`, 'text', false)
  if (kind === 'request')
    return file(
      `${part}.xml`,
      xml.replace('mode="Distribute"', 'mode="Request"'),
      !xml.includes('mode="Distribute"'),
    )
  const more = Math.floor(random() * 3)
  const entries = [
    { name: `${part}.xml`, data: xml, ...(random() < 0.5 ? { method: 8, packed: deflateRawSync(xml) } : {}) },
    ...Array.from({ length: more }, (_, at) => ({
      name: pick(random, ['r.txt', 'd/', '__MACOSX/._x.xml', 'n.zip']) + (at > 0 ? at : ''),
      data: '',
    })),
  ].filter(({ name }, at, all) => all.findIndex((one) => one.name === name) === at)
  const bytes = zip(entries)
  if (kind === 'zip') return file(`${part}.zip`, bytes, true, entries.length)
  if (kind === 'cut zip')
    return file(`${part}.zip`, bytes.subarray(0, Math.floor(random() * (bytes.length - 1))))
  bytes[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8)
  return file(`${part}.zip`, bytes)
}

test(
  'a gate on a random folder passes only where every line has a clean declaration, and every file is used or named',
  () =>
    withFolder(async (root) => {
      const world = testWorld({ cwd: root })
      const random = seeded(4702)
      const failOn = parseFailOn('missing,unreadable,incomplete,not-declared,not-compliant')
      const seen = { passed: 0, failed: 0 }
      for (let round = 0; round < sweep(300, 15_000); round += 1) {
        const folder = `f${round}`
        const isClean = random() < 0.4
        const files = Array.from({ length: Math.floor(random() * 6) }, (_, at) => {
          const part = `P${at}`
          return isClean
            ? { name: `${part}.xml`, data: declaration(part), part, declares: true, entries: undefined }
            : madeFile(random, part)
        })
        await mkdir(join(root, folder))
        for (const { name, data } of files) {
          await mkdir(dirname(join(root, folder, name)), { recursive: true })
          await writeFile(join(root, folder, name), data)
        }
        const listed = files.filter(() => random() < 0.8).map(({ part }) => part)
        const parts = [...listed, ...(random() < 0.1 ? ['NOT-THERE'] : [])]
        const list = plainList('parts', parts)
        const lines = list.lines.map((line) => ({ ...line, isLeftOut: random() < 0.1 }))
        const top = new Map(
          lines.flatMap(({ key, isLeftOut }) => (isLeftOut ? [] : [[key, undefined] as const])),
        )
        const product = { ...list, lines, bom: { ...list.bom, top } }
        const options = {
          sources: [folder],
          limits: DEFAULT_ARCHIVE_LIMITS,
          substances: false,
          lists: [product],
          failOn,
        }
        await using read = report(world, options, SILENT)
        const { sources, gate, account } = await read.summary()
        const at = `round ${round}: ${JSON.stringify(files.map(({ name, declares }) => [name, declares]))} ${JSON.stringify(lines.map(({ key, isLeftOut }) => [key, isLeftOut]))}`
        for (const entry of [sources.files, sources.entries, account]) expect(count(entry), at).toBe(entry.in)
        expect(sources.files.in, at).toBe(files.length)
        const places = sources.files.named.flatMap((one) => one.places)
        for (const { name, declares } of files) {
          const isNamed = places.some((place) => place.endsWith(name))
          if (declares !== undefined) expect(isNamed, `${name} of ${at}`).toBe(!declares)
        }
        const known = files.every(({ entries, declares }) => declares !== undefined || entries !== undefined)
        if (known)
          expect(sources.entries.in, at).toBe(files.reduce((sum, { entries = 0 }) => sum + entries, 0))
        const fitted = lines.filter(({ isLeftOut }) => !isLeftOut)
        const of = (part: string): boolean | undefined | 'none' =>
          files.find((one) => one.part === part)?.declares ??
          (files.some((one) => one.part === part) ? undefined : 'none')
        const states = fitted.map(({ key }) => of(key))
        if (gate!.passed) {
          seen.passed += 1
          expect(fitted.length, at).toBeGreaterThan(0)
          expect(
            states.some((one) => one === false || one === 'none'),
            at,
          ).toBe(false)
          expect(account.used, at).toBe(fitted.length)
        } else {
          seen.failed += 1
          const isAllClean = fitted.length > 0 && states.every((one) => one === true)
          expect(isAllClean && files.every(({ declares }) => declares !== undefined), at).toBe(false)
        }
        await rm(join(root, folder), { recursive: true, force: true })
      }
      expect(seen.passed).toBeGreaterThan(sweep(50, 2_500))
      expect(seen.failed).toBeGreaterThan(sweep(50, 2_500))
    }),
  LONG_SOAK_MS,
)
