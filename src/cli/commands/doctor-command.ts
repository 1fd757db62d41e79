import { escapeUnsafe, wrapText } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { withOptions } from '../../base/notice.ts'
import { formatCount } from '../../base/units.ts'
import type { Check } from '../../doctor/doctor.ts'
import { unlessReaderGone } from '../../terminal/stream-writer.ts'
import type { CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import type { SandboxAccess } from '../doctor-options-of.ts'
import { FailedRun, okResult, printResult } from '../json.ts'

export const doctorCommand: CommandDefinition = {
  name: 'doctor',
  summary: 'diagnose the setup and suggest fixes',
  operands: [],
  description:
    'Prints one line for each thing a download needs: passed, failed with a suggested fix, or skipped with the reason. Downloads nothing and uses no allowance. Exits with the code of the first failed check.',
  examples: [
    { line: 'matdecl doctor', does: 'check that everything is ready' },
    { line: 'matdecl doctor --profile nightly --quiet', does: 'in a cron job: print only failures' },
    { line: 'matdecl doctor --sandbox', does: 'try it without an account or settings' },
  ],
  common: ['base-url', 'proxy', 'ca-file', 'sandbox'],
  run: runDoctor,
}

const NAME_WIDTH = 12

/** Checks everything a download needs, one line each. Exits with the code of the first failed check. */
async function runDoctor(context: Context): Promise<number> {
  if (!context.settings.values.sandbox) return runWith(context, undefined)
  const { serveSandbox } = await import('../../sandbox/sandbox.ts')
  await using sandbox = await serveSandbox(context.world, { faults: [] })
  context.terminal.secrets.add(sandbox.token)
  return await runWith(context, sandbox)
}

async function runWith(context: Context, sandbox: SandboxAccess | undefined): Promise<number> {
  const { world, terminal } = context
  const { runChecks } = await import('../../doctor/doctor.ts')
  const { doctorOptionsOf } = await import('../doctor-options-of.ts')
  const checks: Check[] = []
  for await (const check of runChecks(world, doctorOptionsOf(context, sandbox))) {
    checks.push(check)
    await show(context, check).catch(unlessReaderGone)
  }
  const shown = checks.map(({ kind, fix, options, ...check }) => ({
    ...check,
    fix: fix && withOptions(fix, options, terminal.hasOption),
    mend: fix && withOptions(fix, options, terminal.hasOption),
    code: kind,
  }))
  const failed = checks.filter(({ status }) => status === 'fail')
  const [first] = failed
  if (first !== undefined) {
    const others =
      failed.length === 1 ? '' : `; ${formatCount(failed.length)} of ${checks.length} checks failed`
    const { kind, name, message, fix: hint, options } = first
    throw new FailedRun(new Failure(kind!, `${name}: ${message}${others}`, { hint, options }), {
      checks: shown,
    })
  }
  await printResult(terminal, okResult('doctor', { checks: shown }))
  return 0
}

async function show({ terminal }: Context, { name, status, message, fix, options }: Check): Promise<void> {
  if (terminal.choice.json || (terminal.choice.quiet && status !== 'fail')) return
  const { good, bad, faint, mark } = terminal.out
  const signs = { pass: good(mark.good), fail: bad(mark.bad), skip: faint('-') }
  const gap = ' '.repeat(Math.max(0, mark.good.length - (status === 'pass' ? mark.good : mark.bad).length))
  const text = `${name.padEnd(NAME_WIDTH)}  ${escapeUnsafe(message)}`
  const column = mark.good.length + 1
  const lines =
    terminal.columns === undefined
      ? [text]
      : wrapText(text, terminal.columns - column, ' '.repeat(NAME_WIDTH + 2))
  const styled = lines.map((one) => (status === 'skip' ? faint(one) : one))
  const line = `${signs[status]}${gap} ${styled.join(`\n${' '.repeat(column)}`)}\n`
  const typed = withOptions(fix ?? '', options, terminal.hasOption)
  const fixLine = fix === undefined ? '' : `${' '.repeat(NAME_WIDTH + 4)}fix: ${escapeUnsafe(typed)}\n`
  await terminal.write(`${line}${fixLine}`)
}
