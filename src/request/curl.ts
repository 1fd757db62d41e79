import { shellQuote } from '../base/shell-quote.ts'
import type { ServiceRequest } from './request.ts'

/** Marks the API key in a v1 body for `curlCommand`, which writes `$MATDECL_API_KEY` instead. */
export const API_KEY_STAND_IN = '\u0000key\u0000'

/** A request as a curl command line for a POSIX shell; with `$MATDECL_TOKEN` or `$MATDECL_API_KEY` in place of the secret. */
export function curlCommand(request: ServiceRequest, outputPath: string): string {
  const headers = Object.entries(request.headers).map(
    ([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`,
  )
  // `--globoff`: curl would read `[]` as a range.
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
  const [before, after] = body.split(JSON.stringify(API_KEY_STAND_IN).slice(1, -1))
  if (after === undefined) return shellQuote(body)
  return `'${before!.replaceAll("'", "'\\''")}'"$MATDECL_API_KEY"'${after.replaceAll("'", "'\\''")}'`
}
