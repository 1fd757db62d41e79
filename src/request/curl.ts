import { shellQuote } from '../base/shell-quote.ts'
import type { ServiceRequest } from './request.ts'

const KEY_PLACEHOLDER = '\u0000key\u0000'

/** What stands for the API key in a v1 body until the command line is written. */
export const API_KEY_STAND_IN = KEY_PLACEHOLDER

/**
 * A request as a curl command line for a POSIX shell, with `$MATDECL_TOKEN` (or `$MATDECL_API_KEY` in a v1 body) for the
 * secret. `--globoff` keeps curl from reading `[]` as a range.
 */
export function curlCommand(request: ServiceRequest, outputPath: string): string {
  const headers = Object.entries(request.headers).map(
    ([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`,
  )
  const words = [
    'curl --fail --silent --show-error --globoff',
    ...(request.method === 'GET' ? ['-H "Authorization: Bearer $MATDECL_TOKEN"'] : [`-X ${request.method}`]),
    ...headers,
    ...(request.body === undefined ? [] : [`--data ${bodyWord(request.body)}`]),
    `-o ${shellQuote(outputPath)}`,
    shellQuote(request.url),
  ]
  return words.join(' ')
}

function bodyWord(body: string): string {
  const [before, after] = body.split(JSON.stringify(KEY_PLACEHOLDER).slice(1, -1))
  if (after === undefined) return shellQuote(body)
  return `'${before!.replaceAll("'", "'\\''")}'"$MATDECL_API_KEY"'${after.replaceAll("'", "'\\''")}'`
}
