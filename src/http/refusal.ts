import { cleanText } from '../base/clean-text.ts'
import type { FailureKind } from '../base/failure.ts'
import type { BodyPreview } from './body-preview.ts'
import { clientCertificateInText } from './client-certificate.ts'
import { RETRIED_STATUSES } from './retry.ts'

/** What a response without an archive means to the user. */
export interface Refusal {
  readonly kind: FailureKind
  readonly message: string
  readonly hint: string
  readonly options?: readonly string[]
}

interface Facts {
  readonly status: number
  readonly host: string
  /** True when a redirect led to another origin, where no secret was sent. */
  readonly foreign: boolean
  /** The requested URL, safe to print. */
  readonly url?: string | undefined
  readonly preview: BodyPreview
  /** The service's id of this request, cleaned, if it sent one. */
  readonly requestId?: string | undefined
  /** Where the token or API key comes from. */
  readonly secretSource?: string | undefined
}

/** What an error status means: exit code, a message that quotes the service, and the next step. */
export function refusalOf(facts: Facts): Refusal {
  const { host, preview, requestId } = facts
  const certificate = facts.status === 400 ? clientCertificateInText(host, preview.words) : undefined
  if (certificate) return { kind: 'rejected', ...certificate }
  const { message, ...rest } = meaning(facts)
  const id = requestId ? ` (request id ${requestId})` : ''
  return { ...rest, message: `${message}${wordsOf(preview)}${id}` }
}

/** What a 200 without an archive means: exit 5, with its type and first words. */
export function notAnArchive(facts: Facts & { readonly contentType: string | undefined }): Refusal {
  const { preview, host, status } = facts
  const type = facts.contentType ? `, ${facts.contentType}` : ', no content type'
  const what = {
    nothing: 'an empty response',
    html: 'a web page',
    json: 'a JSON message',
    xml: 'an XML document',
    text: 'text',
    binary: 'unknown bytes',
    zip: 'an archive',
  }[preview.kind]
  const hints: Partial<Record<BodyPreview['kind'], string>> = {
    html: 'an expired token, a wrong URL or a network that requires a login responds like this; open it in a browser',
    nothing: 'request fewer parts at once, or report it to the provider',
    json: 'fix the problem in the message',
    text: 'fix the problem in the message, or check the service URL',
  }
  return {
    kind: 'rejected',
    message: `${host} sent ${what} instead of a ZIP archive (status ${status}${type})${wordsOf(preview)}`,
    hint: hints[preview.kind] ?? 'check the service URL',
    options: preview.kind === 'nothing' ? ['batch-size'] : ['base-url', 'api'],
  }
}

interface Words {
  readonly message: string
  readonly hint: string
  readonly options?: readonly string[]
}

function meaning({ status, host, foreign, secretSource, url }: Facts): Refusal {
  if (status === 401 || status === 403)
    return { kind: 'auth', ...authWords(status, host, foreign, secretSource) }
  if (status === 407) {
    return {
      kind: 'auth',
      message: 'a proxy requires a login (status 407)',
      hint: 'include the login in the proxy URL: http://USER:PASSWORD@HOST:PORT',
      options: ['proxy'],
    }
  }
  if (status >= 400 && status < 500) {
    // These were retried: they do not mean that the request is wrong.
    const isTemporary = RETRIED_STATUSES.includes(status)
    return { kind: isTemporary ? 'unavailable' : 'rejected', ...clientWords(status, host, url) }
  }
  return { kind: 'unavailable', ...serverWords(status, host) }
}

function authWords(status: number, host: string, foreign: boolean, source = 'MATDECL_TOKEN'): Words {
  if (foreign) {
    return {
      message: `a redirect led to ${host}, which refused access (status ${status})`,
      hint: 'the token is sent to the configured service only; check its URL',
      options: ['base-url'],
    }
  }
  return status === 401
    ? {
        message: `${host} rejected the token (status 401)`,
        hint: `check ${source}: the token may have expired or belong to another service; the provider issues them`,
      }
    : {
        message: `${host} does not allow this request with this token (status 403)`,
        hint: 'the token lacks the privilege or tier for this; contact the provider, or check with: matdecl doctor',
      }
}

const TOO_LONG: Words = {
  message: 'the request is too long for HOST',
  hint: 'request fewer parts at once',
  options: ['batch-size', 'max-url-length'],
}
const INVALID: Words = {
  message: 'HOST refused the request as invalid',
  hint: 'check the criteria',
  options: ['supplier', 'part', 'start-date', 'format', 'format-class'],
}

const CLIENT_WORDS: Readonly<Record<number, Words>> = {
  400: INVALID,
  404: {
    message: 'HOST did not find what was requested',
    hint: 'check the supplier, the parts and the service URL (without /v2)',
    options: ['base-url'],
  },
  405: {
    message: 'HOST does not accept this kind of request',
    hint: 'check the service URL',
    options: ['base-url', 'api'],
  },
  408: { message: 'HOST timed out waiting for the request', hint: 'try again later' },
  410: {
    message: 'HOST no longer has what was requested',
    hint: 'check the parts and the service URL',
    options: ['base-url'],
  },
  413: TOO_LONG,
  414: TOO_LONG,
  415: {
    message: 'HOST refused the format of the request',
    hint: 'check the format',
    options: ['format', 'format-class', 'api'],
  },
  422: INVALID,
  425: { message: 'HOST is not ready for this request yet', hint: 'try again later' },
  429: {
    message: 'HOST is limiting the request rate',
    hint: 'try again later, or lower the rate',
    options: ['rate'],
  },
  431: TOO_LONG,
}

function clientWords(status: number, host: string, url: string | undefined): Words {
  const { message, ...advice } = CLIENT_WORDS[status] ?? {
    message: 'HOST refused the request',
    hint: 'check the criteria and the service URL',
    options: ['base-url'],
  }
  const asked = url === undefined || status !== 404 ? '' : `: ${url}`
  return { message: `${message.replace('HOST', host)} (status ${status})${asked}`, ...advice }
}

const MOST_URL_CHARACTERS = 200

/** A URL for messages: cleaned, redacted, shortened. That of another origin has no query, which may hold a signature. */
export function shownUrl(url: string, foreign: boolean, redact: (text: string) => string): string {
  const { origin, pathname, search } = new URL(url)
  const query = foreign && search !== '' ? '?…' : search
  return cleanText(redact(`${origin}${pathname}${query}`), MOST_URL_CHARACTERS)
}

function serverWords(status: number, host: string): Words {
  const checkAddress = { hint: 'check the service URL', options: ['base-url', 'api'] }
  if (status === 511) {
    return {
      message: 'the network requires a login (status 511)',
      hint: 'sign in to the network, then try again',
    }
  }
  if (status === 501 || status === 505)
    return { message: `${host} does not support this request (status ${status})`, ...checkAddress }
  if (status >= 500 && status < 600) {
    return {
      message: `${host} is failing (status ${status})`,
      hint: 'try again later; if it persists, report it to the provider',
    }
  }
  return { message: `${host} responded with an unusable status (${status})`, ...checkAddress }
}

function wordsOf(preview: BodyPreview): string {
  return preview.words === '' ? '' : `: ${preview.kind === 'html' ? `"${preview.words}"` : preview.words}`
}
