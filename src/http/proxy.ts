import { BlockList, isIP } from 'node:net'
import { Failure } from '../base/failure.ts'

/** The proxy an address goes through. `authorization` is a secret. */
export interface ProxyServer {
  readonly origin: string
  readonly protocol: 'http:' | 'https:'
  readonly hostname: string
  readonly port: number
  readonly authorization: string | undefined
  /** Where the address came from, for messages: `--proxy` or the variable's name. */
  readonly source: string
}

type Env = Readonly<Record<string, string | undefined>>

interface Choice {
  readonly env: Env
  /** What `--proxy` or its setting says; '' means no proxy at all. */
  readonly explicit: string | undefined
}

/**
 * The proxy for a URL, or undefined for a direct way: `--proxy` above all, else `https_proxy`/`http_proxy` by the URL's
 * scheme unless `no_proxy` names its host. Each variable counts in both spellings, the lower-case one first; empty is unset.
 */
export function proxyFor(url: URL, { env, explicit }: Choice): ProxyServer | undefined {
  if (explicit !== undefined) return explicit.trim() === '' ? undefined : parseProxy(explicit, '--proxy')
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const found = lookup(env, name)
  if (!found || isExempt(url, lookup(env, 'NO_PROXY')?.value)) return undefined
  return parseProxy(found.value, found.name)
}

/** Every text that must never be shown because a proxy's address holds it: user with password, password, and the login as sent. */
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
    const typed = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/]*)@/i.exec(address?.trim() ?? '')?.[1]
    if (typed === undefined || typed === '') return []
    const password = typed.includes(':') ? typed.slice(typed.indexOf(':') + 1) : typed
    const login = loginOf(typed)
    const secrets = [typed, password, unescaped(password), Buffer.from(login).toString('base64')]
    return [...new Set(secrets.filter((secret) => secret !== ''))]
  })
}

/** True when `no_proxy` exempts this URL: `*`, a host with its subdomains (`example.com`, `.example.com`), with a port, an address, a CIDR block. */
export function isExempt(url: URL, noProxy: string | undefined): boolean {
  const host = bare(url.hostname)
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  return (noProxy ?? '')
    .split(/[\s,]+/)
    .filter((rule) => rule !== '')
    .some((rule) => matches(rule.toLowerCase(), host, port))
}

function lookup(env: Env, name: string): { readonly name: string; readonly value: string } | undefined {
  for (const spelling of [name.toLowerCase(), name]) {
    const value = env[spelling]?.trim()
    if (value) return { name: spelling, value }
  }
  return undefined
}

function parseProxy(text: string, source: string): ProxyServer {
  const address = text.trim()
  let url: URL
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`)
  } catch {
    throw new Failure(
      source === '--proxy' ? 'usage' : 'config',
      `the proxy address in ${source} can not be read`,
      {
        hint: 'write it as http://HOST:PORT or http://USER:PASSWORD@HOST:PORT',
      },
    )
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Failure(
      source === '--proxy' ? 'usage' : 'config',
      `the proxy in ${source} is ${url.protocol.slice(0, -1)}, only http and https proxies are supported`,
      { hint: 'write it as http://HOST:PORT' },
    )
  }
  const login =
    url.username === '' && url.password === '' ? undefined : loginOf(`${url.username}:${url.password}`)
  return {
    origin: url.origin,
    protocol: url.protocol,
    hostname: bare(url.hostname),
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    authorization: login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`,
    source,
  }
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
  if (isIP(name) !== 0 || isIP(plain) !== 0) return sameAddress(name, plain)
  return name !== '' && (plain === name || plain.endsWith(`.${name}`))
}

function sameAddress(rule: string, host: string): boolean {
  return isIP(rule) !== 0 && isIP(rule) === isIP(host) && inBlock(host, rule, isIP(rule) === 4 ? 32 : 128)
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
