import type { FailureKind } from '../base/failure.ts'
import type { Glimpse } from './glimpse.ts'

/** What an answer other than an archive means to the user. */
export interface Refusal {
  readonly kind: FailureKind
  readonly message: string
  readonly hint: string
}

interface Facts {
  readonly status: number
  readonly host: string
  /** True when a redirect led to another origin, where no secret was sent. */
  readonly foreign: boolean
  readonly glimpse: Glimpse
  /** The service's own id of this request, cleaned, when it names one. */
  readonly requestId?: string | undefined
}

/** What an error status means: its exit code, one sentence with the service's own words, and the next step (contract §5). */
export function refusalOf(facts: Facts): Refusal {
  const { kind, message, hint } = meaning(facts)
  const id = facts.requestId ? ` (request id ${facts.requestId})` : ''
  return { kind, message: `${message}${wordsOf(facts.glimpse)}${id}`, hint }
}

/** What a 200 that holds no archive means: exit 5, with its type and first words. */
export function notAnArchive(facts: Facts & { readonly contentType: string | undefined }): Refusal {
  const { glimpse, host, status } = facts
  const type = facts.contentType ? `, ${facts.contentType}` : ', no content type'
  const what = {
    nothing: 'an empty answer',
    html: 'a web page',
    json: 'a JSON message',
    xml: 'an XML document',
    text: 'text',
    binary: 'unknown bytes',
    zip: 'an archive',
  }[glimpse.kind]
  const hints: Partial<Record<Glimpse['kind'], string>> = {
    html: 'an expired token, a wrong --base-url or a network that wants a login answers like this; open the address in a browser',
    nothing: 'the service sent no bytes; ask it for fewer parts, or report it to the provider',
    json: 'mend what the message names',
    text: 'mend what it says, or check --base-url and --api',
  }
  return {
    kind: 'rejected',
    message: `${host} sent ${what} instead of a ZIP archive (status ${status}${type})${wordsOf(glimpse)}`,
    hint: hints[glimpse.kind] ?? 'check --base-url and --api; the answer is not a ZIP archive',
  }
}

function meaning({ status, host, foreign }: Facts): Refusal {
  if (status === 401 || status === 403) return { kind: 'auth', ...authWords(status, host, foreign) }
  if (status === 407) {
    return {
      kind: 'auth',
      message: 'the proxy wants a login (status 407)',
      hint: 'give it in the proxy address: http://USER:PASSWORD@HOST:PORT, in HTTPS_PROXY',
    }
  }
  if (status >= 400 && status < 500) {
    // What was tried again and stayed is no verdict on the request.
    const isPassing = status === 408 || status === 425 || status === 429
    return { kind: isPassing ? 'unavailable' : 'rejected', ...clientWords(status, host) }
  }
  return { kind: 'unavailable', ...serverWords(status, host) }
}

function authWords(status: number, host: string, foreign: boolean): Omit<Refusal, 'kind'> {
  if (foreign) {
    return {
      message: `a redirect led to ${host}, which refused access (status ${status})`,
      hint: 'the token is sent to the configured service only; check --base-url',
    }
  }
  return status === 401
    ? {
        message: `${host} rejected the token (status 401)`,
        hint: 'check MATDECL_TOKEN (with --api v1 MATDECL_API_KEY): it may be expired or belong to another service; the provider gives them out',
      }
    : {
        message: `${host} does not allow this request with this token (status 403)`,
        hint: 'the token lacks the privilege or tier for this; ask the provider, or check with: matdecl doctor',
      }
}

function clientWords(status: number, host: string): Omit<Refusal, 'kind'> {
  switch (status) {
    case 404:
      return {
        message: `${host} does not know what was asked for (status 404)`,
        hint: 'check the supplier, the parts and --base-url (without /v2)',
      }
    case 410:
      return { message: `${host} no longer has this (status 410)`, hint: 'check the parts and --base-url' }
    case 405:
      return {
        message: `${host} does not take this kind of request (status 405)`,
        hint: 'check --base-url and --api',
      }
    case 413:
    case 414:
    case 431:
      return {
        message: `the request is too long for ${host} (status ${status})`,
        hint: 'ask for fewer parts at once: lower --batch-size or --max-url-length',
      }
    case 415:
      return {
        message: `${host} refused the format of the request (status 415)`,
        hint: 'check --format, --format-class and --api',
      }
    case 429:
      return {
        message: `${host} limits the rate (status 429)`,
        hint: 'come back later, or lower --rate',
      }
    case 408:
      return { message: `${host} gave up waiting for the request (status 408)`, hint: 'try again later' }
    case 425:
      return { message: `${host} is not ready for this request yet (status 425)`, hint: 'try again later' }
    case 400:
    case 422:
      return {
        message: `${host} refused the request as invalid (status ${status})`,
        hint: 'check --supplier, --part, --start-date, --format and --format-class',
      }
    default:
      return {
        message: `${host} refused the request (status ${status})`,
        hint: 'check the criteria and --base-url',
      }
  }
}

function serverWords(status: number, host: string): Omit<Refusal, 'kind'> {
  if (status === 511) {
    return {
      message: `the network wants a login before it lets requests through (status 511)`,
      hint: 'sign in to this network first, then try again',
    }
  }
  if (status === 501 || status === 505) {
    return { message: `${host} can not do this (status ${status})`, hint: 'check --base-url and --api' }
  }
  if (status >= 500 && status < 600) {
    return {
      message: `${host} is failing (status ${status})`,
      hint: 'try again later; if it stays, tell the provider',
    }
  }
  return {
    message: `${host} answered with an unusable status (${status})`,
    hint: 'check --base-url and what stands between here and there',
  }
}

function wordsOf(glimpse: Glimpse): string {
  return glimpse.words === '' ? '' : `: ${glimpse.kind === 'html' ? `"${glimpse.words}"` : glimpse.words}`
}
