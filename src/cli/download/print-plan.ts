import { escapeUnsafe } from '../../base/clean-text.ts'
import { formatCount, formatDuration, plural } from '../../base/units.ts'
import { USER_AGENT } from '../../base/version.ts'
import { type Plan, type PlannedRequest, planCost } from '../../download/plan.ts'
import type { Quota } from '../../http/quota.ts'
import { API_KEY_STAND_IN, curlCommand } from '../../request/curl.ts'
import { serviceRequest } from '../../request/request.ts'
import type { Context } from '../context.ts'
import { jsonPieces } from '../json.ts'

/** Prints the plan and nothing else: as text, as one JSON object, or as the same requests for curl. */
export async function showPlan(
  { terminal, settings }: Context,
  plan: Plan,
  quota: Quota | undefined,
): Promise<void> {
  if (terminal.choice.json)
    return writeAll(jsonPieces(planObject(plan, settings.values.rate, quota)), terminal.write)
  if (settings.values.curl) return writeAll(curlLines(plan), terminal.write)
  return writeAll(textLines(plan, settings.values.rate, quota), terminal.write)
}

/** The plan as `matdecl.plan/1`. */
export function planObject(
  plan: Plan,
  ratePerMinute: number,
  quota: Quota | undefined,
): Readonly<Record<string, unknown>> {
  const cost = planCost(plan, ratePerMinute)
  return {
    schema: 'matdecl.plan/1',
    requests: Array.from(requestsOf(plan), ({ url, parts }) => ({ url, parts })),
    parts: plan.partCount,
    seconds: cost.seconds,
    allowance: {
      used: cost.requests,
      ...(quota === undefined ? {} : { limit: quota.limit, left: quota.left }),
    },
  }
}

function* textLines(plan: Plan, ratePerMinute: number, quota: Quota | undefined): Generator<string> {
  const { requests, seconds } = planCost(plan, ratePerMinute)
  const left = quota === undefined ? '' : `, ${formatCount(quota.left)} of ${formatCount(quota.limit)} left`
  yield `${plural(requests, 'request')} for ${plan.partCount === 0 ? 'everything the criteria select' : plural(plan.partCount, 'part')}\n`
  yield `about ${formatDuration(seconds * 1000)} at ${formatCount(ratePerMinute)} requests a minute\n`
  yield `allowance: ${formatCount(requests)} used${left}\n`
  let index = 0
  for (const { url, parts } of requestsOf(plan)) {
    index += 1
    const count = parts.length === 0 ? '' : ` (${plural(parts.length, 'part')})`
    yield `\nrequest ${index}${count}\n  ${url}\n`
  }
}

function* curlLines(plan: Plan): Generator<string> {
  let index = 0
  for (const planned of requestsOf(plan)) {
    index += 1
    const request = serviceRequest(
      plan.baseUrl,
      planned.criteria,
      planned.parts,
      USER_AGENT,
      API_KEY_STAND_IN,
    )
    yield `${escapeUnsafe(curlCommand(request, plan.requestCount === 1 ? 'matdecl.zip' : `matdecl-${index}.zip`))}\n`
  }
}

function* requestsOf(plan: Plan): Generator<PlannedRequest> {
  for (const range of plan.ranges) yield plan.request(range)
}

// A write for each of thousands of requests would take longer than making them.
const AT_ONCE = 65_536

async function writeAll(pieces: Iterable<string>, write: (text: string) => Promise<void>): Promise<void> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < AT_ONCE) continue
    await write(text)
    text = ''
  }
  if (text !== '') await write(text)
}
