import { cleanText } from '../base/clean-text.ts'
import { isLoopback } from '../request/request.ts'

/** The maximum number of redirects in a row. */
export const MAX_REDIRECTS = 5

const REDIRECTS: readonly number[] = [300, 301, 302, 303, 307, 308]

interface Hop {
  /** The URLs of this request so far, in order. */
  readonly trail: readonly string[]
  readonly method: 'GET' | 'POST'
  readonly status: number
  readonly location: string | undefined
  /** Where an archive that is being prepared will be: may be the same URL again. */
  readonly isPoll?: boolean
}

/** True for the statuses with a new location. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.includes(status)
}

/** Scheme, host and port; secrets are sent to one origin only. */
export function originOf(url: string): string {
  return new URL(url).origin
}

/**
 * The target of a redirect, or why it is not followed: no URL, a scheme other than http(s), https to http, a user name in it,
 * a public host that redirects into this machine, a loop, too many, or a body with an API key for another origin.
 */
export function nextHop(
  hop: Hop,
): { readonly url: string; readonly method: 'GET' | 'POST' } | { readonly reason: string } {
  const from = new URL(hop.trail.at(-1)!)
  if (hop.location === undefined || hop.location.trim() === '') return { reason: 'it names no URL' }
  let to: URL
  try {
    to = new URL(hop.location.trim(), from)
  } catch {
    return { reason: 'its URL is not valid' }
  }
  to.hash = ''
  const method = hop.method === 'POST' && hop.status !== 307 && hop.status !== 308 ? 'GET' : hop.method
  const reason = refusal(from, to, method, hop)
  return reason === undefined ? { url: to.href, method } : { reason }
}

function refusal(
  from: URL,
  to: URL,
  method: 'GET' | 'POST',
  { trail, isPoll = false }: Hop,
): string | undefined {
  if (to.protocol !== 'https:' && to.protocol !== 'http:') {
    return `it leads to ${cleanText(to.protocol, 40)}, only https: is followed`
  }
  if (from.protocol === 'https:' && to.protocol === 'http:') return 'it leads from https to http'
  if (to.protocol === 'http:' && !isLoopback(to.hostname)) return 'it leads to unprotected http:'
  if (to.username !== '' || to.password !== '') return 'its URL has a user name or password'
  if (isInward(to.hostname) && !isInward(new URL(trail[0]!).hostname)) {
    return `it leads to ${to.hostname}, a local address`
  }
  if (method === 'POST' && to.origin !== new URL(trail[0]!).origin) {
    return 'it would send the API key to another host'
  }
  if (trail.includes(to.href) && method === 'GET' && !isPoll) return `it is a loop, back to ${to.host}`
  return trail.length > MAX_REDIRECTS ? `it is the ${trail.length}th in a row` : undefined
}

function isInward(hostname: string): boolean {
  return (
    isLoopback(hostname) ||
    hostname.endsWith('.localhost') ||
    /^169\.254\./.test(hostname) ||
    /^0\./.test(hostname) ||
    /^\[(?:fe[89ab][0-9a-f]:|::\]|::ffff:(?:7f|a9fe:|0:))/i.test(hostname)
  )
}
