import { cleanText } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { quoteFor } from '../../base/shell-words.ts'
import { checkToken } from '../../request/token.ts'
import type { CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { isInterruption } from '../explain.ts'
import { okResult, printResult } from '../json.ts'

export const sandboxCommand: CommandDefinition = {
  name: 'sandbox',
  summary: 'run a mock service on this machine',
  operands: [],
  description:
    'Serves /v2/download, /v2/ping, /v2/quota and /api/download on 127.0.0.1 with generated suppliers and parts, until it is stopped.',
  examples: [
    { line: 'matdecl sandbox --port 8080 --token try-me', does: 'start a service to test commands against' },
    { line: 'matdecl sandbox --fail 503x2', does: 'respond to the first two requests with 503' },
    { line: 'matdecl sandbox --date 2025-03-01', does: 'serve the declarations as of a given day' },
  ],
  run,
}

/** Serves until a signal; the URL and the token are the result. */
async function run({ world, settings, terminal }: Context): Promise<number> {
  const { serveSandbox } = await import('../../sandbox/sandbox.ts')
  const { values } = settings
  const token = values.sandboxToken === undefined ? undefined : usableToken(values.sandboxToken)
  const sandbox = await serveSandbox(world, {
    port: values.port,
    token,
    parts: values.parts,
    date: values.sandboxDate,
    latencyMs: values.latency,
    ratePerMinute: values.sandboxRate,
    quota: values.quota,
    faults: values.fail,
    onRequest: ({ method, path, status, complete }) =>
      terminal.reporter.notice({
        level: 'detail',
        event: 'sandbox.request',
        message: `sandbox: ${cleanText(method)} ${path} ${status === 0 ? 'no response' : status}${complete ? '' : ', broken off'}`,
        data: { method, path, status, complete },
      }),
  })
  const example = sandbox.suppliers.flatMap(({ examples }) => examples)[0] ?? 'NUMBER'
  try {
    const { url, token, suppliers } = sandbox
    await printResult(terminal, okResult('sandbox', { url, token, suppliers }), `${url}\n`)
    if (!terminal.choice.json) {
      terminal.say(
        'sandbox.listening',
        `sandbox: listening on ${sandbox.url}, token ${sandbox.token}; press Ctrl-C to stop`,
      )
      const { platform } = world.host
      const variable = `MATDECL_TOKEN='${sandbox.token}'`
      const withToken = platform === 'win32' ? `$env:${variable};` : variable
      terminal.say(
        'sandbox.try',
        `sandbox: try ${withToken} matdecl download --base-url ${sandbox.url} --part ${quoteFor(platform)(example)} -l`,
      )
    }
    await untilAborted(world.interrupt)
  } finally {
    await sandbox.close()
  }
  return isInterruption(world.interrupt.reason) ? world.interrupt.reason.exitCode : 0
}

// Nobody could send a token that a header cannot contain.
function usableToken(text: string): string {
  const checked = checkToken(text)
  if ('token' in checked) return checked.token
  throw new Failure('usage', `the token from --token ${checked.reason}`, {
    hint: 'use visible ASCII without spaces, such as try-me, or omit --token for a random one',
  })
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
