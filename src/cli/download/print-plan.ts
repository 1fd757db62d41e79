import { cleanText, escapeUnsafe, joinTexts } from '../../base/clean-text.ts'
import { formatCount, formatDuration, plural } from '../../base/units.ts'
import { USER_AGENT } from '../../base/version.ts'
import { type Plan, planCost } from '../../download/plan.ts'
import type { Quota } from '../../http/quota.ts'
import { API_KEY_STAND_IN, type CurlRoute, curlCommand } from '../../request/curl.ts'
import { serviceRequest } from '../../request/request.ts'
import type { Context } from '../context.ts'
import { jsonPieces } from '../json.ts'
import { curlRoute } from './curl-route.ts'
import { type DownloadPlan, planResult } from './plan-download.ts'

/** Prints a plan: as text, as JSON, or as curl commands. */
export async function printPlan(
  { world, terminal, settings }: Context,
  { plan, quota }: DownloadPlan,
): Promise<void> {
  if (terminal.choice.json)
    return writeAll(jsonPieces(planResult(plan, settings.values.rate, quota)), terminal.write)
  if (settings.values.curl)
    return writeAll(
      curlLines(plan, curlRoute(world.env, settings, plan.baseUrl), world.host.platform),
      terminal.write,
    )
  const isWhole = terminal.choice.verbose > 0 || plan.requestCount <= MOST_SHOWN
  const look = { isWhole, hint: `-v prints all of them, with complete URLs` }
  return writeAll(textLines(plan, settings.values.rate, quota, look), terminal.write)
}

// Printing more would be too much: the first and the last are enough.
const MOST_SHOWN = 3
const MOST_URL_CHARACTERS = 300

function* textLines(
  plan: Plan,
  ratePerMinute: number,
  quota: Quota | undefined,
  { isWhole, hint }: { readonly isWhole: boolean; readonly hint: string },
): Generator<string> {
  const { requests, seconds } = planCost(plan, ratePerMinute)
  const left = quota === undefined ? '' : `, ${formatCount(quota.left)} of ${formatCount(quota.limit)} left`
  yield `${plural(requests, 'request')} for ${plan.partCount === 0 ? 'everything that matches the criteria' : plural(plan.partCount, 'part')}\n`
  yield `about ${formatDuration(seconds * 1000)} at ${formatCount(ratePerMinute)} requests per minute\n`
  yield `allowance: ${formatCount(requests)} used${left}\n`
  let index = 0
  for (const { url, parts } of plan.requests()) {
    index += 1
    const count = parts.length === 0 ? '' : ` (${plural(parts.length, 'part')})`
    if (!isWhole && index === 2) yield `\n… ${plural(requests - 2, 'request')} more; ${hint}\n`
    if (isWhole || index === 1 || index === requests) {
      yield `\nrequest ${index}${count}\n  ${isWhole ? url : cleanText(url, MOST_URL_CHARACTERS)}\n`
    }
  }
}

function* curlLines(plan: Plan, route: CurlRoute, platform: NodeJS.Platform): Generator<string> {
  let index = 0
  for (const planned of plan.requests()) {
    index += 1
    const request = serviceRequest(
      plan.baseUrl,
      planned.criteria,
      planned.parts,
      USER_AGENT,
      API_KEY_STAND_IN,
    )
    const output = plan.requestCount === 1 ? 'matdecl.zip' : `matdecl-${index}.zip`
    yield `${escapeUnsafe(curlCommand(request, output, route, platform))}\n`
  }
}

async function writeAll(pieces: Iterable<string>, write: (text: string) => Promise<void>): Promise<void> {
  for (const text of joinTexts(pieces)) await write(text)
}
