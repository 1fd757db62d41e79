import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wrongAccounts } from '../support/accounts.ts'
import { type CliResult, cli } from '../support/cli.ts'
import {
  BAD_PART,
  declarationXml,
  type FuzzedInput,
  fuzzedDeclaration,
  fuzzedList,
  fuzzedWorkbook,
  GOOD_PARTS,
} from '../support/input-fuzz.ts'
import { LONG_SOAK_MS, sweep } from '../support/soak.ts'
import { withFolder } from '../support/world.ts'
import { createDice, type Dice } from '../support/zip-mutations.ts'

// `npm run fuzz` sets these.
const SEED = Number(process.env.MATDECL_FUZZ_FIRST ?? 0)
const CASES = process.env.MATDECL_FUZZ_CASES
const LIMIT_MS = CASES === undefined ? LONG_SOAK_MS : 3_600_000

const cases = (suite: number, soak: number): number => Number(CASES ?? sweep(suite, soak))

/** What is wrong with a run, whatever came in: its exit code, an account that does not add up, a failure without an error. */
function faultsOf(run: CliResult): string[] {
  if (![0, 2, 8, 13].includes(run.code)) return [`exit ${run.code}: ${run.stderr}`]
  const result = run.json()
  return [
    ...wrongAccounts(result),
    ...((run.code === 0) === (result.error === undefined) ? [] : ['no error']),
  ]
}

async function withLibrary(body: (cwd: string) => Promise<void>): Promise<void> {
  await withFolder(async (cwd) => {
    await mkdir(join(cwd, 'lib'))
    for (const part of [...GOOD_PARTS, BAD_PART])
      await writeFile(join(cwd, 'lib', `${part}.xml`), declarationXml(part))
    await body(cwd)
  })
}

const CHECK = ['--offline', '--library', 'lib', '--json']

interface Outcomes {
  passed: number
  failed: number
  refused: number
}

function count(run: CliResult, outcomes: Outcomes): void {
  if (run.code === 0) outcomes.passed += 1
  else if (run.code === 13) outcomes.failed += 1
  else outcomes.refused += 1
}

const show = (kind: string, outcomes: Outcomes): void => {
  if (CASES !== undefined) process.stdout.write(`${kind}: ${JSON.stringify(outcomes)}\n`)
}

const LISTS: Readonly<Record<string, (dice: Dice) => FuzzedInput>> = {
  lists: fuzzedList,
  workbooks: fuzzedWorkbook,
}

test.each(Object.keys(LISTS))(
  'odd and damaged %s are refused, or judged with every part that they have',
  (kind) =>
    withLibrary(async (cwd) => {
      const outcomes: Outcomes = { passed: 0, failed: 0, refused: 0 }
      const wrong: string[] = []
      for (let round = 0; round < cases(15, 3000); round += 1) {
        const { name, bytes, isDamaged, badRows } = LISTS[kind]!(createDice((SEED + round) * 7919 + 31))
        await writeFile(join(cwd, name), bytes)
        const read = await cli(['parts', name, '--json'], { cwd })
        const run = await cli(['check', name, ...CHECK], { cwd })
        count(run, outcomes)
        const faults = [...faultsOf(read), ...faultsOf(run)]
        if (!isDamaged && kind === 'lists' && read.code !== 0) faults.push(`refused: ${read.stderr}`)
        // A pass with the bad part in the list says what became of it.
        const said = `${run.stdout}${run.stderr}${read.stdout}${read.stderr}`
        const isNamed = (row: number): boolean =>
          new RegExp(`${BAD_PART}|:${row}\\b|rows? (\\d+, )*${row}\\b`).test(said)
        if (run.code === 0)
          faults.push(...badRows.filter((row) => !isNamed(row)).map((row) => `row ${row} is lost`))
        wrong.push(...faults.map((fault) => `${kind} ${SEED + round}: ${fault}`))
      }
      show(kind, outcomes)
      expect(wrong).toEqual([])
      expect(outcomes.passed).toBeGreaterThan(0)
      expect(outcomes.failed).toBeGreaterThan(0)
    }),
  LIMIT_MS,
)

test(
  'an odd or damaged declaration of a part that is not compliant never passes',
  () =>
    withFolder(async (cwd) => {
      const outcomes: Outcomes = { passed: 0, failed: 0, refused: 0 }
      await mkdir(join(cwd, 'lib'))
      await writeFile(join(cwd, 'bom.csv'), `MPN,Qty\n${BAD_PART},1\n`)
      const wrong: string[] = []
      for (let round = 0; round < cases(15, 3000); round += 1) {
        const dice = createDice((SEED + round) * 104_729 + 37)
        const { bytes } = fuzzedDeclaration(dice)
        await writeFile(join(cwd, 'lib', `${BAD_PART}.xml`), bytes)
        const argv = dice.pick([
          ['report', 'lib', '--fail-on', 'failed,doubtful', '--json'],
          [
            'report',
            join('lib', `${BAD_PART}.xml`),
            '--parts-file',
            'bom.csv',
            '--fail-on',
            'failed,doubtful',
            '--json',
          ],
          ['check', 'bom.csv', ...CHECK],
        ])
        const run = await cli(argv, { cwd })
        count(run, outcomes)
        const faults = [...faultsOf(run), ...(run.code === 0 ? [`passes: ${run.stdout.slice(0, 2000)}`] : [])]
        wrong.push(...faults.map((fault) => `declaration ${SEED + round}, ${argv[0]}: ${fault}`))
      }
      show('declarations', outcomes)
      expect(wrong).toEqual([])
      expect(outcomes.failed).toBeGreaterThan(0)
    }),
  LIMIT_MS,
)
