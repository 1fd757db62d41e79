import { BlockList, isIP } from 'node:net'
import { cleanText } from '../base/clean-text.ts'
import { Failure, type FailureKind } from '../base/failure.ts'
import { isLoopback } from '../request/request.ts'
import { Fault, type RetryRule } from './outcome.ts'

/** A proxy. `authorization` is a secret. */
export interface ProxyServer {
  readonly origin: string
  readonly protocol: 'http:' | 'https:'
  readonly hostname: string
  readonly port: number
  readonly authorization: string | undefined
  /** The source of the address, for messages: a variable or the option. */
  readonly source: string
}

type Env = Readonly<Record<string, string | undefined>>

interface Choice {
  readonly env: Env
  /** The option or its setting; '' means no proxy. */
  readonly explicit: string | undefined
  /** Where the setting comes from; undefined for the option on the command line. */
  readonly source?: string | undefined
}

const OPTION = 'the proxy option'

/**
 * The proxy for a URL, or undefined for a direct connection: the option, else `https_proxy` or `http_proxy` by the URL's scheme, else
 * `all_proxy`, unless `no_proxy` has its host. Variables count in lower case first, then in upper case; empty means unset. Localhost is never
 * proxied. Throws a Failure for an invalid address, and for a plain http URL, which the proxy could read.
 */
export function proxyFor(url: URL, { env, explicit, source = OPTION }: Choice): ProxyServer | undefined {
  const found = explicit === undefined ? proxyVariable(url, env) : { name: source, value: explicit.trim() }
  if (!found || found.value === '') return undefined
  const proxy = parseProxy(found.value, found.name)
  if (isLoopback(url.hostname)) return undefined
  if (url.protocol === 'https:') return proxy
  throw unusable(found.name, `${proxyLabel(proxy)} could read a request to ${url.host} over http:`, {
    hint: 'use an https: URL for the service, or connect without the proxy',
    options: ['base-url', 'proxy'],
  })
}

/** A proxy in messages, with the source of its address. */
export function proxyLabel({ hostname, port, source }: ProxyServer): string {
  return `the proxy ${authority(hostname, port)} (from ${source})`
}

/** `HOST:PORT`, with an IPv6 address in brackets. */
export function authority(host: string, port: number): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** The Fault for a proxy that refuses a tunnel to `destination`. */
export function proxyRefusal(
  status: number,
  proxy: ProxyServer,
  destination: string,
  challenges: readonly string[] = [],
): Fault {
  const { source, authorization, hostname, port } = proxy
  const options = source === OPTION ? { options: ['proxy'] } : {}
  const refuse = (kind: FailureKind, retry: RetryRule, what: string, hint: string): Fault =>
    new Fault(kind, retry, `${proxyLabel(proxy)} ${what}`, { httpStatus: status, hint, ...options })
  const schemes = challenges.flatMap((text) => text.match(/(?<=^|,)\s*[a-z]+(?=\s*(?:$|,|\s[^=]))/gi) ?? [])
  const names = [...new Set(schemes.map((scheme) => scheme.trim()))]
  if (status === 407 && names.length > 0 && !names.some((name) => /^basic$/i.test(name))) {
    return refuse(
      'auth',
      'never',
      `requires a login by ${cleanText(names.join(' or '), 80)}, only Basic is supported`,
      'run a local proxy that logs in, such as cntlm or px, and set its address as the proxy',
    )
  }
  // tinyproxy refuses a wrong login with 401.
  if (status === 407 || status === 401) {
    const [what, hint] =
      authorization === undefined
        ? [
            'requires a login',
            `include the login in the proxy URL: http://USER:PASSWORD@${authority(hostname, port)}`,
          ]
        : [
            'refused the login',
            `check the user name and the password in ${source}; percent-encode special characters`,
          ]
    return refuse('auth', 'never', `${what} (status ${status})`, hint)
  }
  const what = `refused to connect to ${destination} (status ${status})`
  return [408, 429, 502, 503, 504].includes(status)
    ? refuse('unavailable', 'always', what, 'try again later, or check the URL of the proxy')
    : refuse(
        'unavailable',
        'never',
        what,
        'contact the administrator of the proxy, or exempt the service with NO_PROXY',
      )
}

/** The secrets in the proxy addresses: user with password, password, and the encoded login. */
export function proxySecrets({ env, explicit }: Choice): readonly string[] {
  const addresses = [
    explicit,
    env.HTTPS_PROXY,
    env.https_proxy,
    env.HTTP_PROXY,
    env.http_proxy,
    env.ALL_PROXY,
    env.all_proxy,
  ]
  return addresses.flatMap((address) => {
    const typed = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(.*)@/i.exec(address?.trim() ?? '')?.[1]
    if (typed === undefined || typed === '') return []
    const password = typed.includes(':') ? typed.slice(typed.indexOf(':') + 1) : typed
    const login = loginOf(typed)
    const secrets = [typed, password, unescaped(password), Buffer.from(login).toString('base64')]
    return [...new Set(secrets.filter((secret) => secret !== ''))]
  })
}

