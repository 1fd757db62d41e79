import { jsonText } from '../base/clean-text.ts'
/** One line of `--log-format json`: `time` (RFC 3339, UTC), `level`, `event`, `message`, then further data. */
export function logLine(
  nowMs: number,
  level: string,
  event: string,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): string {
  const { message: _, ...rest } = data
  return jsonText({
    time: new Date(nowMs).toISOString(),
    level: level === 'warning' ? 'warn' : level,
    event,
    message,
    ...rest,
  })
}
