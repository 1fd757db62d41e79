import { shellQuote } from '../base/shell-quote.ts'
import type { ServiceRequest } from './request.ts'

/** Marks the API key in a v1 body for `curlCommand`, which writes `$MATDECL_API_KEY` instead. */
export const API_KEY_STAND_IN = '\u0000key\u0000'

/** How curl reaches the service; no field has a secret. */
export interface CurlRoute {
  /** The address of the proxy without its login; '' for a direct connection despite the environment. */
  readonly proxy?: string | undefined
  /** The proxy needs a login. */
  readonly hasProxyLogin?: boolean
  /** The variable with the address of the proxy, in place of `proxy`. */
  readonly proxyVariable?: string | undefined
  readonly caFile?: string | undefined
  readonly clientCert?: string | undefined
  readonly clientKey?: string | undefined
}

/**
 * A request as a curl command line for a POSIX shell; with `$MATDECL_TOKEN` or `$MATDECL_API_KEY` in place of the secret, and
 * `$PROXY_LOGIN` in place of the login of a proxy.
 */
export function curlCommand(request: ServiceRequest, outputPath: string, route: CurlRoute = {}): string {
  const headers = Object.entries(request.headers).map(
    ([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`,
  )
  // `--globoff`: curl would read `[]` as a range.
  const words = [
    'curl --fail --silent --show-error --globoff',
    ...routeWords(route),
    ...(request.method === 'GET' ? ['-H "Authorization: Bearer $MATDECL_TOKEN"'] : [`-X ${request.method}`]),
    ...headers,
    ...(request.body === undefined ? [] : [`--data ${bodyWord(request.body)}`]),
    `-o ${shellQuote(outputPath)}`,
    shellQuote(request.url),
  ]
  return words.join(' ')
}

function routeWords(route: CurlRoute): string[] {
  const files = [
    ['--cacert', route.caFile],
    ['--cert', route.clientCert],
    // curl asks for a password.
    ['--cert-type', /\.(?:p12|pfx)$/i.test(route.clientCert ?? '') ? 'P12' : undefined],
    ['--key', route.clientKey],
  ] as const
  return [
    ...(route.proxyVariable === undefined ? [] : [`--proxy "$${route.proxyVariable}"`]),
    ...(route.proxy === undefined
      ? []
      : [route.proxy === '' ? "--noproxy '*'" : `--proxy ${shellQuote(route.proxy)}`]),
    ...(route.hasProxyLogin ? ['--proxy-user "$PROXY_LOGIN"'] : []),
    ...files.flatMap(([option, file]) => (file === undefined ? [] : [`${option} ${shellQuote(file)}`])),
  ]
}

function bodyWord(body: string): string {
  const [before, after] = body.split(JSON.stringify(API_KEY_STAND_IN).slice(1, -1))
  if (after === undefined) return shellQuote(body)
  return `'${before!.replaceAll("'", "'\\''")}'"$MATDECL_API_KEY"'${after.replaceAll("'", "'\\''")}'`
}