/** True when `no_proxy` exempts this URL: `*`, a host with its subdomains, either with a port, an IP address, or a CIDR block. */
export function isExempt(url: URL, noProxy: string | undefined): boolean {
  const host = bare(url.hostname)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return (noProxy ?? '')
    .split(/[\s,]+/)
    .filter((rule) => rule !== '')
    .some((rule) => matches(rule.toLowerCase(), host, port))
}

/** The variable with the proxy of a URL; undefined when there is none, or the host is exempt. */
export function proxyVariable(
  url: URL,
  env: Env,
): { readonly name: string; readonly value: string } | undefined {
  const found =
    lookup(env, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? lookup(env, 'ALL_PROXY')
  return isExempt(url, lookup(env, 'NO_PROXY')?.value) ? undefined : found
}

function lookup(env: Env, name: string): { readonly name: string; readonly value: string } | undefined {
  for (const spelling of [name.toLowerCase(), name]) {
    const value = env[spelling]?.trim()
    if (value) return { name: spelling, value }
  }
  return undefined
}

function parseProxy(address: string, source: string): ProxyServer {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`
  const refuse = (message: string, hint: string): Failure =>
    unusable(source, `the proxy ${message}`, { hint: hint.replace('SOURCE', source) })
  const form = 'write it as http://HOST:PORT or http://USER:PASSWORD@HOST:PORT'
  // With a slash or a number sign in the password, the URL would end within it.
  const afterScheme = text.slice(text.indexOf('//') + 2)
  if (/[/?#]/.test(afterScheme.slice(0, Math.max(0, afterScheme.lastIndexOf('@'))))) {
    throw refuse(
      `URL from ${source} has a login with special characters`,
      'percent-encode them in the user name and the password: @ is %40, / is %2F, # is %23, ? is %3F',
    )
  }
  if (!URL.canParse(text)) throw refuse(`URL from ${source} is not valid`, form)
  const { protocol, username, password, hostname, port, origin, pathname } = new URL(text)
  if (/^socks/.test(protocol)) {
    throw refuse(
      `from ${source} is a SOCKS proxy, which is not supported`,
      'set HTTPS_PROXY to an HTTP proxy, or exempt the service with NO_PROXY',
    )
  }
  if (/^pac\b|^file:/.test(protocol) || /(?:\.pac|\/wpad\.dat)$/i.test(pathname)) {
    throw refuse(
      `from ${source} is a PAC file (automatic proxy configuration), which is not supported`,
      'set SOURCE to the proxy that the PAC file names for the service: http://HOST:PORT',
    )
  }
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw refuse(
      `from ${source} is ${protocol.slice(0, -1)}, only http and https proxies are supported`,
      form,
    )
  }
  const login = username === '' && password === '' ? undefined : loginOf(`${username}:${password}`)
  return {
    origin,
    protocol,
    hostname: bare(hostname),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    authorization: login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`,
    source,
  }
}

function unusable(
  source: string,
  message: string,
  details: { readonly hint: string; readonly options?: readonly string[] },
): Failure {
  const kind: FailureKind = source === OPTION ? 'usage' : 'config'
  return new Failure(kind, message, { ...(source === OPTION ? { options: ['proxy'] } : {}), ...details })
}

function loginOf(typed: string): string {
  const at = typed.indexOf(':')
  return at < 0
    ? `${unescaped(typed)}:`
    : `${unescaped(typed.slice(0, at))}:${unescaped(typed.slice(at + 1))}`
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function matches(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true
  const block = /^(.+)\/(\d{1,3})$/.exec(rule)
  if (block) return inBlock(host, bare(block[1]!), Number(block[2]))
  const withPort = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(rule)
  if (withPort && withPort[2] !== port) return false
  const name = bare(withPort ? withPort[1]! : rule)
    .replace(/^\*?\./, '')
    .replace(/\.$/, '')
  const plain = host.replace(/\.$/, '')
  if (isIP(name) !== 0 || isIP(plain) !== 0) return inBlock(plain, name, isIP(name) === 4 ? 32 : 128)
  return name !== '' && (plain === name || plain.endsWith(`.${name}`))
}

function inBlock(host: string, network: string, prefix: number): boolean {
  const family = isIP(network)
  if (family === 0 || isIP(host) !== family || prefix > (family === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(network, prefix, family === 4 ? 'ipv4' : 'ipv6')
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase()
}
