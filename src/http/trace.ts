import { cleanText } from '../base/clean-text.ts'
import type { Reporter } from '../base/notice.ts'
import { redactHeader, redactUrl } from '../base/redact.ts'
import type { WireAnswer, WireRequest } from './exchange.ts'

/** Tells every request and answer head as notices of level `trace`, with secrets taken out. */
export interface Trace {
  readonly request: (wire: WireRequest, url: URL) => void
  readonly response: (answer: WireAnswer) => void
  readonly redirect: (from: URL, to: URL) => void
}

/** A trace into `reporter`; bodies are never shown. */
export function createTrace(reporter: Reporter, redact: (text: string) => string): Trace {
  const tell = (event: string, line: string): void =>
    reporter.notice({ level: 'trace', event, message: redact(cleanText(line, 12_000)) })
  const header = (event: string, mark: string, name: string, value: string): void =>
    tell(event, `${mark} ${name}: ${redactHeader(name, value)}`)
  return {
    request: (wire, url) => {
      tell('http.request', `> ${wire.method} ${redactUrl(wire.path)} HTTP/1.1`)
      header('http.request-header', '>', 'host', url.host)
      for (const [name, value] of Object.entries(wire.headers))
        header('http.request-header', '>', name, value)
    },
    response: (answer) => {
      tell('http.response', `< ${answer.status}`)
      for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
        const name = answer.rawHeaders[at]!.toString('latin1')
        const value = answer.rawHeaders[at + 1]!.toString('utf8')
        const shown = name.toLowerCase() === 'location' ? redactUrl(value) : value
        header('http.response-header', '<', name, shown)
      }
    },
    redirect: (from, to) => {
      reporter.notice({
        level: 'detail',
        event: 'request.redirect',
        message: redact(`redirected from ${cleanText(from.host)} to ${cleanText(to.host)}`),
      })
    },
  }
}
