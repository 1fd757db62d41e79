import { powershellQuote, shellQuote } from '../base/shell-words.ts'
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

/** How a command line is written for a shell. */
interface Shell {
  readonly curl: string
  readonly quote: (text: string) => string
  /** A variable of the environment, inside double quotes. */
  readonly variable: (name: string) => string
}

const POSIX: Shell = { curl: 'curl', quote: shellQuote, variable: (name) => `$${name}` }
// `curl` is another command in Windows PowerShell.
const POWERSHELL: Shell = { curl: 'curl.exe', quote: powershellQuote, variable: (name) => `$env:${name}` }

/**
 * A request as a curl command line for a POSIX shell, or for PowerShell on Windows; with the variables `MATDECL_TOKEN` or
 * `MATDECL_API_KEY` in place of the secret, and `PROXY_LOGIN` in place of the login of a proxy.
 */
export function curlCommand(
  request: ServiceRequest,
  outputPath: string,
  route: CurlRoute = {},
  platform: NodeJS.Platform = 'linux',
): string {
  const shell = platform === 'win32' ? POWERSHELL : POSIX
  const { quote, variable } = shell
  const headers = Object.entries(request.headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  const [piped, data] = request.body === undefined ? ['', []] : bodyWords(shell, request.body)
  // `--globoff`: curl would read `[]` as a range.
  const words = [
    `${piped}${shell.curl} --fail --silent --show-error --globoff`,
    ...routeWords(shell, route),
    ...(request.method === 'GET'
      ? [`-H "Authorization: Bearer ${variable('MATDECL_TOKEN')}"`]
      : [`-X ${request.method}`]),
    ...headers,
    ...data,
    `-o ${quote(outputPath)}`,
    quote(request.url),
  ]
  return words.join(' ')
}

function routeWords({ quote, variable }: Shell, route: CurlRoute): string[] {
  const files = [
    ['--cacert', route.caFile],
    ['--cert', route.clientCert],
    // curl asks for a password.
    ['--cert-type', /\.(?:p12|pfx)$/i.test(route.clientCert ?? '') ? 'P12' : undefined],
    ['--key', route.clientKey],
  ] as const
  return [
    ...(route.proxyVariable === undefined ? [] : [`--proxy "${variable(route.proxyVariable)}"`]),
    ...(route.proxy === undefined
      ? []
      : [route.proxy === '' ? "--noproxy '*'" : `--proxy ${quote(route.proxy)}`]),
    ...(route.hasProxyLogin ? [`--proxy-user "${variable('PROXY_LOGIN')}"`] : []),
    ...files.flatMap(([option, file]) => (file === undefined ? [] : [`${option} ${quote(file)}`])),
  ]
}

/** What comes before curl, and its words for the body. */
function bodyWords(shell: Shell, body: string): readonly [string, readonly string[]] {
  const [before = '', after] = body.split(JSON.stringify(API_KEY_STAND_IN).slice(1, -1))
  if (shell === POWERSHELL) {
    // Windows PowerShell takes the double quotes out of arguments, and pipes ASCII.
    const [start, end] = [before, after].map((text) => `'${asciiJson(text ?? '').replaceAll("'", "''")}'`)
    const text = after === undefined ? start : `(${start} + ${shell.variable('MATDECL_API_KEY')} + ${end})`
    return [`${text} | `, ["--data '@-'"]]
  }
  if (after === undefined) return ['', [`--data ${shellQuote(body)}`]]
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
  return ['', [`--data ${quoted(before)}"$MATDECL_API_KEY"${quoted(after)}`]]
}

function asciiJson(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
