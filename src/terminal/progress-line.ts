import { cutToWidth, displayWidth } from '../base/clean-text.ts'
import type { Progress } from '../base/notice.ts'
import { formatBytes, formatCount, formatCountdown, plural } from '../base/units.ts'
import type { Meter } from './progress-meter.ts'

// A wait for the first byte that is shorter is not worth a figure.
const SHOWN_PHASE_MS = 2_000
const SEPARATOR = '  '
// The beginning of a reason that is shorter says nothing.
const SHORTEST_REASON = 9

/**
 * One line of progress: what is done of all, the time left, what it is doing or why it waits, size and speed. It takes at most
 * `columns`: the last of these go first.
 */
export function progressLine(progress: Progress, meter: Meter, columns = Number.POSITIVE_INFINITY): string {
  let line = ''
  const add = (textFor: (room: number) => string): boolean => {
    const room = columns - (line === '' ? 0 : displayWidth(line) + SEPARATOR.length)
    const text = textFor(room)
    if (displayWidth(text) > room) return false
    if (text !== '') line += line === '' ? text : `${SEPARATOR}${text}`
    return true
  }
  const known = [doneOfAll(progress, meter), timeLeft(meter)].every((text) => add(() => text))
  if (known && add((room) => doing(progress, meter, room)))
    sizes(progress, meter).every((text) => add(() => text))
  return line
}

// Before anything is known of the time, how fast requests may start.
function doneOfAll(progress: Progress, { leftMs }: Meter): string {
  const { requestsDone = 0, requestsTotal = 1, perMinute, bytes, totalBytes, filesDone = 0 } = progress
  if (requestsTotal > 1) {
    const done = requestsDone === 0 ? '' : `${formatCount(requestsDone)} of `
    const isRateKnown = leftMs === undefined && perMinute !== undefined && Number.isFinite(perMinute)
    const rate = isRateKnown ? `, at most ${formatCount(perMinute)} a minute` : ''
    return `${done}${plural(requestsTotal, 'request')}${rate}`
  }
  const share = bytes !== undefined && totalBytes ? Math.min(1, bytes / totalBytes) : 0
  if (share > 0) return `${Math.floor(share * 100)}%`
  return filesDone > 0 ? plural(filesDone, 'file') : ''
}

function timeLeft({ leftMs }: Meter): string {
  return leftMs === undefined ? '' : `${formatCountdown(leftMs)} left`
}

function doing(progress: Progress, { nowMs, phaseMs }: Meter, room: number): string {
  const { phase, waitUntilMs = nowMs, reason, next = 'next' } = progress
  if (phase !== 'waiting') {
    const isLong = phase === 'asking' && phaseMs >= SHOWN_PHASE_MS
    const what = phase === 'asking' ? 'waiting for the service' : phase
    return isLong ? `${what} ${formatCountdown(phaseMs - 999)}` : what
  }
  const what = `${next} in ${formatCountdown(waitUntilMs - nowMs)}`
  const reasonRoom = room - displayWidth(`, ${what}`)
  return reason === undefined || reasonRoom < SHORTEST_REASON
    ? what
    : `${cutToWidth(reason, reasonRoom, '…')}, ${what}`
}

function sizes({ phase, bytes = 0, totalBytes }: Progress, { bytesPerSecond }: Meter): readonly string[] {
  const size = totalBytes === undefined ? '' : ` of ${formatBytes(totalBytes)}`
  const hasSpeed = bytesPerSecond !== undefined && phase !== 'asking' && phase !== 'waiting'
  return bytes === 0
    ? []
    : [`${formatBytes(bytes)}${size}`, ...(hasSpeed ? [`${formatBytes(Math.round(bytesPerSecond))}/s`] : [])]
}
