import { nearest } from '../base/clean-text.ts'
import type { FailedResult } from '../base/failed-result.ts'
import { Failure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { operandsOf } from './command.ts'
import { COMMANDS } from './commands/commands.ts'
import { type Context, openContext } from './context.ts'
import { errorObject, explain, interruptionOr } from './explain.ts'
import { camelCase, type OptionRow } from './option-row.ts'
import { type CommandName, optionsOf } from './options.ts'
import type { Given } from './settings/settings.ts'

/** A call of a command from a program. */
interface Call {
  /** Settles the options; rejects with a Failure when they are wrong. */
  readonly context: () => Promise<Context>
  /** Logs an error and gives the result of the failed call, with what was known by then; without secrets. */
  readonly failedResult: (error: unknown) => FailedResult
}

/** Prepares a call: log lines are objects on the standard error of `world`, nothing is printed. */
export function openCall(
  world: World,
  command: CommandName,
  operands: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Call {
  const facts: Record<string, unknown> = {}
  const choice = { json: false, quiet: false, verbose: 0, logFormat: 'json', noProgress: true } as const
  let terminal = createTerminal(world, {
    ...choice,
    color: 'never',
    noColor: true,
    noInput: true,
    noPager: true,
  })
  return {
    async context() {
      checkOperands(command, operands)
      const given = new Map(readOptions(command, options))
      given.set('noPager', [true]).set('logFormat', ['json']).set('noProgress', [true]).set('noInput', [true])
      const context = await openContext(world, { command, operands, afterDashes: [], given }, facts)
      terminal = context.terminal
      context.requireSettings()
      return context
    },
    failedResult(thrown) {
      terminal.stopProgress()
      const error = interruptionOr(world, thrown)
      explain(terminal, error)
      const object = errorObject(error, terminal)
      const result = { schema: `matdecl.${command}/1`, status: 'failed', error: object, ...facts }
      return JSON.parse(terminal.redact(JSON.stringify(result))) as FailedResult
    },
  }
}

// commander checks those of a command line.
function checkOperands(command: CommandName, operands: readonly string[]): void {
  const expected = operandsOf(COMMANDS.find(({ name }) => name === command)!)
  const missing = expected.find(({ required }, index) => required && operands[index] === undefined)
  if (missing === undefined && !operands.includes('')) return
  throw new Failure('usage', missing === undefined ? 'an argument is empty' : `${command} requires a file`, {
    hint: `matdecl ${command} --help shows its arguments`,
  })
}

/**
 * The options of a call from a program, as the settings take them: `startDate` is the option `start-date`; undefined and false
 * are not given. Values are checked with all other settings.
 */
function readOptions(
  command: CommandName,
  options: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, Given> {
  const rows: readonly OptionRow[] = optionsOf(command)
  const given = new Map<string, Given>()
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === false) continue
    const row = rows.find((one) => camelCase(one.name) === name)
    if (row === undefined) throw unknownOption(command, name, rows)
    given.set(row.key, givenValue(row, name, value))
  }
  return given
}

function givenValue(row: OptionRow, name: string, value: unknown): Given {
  const values = row.repeatable === true && Array.isArray(value) ? value : [value]
  if (row.type.kind === 'count') return Array.from({ length: Number(value) }, () => true)
  return values.map((one) => givenText(row, name, one))
}

function givenText(row: OptionRow, name: string, value: unknown): string | true {
  if (value === true && (row.type.kind === 'flag' || row.takesOptionalValue)) return true
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new Failure(
    'usage',
    `the option ${name} cannot be ${Array.isArray(value) ? 'a list' : typeof value}`,
    {
      hint: row.type.kind === 'flag' ? 'expected true or false' : 'expected text or a number',
    },
  )
}

function unknownOption(command: CommandName, name: string, rows: readonly OptionRow[]): Failure {
  const near = nearest(
    name,
    rows.map((row) => camelCase(row.name)),
  )
  return new Failure('usage', `${command} has no option '${name}'`, {
    hint: near === undefined ? `matdecl ${command} --help lists the options` : `did you mean ${near}?`,
  })
}
