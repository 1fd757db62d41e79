import { cleanText } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { visibleQuote } from '../../base/shell-quote.ts'
import { checkToken } from '../../request/token.ts'
import { serveSandbox } from '../../sandbox/sandbox.ts'
import type { CommandRun } from '../context.ts'
import { isInterruption } from '../explain.ts'
import { jsonResult } from '../json.ts'
import { takeOperands } from '../operands.ts'

/** Serves until a signal comes; the address and the token are the result. */
export const run: CommandRun = async ({ world, settings, terminal }) => {
  takeOperands(settings)
  const { values } = settings
  const token = values.sandboxToken === undefined ? undefined : usableToken(values.sandboxToken)
  const sandbox = await serveSandbox(world, {
    port: values.port,
    token,
    parts: values.parts,
    catalogFile: values.catalog,
    latencyMs: values.latency,
    ratePerMinute: values.sandboxRate,
    quota: values.quota,
    faults: values.fail,
    onRequest: ({ method, path, status, complete }) =>
      terminal.reporter.notice({
        level: 'detail',
        event: 'sandbox.request',
        message: `sandbox: ${cleanText(method)} ${path} ${status === 0 ? 'no answer' : status}${complete ? '' : ', broken off'}`,
        data: { method, path, status, complete },
      }),
  })
  const example = sandbox.suppliers.flatMap(({ examples }) => examples)[0] ?? 'NUMBER'
  try {
    if (terminal.choice.json) {
      await terminal.write(
        jsonResult('sandbox', 'ok', {
          url: sandbox.url,
          token: sandbox.token,
          suppliers: sandbox.suppliers,
        }),
      )
    } else {
      await terminal.write(`${sandbox.url}\n`)
      terminal.say(
        'sandbox.listening',
        `sandbox: listening on ${sandbox.url}, token ${sandbox.token}; Ctrl-C ends it`,
      )
      terminal.say(
        'sandbox.try',
        `sandbox: try MATDECL_TOKEN='${sandbox.token}' matdecl download --base-url ${sandbox.url} --part ${visibleQuote(example)} -l`,
      )
    }
    await untilAborted(world.interrupt)
  } finally {
    await sandbox.close()
  }
  return isInterruption(world.interrupt.reason) ? world.interrupt.reason.exitCode : 0
}

// What no header can carry would be a service that nobody gets into.
function usableToken(text: string): string {
  const checked = checkToken(text)
  if ('token' in checked) return checked.token
  throw new Failure('usage', `the token from --token ${checked.reason}`, {
    hint: 'take visible ASCII without spaces, such as try-me, or leave --token out for one that is made up',
  })
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
