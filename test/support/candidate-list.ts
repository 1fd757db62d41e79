import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An entry of the Candidate List, as the table that comes with the tool has it. */
export interface Candidate {
  readonly code: string
  readonly name: string
  readonly cas: string
  /** `YYYY-MM` */
  readonly month: string
}

/** The fields of a line of CSV. */
const FIELD = /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g
const TABLE = readFileSync(
  join(import.meta.dirname, '../../src/compliance/tables/svhc-substances.csv'),
  'utf8',
)

const CANDIDATES: readonly Candidate[] = [
  ...new Map(
    TABLE.trim()
      .split('\n')
      .slice(1)
      .map((line) => {
        const [entry, included, cas, , , name] = [...line.matchAll(FIELD)].map(
          ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!,
        )
        const code = entry!.padStart(5, '0')
        return [entry!, { code, name: name!, cas: cas!, month: included!.slice(0, 7) }]
      }),
  ).values(),
]

/** The entries of an update such as `EUREACH-0624`; all of them where the name has no month. */
export function candidatesOf(list: string): readonly Candidate[] {
  const [, month, year] = /(\d\d)(\d\d)$/.exec(list) ?? []
  return CANDIDATES.filter((one) => year === undefined || one.month <= `20${year}-${month}`)
}
