import type { ServerResponse } from 'node:http'

/** A JSON response. Every v2 error has a `message`. */
export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  answerText(response, status, 'application/json', `${JSON.stringify(value)}\n`)
}

/** A response sent immediately. */
export function answerText(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}

export function statusMessage(status: number): string {
  return MESSAGES[status] ?? (status >= 500 ? 'the service is unavailable' : 'the request was refused')
}

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'the access token is missing or invalid',
  403: 'this company is not allowed to download',
  404: 'resource cannot be found, review the request',
  405: 'method not allowed',
  406: 'Accept must allow application/zip',
  413: 'the request is too large',
  415: 'Content-Type must be application/json',
  421: 'the host must be localhost or an address',
  429: 'rate limit exceeded',
  500: 'internal server error',
  503: 'the service is unavailable, try again later',
}

export const LOGIN_PAGE =
  '<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in</h1><form></form></body></html>\n'
