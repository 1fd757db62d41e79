import type { Dispatcher } from 'undici'
import { cleanText } from '../base/clean-text.ts'
import type { Reporter } from '../base/notice.ts'
import { redactHeader, redactUrl } from '../base/redact.ts'

/** An undici interceptor: reports the head of each request and response as `trace` notices with masked secrets. */
export function traceHeads(
  reporter: Reporter,
  redact: (text: string) => string,
): Dispatcher.DispatcherComposeInterceptor {
  const trace = (event: string, line: string): void =>
    reporter.notice({ level: 'trace', event, message: cleanText(redact(line), 12_000) })
  const header = (event: string, mark: string, name: string, value: string): void =>
    trace(event, `${mark} ${name}: ${redactHeader(name, value)}`)

  function response(status: number, rawHeaders: readonly string[]): void {
    trace('http.response', `< ${status}`)
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
      const shown = name.toLowerCase() === 'location' ? redactUrl(value) : value
      header('http.response-header', '<', name, shown)
    }
  }

  return (dispatch) => (request, handler) => {
    trace('http.request', `> ${request.method} ${redactUrl(request.path)} HTTP/1.1`)
    header('http.request-header', '>', 'host', new URL(String(request.origin)).host)
    for (const [name, value] of Object.entries(request.headers ?? {}))
      header('http.request-header', '>', name, String(value))
    return dispatch(request, {
      onRequestStart: (...args) => handler.onRequestStart?.(...args),
      onResponseStart(controller, status, ...rest) {
        const { rawHeaders } = controller
        if (status >= 200 && Array.isArray(rawHeaders)) response(status, rawHeaders.map(String))
        handler.onResponseStart?.(controller, status, ...rest)
      },
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    })
  }
}
