import { cutToWidth, displayWidth } from '../base/clean-text.ts'
import type { Progress } from '../base/notice.ts'
import { formatBytes, formatCount, formatCountdown, plural } from '../base/units.ts'
import { type Meter, shareOf } from './progress-meter.ts'

/** One word or figure of the line; the lower the rank, the longer it stays when the terminal is narrow. */
interface Item {
  readonly text: string
  readonly rank: number
}

// A wait for the first byte that is shorter is not worth a figure.
const SHOWN_PHASE_MS = 2_000
const SEPARATOR = '  '

/**
 * One line of progress: phase, percent, size, rate, time left and requests done; for a wait its reason and how much longer it takes.
 * It takes at most `columns`; percent and time left are the last to go.
 */
export function progressLine(progress: Progress, meter: Meter, columns = Number.POSITIVE_INFINITY): string {
  if (progress.phase === 'waiting') return waitLine(progress, meter, columns)
  const items = itemsOf(progress, meter)
  let room = columns + SEPARATOR.length
  let isFull = false
  const fitting = items
    .toSorted((one, other) => one.rank - other.rank)
    .filter(({ text }) => {
      room -= displayWidth(text) + SEPARATOR.length
      isFull ||= room < 0
      return !isFull
    })
  return items
    .filter((item) => fitting.includes(item))
    .map(({ text }) => text)
    .join(SEPARATOR)
}

function itemsOf(progress: Progress, { bytesPerSecond, leftMs, phaseMs }: Meter): readonly Item[] {
  const { phase, bytes = 0, totalBytes, filesDone = 0 } = progress
  const share = shareOf(progress)
  const isAsking = phase === 'asking'
  const requests = requestsDone(progress)
  const size = totalBytes === undefined ? '' : ` of ${formatBytes(totalBytes)}`
  const hasRate = bytes > 0 && bytesPerSecond !== undefined && !isAsking
  return [
    { text: isAsking ? 'waiting for the service' : phase, rank: 2 },
    ...(isAsking && phaseMs >= SHOWN_PHASE_MS ? [{ text: formatCountdown(phaseMs - 999), rank: 3 }] : []),
    ...(share !== undefined && share > 0 ? [{ text: `${Math.floor(share * 100)}%`, rank: 0 }] : []),
    ...(bytes > 0 ? [{ text: `${formatBytes(bytes)}${size}`, rank: 4 }] : []),
    ...(hasRate ? [{ text: `${formatBytes(Math.round(bytesPerSecond))}/s`, rank: 6 }] : []),
    ...(leftMs === undefined ? [] : [{ text: `${formatCountdown(leftMs)} left`, rank: 1 }]),
    ...(requests === undefined ? [] : [{ text: requests, rank: 5 }]),
    ...(filesDone > 0 ? [{ text: plural(filesDone, 'file'), rank: 5 }] : []),
  ]
}

// The reason is the first to be cut.
function waitLine(progress: Progress, { nowMs, leftMs }: Meter, columns: number): string {
  const { waitUntilMs = nowMs, reason, next } = progress
  const what = `${next ?? 'next'} in ${formatCountdown(waitUntilMs - nowMs)}`
  const done = requestsDone(progress)
  const left = leftMs === undefined ? '' : `${formatCountdown(leftMs)} left`
  const ends = [
    ...(done === undefined || left === '' ? [] : [`${what}  ${left}  ${done}`]),
    ...(left === '' ? [] : [`${what}  ${left}`]),
    ...(done === undefined ? [] : [`${what}  ${done}`]),
    what,
  ]
  for (const end of ends) {
    const line = reason === undefined ? end : `${reason}, ${end}`
    if (displayWidth(line) <= columns) return line
  }
  const room = columns - displayWidth(`, ${what}`)
  return reason !== undefined && room > 8
    ? `${cutToWidth(reason, room, '…')}, ${what}`
    : cutToWidth(what, columns, '…')
}

function requestsDone({ requestsDone: done = 0, requestsTotal: total = 0 }: Progress): string | undefined {
  return total > 1 ? `${formatCount(done)} of ${formatCount(total)} requests done` : undefined
}
