import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { plural } from '../../base/units.ts'
import type { StateEntry } from '../../download/state.ts'
import type { CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { okResult, printResult } from '../json.ts'

export const stateCommand: CommandDefinition = {
  name: 'state',
  summary: 'show or reset the dates for --since last-run',
  description:
    'A complete run of `download --since last-run` saves the date of the service and the requested parts. `show` lists the saved runs; `reset` deletes one by its ID, or all.',
  examples: [
    { line: 'matdecl state show', does: 'list the saved runs' },
    { line: 'matdecl state reset', does: 'delete all: the next run requests everything' },
  ],
  subcommands: [
    { name: 'show', summary: 'list the saved runs', operands: [], run: show },
    {
      name: 'reset',
      summary: 'delete one saved run, or all',
      operands: [{ name: 'ID', required: false }],
      run: reset,
    },
  ],
}

async function show({ world, terminal }: Context): Promise<number> {
  const { listState } = await import('../../download/state.ts')
  const entries = await listState(world)
  if (terminal.choice.json) {
    const runs = entries.map((entry) => ({
      id: idOf(entry),
      request: entry.request,
      lastRun: entry.lastRun,
      parts: entry.partCount,
      file: entry.file,
    }))
    await printResult(terminal, okResult('state', { runs }))
    return 0
  }
  for (const entry of entries) await terminal.write(`${idOf(entry)}  ${entry.lastRun}  ${describe(entry)}\n`)
  if (entries.length === 0)
    terminal.say('state.empty', 'no saved runs: no run with --since last-run has completed yet')
  return 0
}

async function reset({ world, settings, terminal }: Context): Promise<number> {
  const { resetState } = await import('../../download/state.ts')
  const [id] = settings.operands
  const count = await resetState(world, id === undefined ? undefined : (entry) => idOf(entry) === id)
  if (id !== undefined && count === 0) {
    throw new Failure('usage', `no saved run has the ID '${escapeUnsafe(id)}'`, {
      hint: 'matdecl state show lists them',
    })
  }
  await printResult(terminal, okResult('state', { forgotten: count }))
  if (terminal.choice.json) return 0
  terminal.say(
    'state.reset',
    `${plural(count, 'run')} deleted; the next --since last-run requests everything`,
  )
  return 0
}

function idOf({ identity }: StateEntry): string {
  return identity.slice(0, 12)
}

function describe({ request, partCount }: StateEntry): string {
  const { baseUrl, supplier, format, formatClass } = request
  const words = [
    baseUrl,
    ...(supplier === undefined ? [] : [`supplier ${supplier}`]),
    partCount === 0 ? 'everything' : plural(partCount, 'part'),
    [format, ...(formatClass === undefined ? [] : [`class ${formatClass}`])].join(' '),
  ]
  return escapeUnsafe(words.join(', '))
}
