import type { Progress } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { progressLine } from './progress-line.ts'
import { createMeter } from './progress-meter.ts'
import { isSet, type OutputChoice, wantsColor, wantsUnicode } from './style.ts'

/** Shows progress: a spinner on a terminal, a plain line every 30 s elsewhere. */
export interface ProgressView {
  readonly show: (progress: Progress) => void
  /** Runs `draw` with the spinner cleared. */
  readonly around: <T>(draw: () => T) => T
  readonly stop: () => void
}

const LINE_EVERY_MS = 30_000
const DRAW_EVERY_MS = 80
// A countdown changes without new progress.
const REFRESH_MS = 1_000
// The spinner, and a column that stays free, in which some terminals would wrap.
const FRAME_COLUMNS = 3
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
  let stopTimer: (() => void) | undefined
  const meter = createMeter(world)
  const draw = (): void => {
    if (spinner === undefined || latest === undefined) return
    drawnAt = world.clock.monotonicMs()
    const columns = world.stderr.columns || USUAL_COLUMNS
    spinner.text = progressLine(latest, meter.read(), Math.max(8, columns - FRAME_COLUMNS))
  }
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
    draw()
    spinner.start()
    stopTimer = world.clock.every(REFRESH_MS, draw)
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
      if (world.clock.monotonicMs() - drawnAt >= DRAW_EVERY_MS) draw()
    },
    around: (write) => {
      spinner?.clear()
      const result = write()
      if (!isStopped) spinner?.render()
      return result
    },
    stop: () => {
      isStopped = true
      latest = undefined
      stopTimer?.()
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
        if (latest !== undefined) line('progress', progressLine(latest, meter.read()))
      })
    },
    around: (draw) => draw(),
    stop: () => {
      stopTimer?.()
      stopTimer = undefined
    },
  }
}
