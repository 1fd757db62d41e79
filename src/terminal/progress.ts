import type { Progress } from '../base/notice.ts'
import { formatBytes, formatDuration } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { isSet, wantsColor, wantsUnicode } from './color.ts'
import type { OutputChoice } from './output-choice.ts'

/** Shows progress: a spinner on a terminal, a plain line every 30 s elsewhere. */
export interface ProgressView {
  readonly show: (progress: Progress) => void
  /** Runs `draw` with the spinner cleared. */
  readonly around: <T>(draw: () => T) => T
  readonly stop: () => void
}

const LINE_EVERY_MS = 30_000
const DRAW_EVERY_MS = 80
/** The width of a terminal that does not report its own. */
export const USUAL_COLUMNS = 80

/** The progress view of one run. `line` writes a plain line. */
export function createProgress(
  world: World,
  choice: OutputChoice,
  line: (event: string, message: string) => void,
): ProgressView {
  if (choice.quiet || choice.noProgress)
    return { show: () => undefined, around: (draw) => draw(), stop: () => undefined }
  const animates =
    world.stderr.isTTY === true &&
    world.env.TERM !== 'dumb' &&
    !isSet(world.env.CI) &&
    !choice.json &&
    choice.logFormat === 'text'
  const hasColor = wantsColor({ ...choice, env: world.env, isTTY: true })
  return animates ? spinnerView(world, hasColor) : lineView(world, line)
}

interface Spinner {
  text: string
  readonly start: () => unknown
  readonly stop: () => unknown
  readonly clear: () => unknown
  readonly render: () => unknown
}

function spinnerView(world: World, hasColor: boolean): ProgressView {
  let spinner: Spinner | undefined
  let latest: Progress | undefined
  let isStopped = false
  let drawnAt = 0
  const meter = createMeter(world)
  const begin = async (): Promise<void> => {
    const { default: ora } = await import('ora')
    if (isStopped || latest === undefined) return
    // A terminal without a size has 0 columns: ora would clear lines forever.
    if (!world.stderr.columns) Object.assign(world.stderr, { columns: USUAL_COLUMNS })
    spinner = ora({
      stream: world.stderr as NodeJS.WriteStream,
      discardStdin: false,
      isEnabled: true,
      // ora ignores NO_COLOR and the locale.
      color: hasColor && 'cyan',
      spinner: wantsUnicode(world.env, world.host.platform) ? 'dots' : 'line',
    })
    spinner.text = describe(latest, meter.read(), world.stderr.columns)
    spinner.start()
  }
  return {
    show: (progress) => {
      const isFirst = latest === undefined
      latest = progress
      meter.count(progress)
      isStopped = false
      if (isFirst) {
        void begin()
        return
      }
      const now = world.clock.monotonicMs()
      if (spinner === undefined || now - drawnAt < DRAW_EVERY_MS) return
      drawnAt = now
      spinner.text = describe(progress, meter.read(), world.stderr.columns)
    },
    around: (draw) => {
      spinner?.clear()
      const result = draw()
      if (!isStopped) spinner?.render()
      return result
    },
    stop: () => {
      isStopped = true
      latest = undefined
      spinner?.stop()
      spinner = undefined
    },
  }
}

function lineView(world: World, line: (event: string, message: string) => void): ProgressView {
  let latest: Progress | undefined
  let stopTimer: (() => void) | undefined
  const meter = createMeter(world)
  return {
    show: (progress) => {
      latest = progress
      meter.count(progress)
      stopTimer ??= world.clock.every(LINE_EVERY_MS, () => {
        if (latest !== undefined) line('progress', describe(latest, meter.read()))
      })
    },
    around: (draw) => draw(),
    stop: () => {
      stopTimer?.()
      stopTimer = undefined
    },
  }
}

/** One line of progress: phase, requests, bytes, rate and time left. Cut to `columns`. */
export function describe(progress: Progress, { bytesPerSecond, elapsedMs }: Meter, columns?: number): string {
  const words: string[] = [progress.phase]
  if (progress.requestsTotal !== undefined && progress.requestsTotal > 1) {
    words.push(`request ${progress.requestsDone ?? 0} of ${progress.requestsTotal}`)
  }
  if (progress.bytes !== undefined && progress.bytes > 0) {
    const total = progress.totalBytes === undefined ? '' : ` of ${formatBytes(progress.totalBytes)}`
    words.push(`${formatBytes(progress.bytes)}${total}`)
    if (bytesPerSecond !== undefined) words.push(`${formatBytes(Math.round(bytesPerSecond))}/s`)
  }
  const etaMs = remainingMs(progress, bytesPerSecond, elapsedMs)
  if (etaMs !== undefined) words.push(`${formatDuration(etaMs)} left`)
  const waiting = progress.waitMs === undefined ? '' : ` for ${formatDuration(progress.waitMs)}`
  const reason = progress.reason === undefined ? '' : `: ${progress.reason}`
  const text = `${words.join('  ')}${waiting}${reason}`
  return columns !== undefined && columns > 8 && text.length > columns - 4
    ? `${text.slice(0, columns - 5)}…`
    : text
}

function remainingMs(
  progress: Progress,
  bytesPerSecond: number | undefined,
  elapsedMs: number,
): number | undefined {
  const { bytes, totalBytes, requestsDone, requestsTotal } = progress
  if (requestsDone !== undefined && requestsTotal !== undefined && requestsTotal > 1) {
    return requestsDone > 0 ? (elapsedMs / requestsDone) * (requestsTotal - requestsDone) : undefined
  }
  if (totalBytes === undefined || bytes === undefined || !bytesPerSecond) return undefined
  return (Math.max(0, totalBytes - bytes) / bytesPerSecond) * 1000
}

/** The rate and the time of progress. */
export interface Meter {
  /** Over the last few seconds of one phase. */
  readonly bytesPerSecond: number | undefined
  /** Since the first progress. */
  readonly elapsedMs: number
}

function createMeter(world: World): { count: (progress: Progress) => void; read: () => Meter } {
  const startedMs = world.clock.monotonicMs()
  let phase = ''
  let samples: { at: number; bytes: number }[] = []
  return {
    count: (progress) => {
      if (progress.phase !== phase) {
        phase = progress.phase
        samples = []
      }
      if (progress.bytes === undefined) return
      const at = world.clock.monotonicMs()
      const last = samples.at(-1)
      if (last !== undefined && progress.bytes < last.bytes) samples = []
      if (last === undefined || at - last.at >= 100) samples.push({ at, bytes: progress.bytes })
      if (samples.length > 50) samples.shift()
    },
    read: () => {
      const elapsedMs = world.clock.monotonicMs() - startedMs
      const [first, last] = [samples[0], samples.at(-1)]
      if (first === undefined || last === undefined || last.at - first.at < 500) {
        return { bytesPerSecond: undefined, elapsedMs }
      }
      return { bytesPerSecond: ((last.bytes - first.bytes) / (last.at - first.at)) * 1000, elapsedMs }
    },
  }
}
