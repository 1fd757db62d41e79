import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { plural } from '../../base/units.ts'
import { listState, resetState, type StateEntry } from '../../download/state.ts'
import type { CommandRun, Context } from '../context.ts'
import { jsonResult } from '../json.ts'
import { takeOperands } from '../operands.ts'

/** What is remembered for `--since last-run`: shown, or forgotten. */
export const run: CommandRun = async (context) => {
  const [action, id] = takeOperands(context.settings)
  if (action === 'show') return show(context)
  if (action === 'reset') return reset(context, id)
  throw new Failure('usage', `state does not know '${escapeUnsafe(action!)}'`, {
    hint: 'it knows show and reset',
  })
}

async function show({ world, terminal }: Context): Promise<number> {
  const entries = await listState(world)
  if (terminal.choice.json) {
    const runs = entries.map((entry) => ({
      id: idOf(entry),
      request: entry.request,
      lastRun: entry.lastRun,
      parts: entry.partCount,
      file: entry.file,
    }))
    await terminal.write(jsonResult('state', 'ok', { runs }))
    return 0
  }
  for (const entry of entries) await terminal.write(`${idOf(entry)}  ${entry.lastRun}  ${describe(entry)}\n`)
  if (entries.length === 0)
    terminal.say('state.empty', 'nothing is remembered: no run with --since last-run came to its end yet')
  return 0
}

async function reset({ world, terminal }: Context, id: string | undefined): Promise<number> {
  const count = await resetState(world, id === undefined ? undefined : (entry) => idOf(entry) === id)
  if (id !== undefined && count === 0) {
    throw new Failure('usage', `nothing is remembered under '${escapeUnsafe(id)}'`, {
      hint: 'matdecl state show lists what is',
    })
  }
  if (terminal.choice.json) await terminal.write(jsonResult('state', 'ok', { forgotten: count }))
  else
    terminal.say(
      'state.reset',
      `${plural(count, 'run')} forgotten; the next --since last-run asks for everything`,
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
