import { serveSandbox } from '../../use-cases/serve-sandbox.ts'
import type { CommandRun } from '../context.ts'
import { isInterruption } from '../explain.ts'

/** Serves until a signal comes; the address and the token are the result. */
export const run: CommandRun = async ({ world, settings, terminal }) => {
  const { values } = settings
  const sandbox = await serveSandbox(world, {
    port: values.port,
    token: values.sandboxToken,
    parts: values.parts,
    latencyMs: values.latency,
    ratePerMinute: values.sandboxRate,
    quota: values.quota,
    faults: values.fail,
  })
  try {
    if (terminal.choice.json) {
      await terminal.write(
        `${JSON.stringify({ schema: 'matdecl.sandbox/1', status: 'ok', url: sandbox.url, token: sandbox.token })}\n`,
      )
    } else {
      await terminal.write(`${sandbox.url}\n`)
      terminal.say(
        'sandbox.listening',
        `sandbox: listening on ${sandbox.url}, token ${sandbox.token}; Ctrl-C ends it`,
      )
      terminal.say(
        'sandbox.try',
        `sandbox: try MATDECL_TOKEN='${sandbox.token}' matdecl download --base-url ${sandbox.url} --part ${sandbox.suppliers[0]?.examples[0] ?? 'NUMBER'} -l`,
      )
    }
    await untilAborted(world.interrupt)
  } finally {
    await sandbox.close()
  }
  return isInterruption(world.interrupt.reason) ? world.interrupt.reason.exitCode : 0
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
