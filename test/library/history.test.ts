import { describe, expect, test } from 'vitest'
import { calendarDate } from '../../src/base/units.ts'
import { Plan } from '../../src/download/plan.ts'
import {
  type Answer,
  type Answered,
  type Records,
  RecordWriter,
  readRecords,
  type Search,
  searchKey,
} from '../../src/library/answers.ts'
import { type BodyFacts, type ResponseNote, recovery } from '../../src/library/incoming.ts'
import {
  answerDate,
  isWithin,
  mayContinue,
  partsOrWhole,
  RESUME_MS,
  replay,
  WHOLE,
  wantedParts,
} from '../../src/library/known.ts'
import { pick, seeded } from '../support/seeded.ts'
import { sweep } from '../support/soak.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const FULL_AFTER = 90 * DAY
const NEVER_FOUND_AFTER = 7 * DAY

const PARTS = Array.from({ length: 14 }, (_, index) => `P${index}`)
const SEARCHES: readonly [Search, Search, Search] = [
  { baseUrl: 'https://api.example.com', api: 'v2', format: '1752A' },
  { baseUrl: 'https://api.example.com', api: 'v2', format: '1752A', formatClass: 'D' },
  { baseUrl: 'https://api.example.com', api: 'v2', format: '1752A', supplier: '123456789' },
]

/** The circumstances of a history. */
interface Circumstances {
  /** The clocks of the machines, off by up to a day each. */
  readonly skews: readonly [number, number]
  /** A service without `Date`, or with a wrong one, and runs on a machine whose clock is wrong by years. */
  readonly hasWrongClocks: boolean
  /** Records that are lost together with their archives. */
  readonly isHarsh: boolean
}

const AS_DESIGNED = { hasWrongClocks: false, isHarsh: false }

describe.each<{
  readonly title: string
  readonly circumstances: (random: () => number) => Circumstances
  readonly first: number
}>([
  { title: 'one clock', circumstances: () => ({ skews: [0, 0], ...AS_DESIGNED }), first: 1 },
  {
    title: 'clocks that differ',
    circumstances: (random) => ({ skews: [skew(random), skew(random)], ...AS_DESIGNED }),
    first: 100_001,
  },
  {
    title: 'wrong clocks',
    circumstances: (random) => ({ skews: [skew(random), 0], hasWrongClocks: true, isHarsh: false }),
    first: 200_001,
  },
  {
    title: 'records lost with their archives',
    circumstances: (random) => ({ skews: [skew(random), 0], hasWrongClocks: false, isHarsh: true }),
    first: 300_001,
  },
])('after any history, with $title', ({ circumstances, first }) => {
  test('a library holds for a part what the service had when it was last answered', () => {
    for (let seed = first; seed < first + sweep(6, 400); seed += 1) {
      expect(new History(seed, circumstances).live(), `seed ${seed}`).toEqual([])
    }
  })
})

test('histories are killed, damaged and continued', () => {
  const histories = Array.from({ length: 16 }, (_, index) => {
    const history = new History(index + 1, () => ({ skews: [0, 0], ...AS_DESIGNED }))
    history.live()
    return history
  })
  for (const key of Object.keys(histories[0]!.counts) as (keyof History['counts'])[])
    expect(
      histories.reduce((sum, { counts }) => sum + counts[key], 0),
      key,
    ).toBeGreaterThan(3)
})

function skew(random: () => number): number {
  return (random() * 2 - 1) * DAY
}

/** A declaration, from the moment at which the service has it. `day` is the one by which the service filters. */
interface Approval {
  readonly id: number
  readonly formatClass: string
  readonly part: string
  readonly visibleMs: number
  readonly day: string
  /** Its day is long before it was visible. */
  readonly isBackdated: boolean
}

/** The compliance service: it may compare strictly, live in any time zone, and have only the newest declaration of a part. */
class Service {
  readonly #approvals: Approval[] = []
  readonly #random: () => number
  readonly #isStrict: boolean
  readonly #hasNewestOnly: boolean
  readonly #zoneHours: number

  constructor(random: () => number) {
    this.#random = random
    this.#isStrict = random() < 0.5
    this.#hasNewestOnly = random() < 0.5
    this.#zoneHours = Math.floor(random() * 27) - 12
  }

  approve(formatClass: string, part: string, visibleMs: number, isBackdated = false): void {
    // The day may be taken some time before the declaration can be had.
    const stampedMs = visibleMs - (this.#random() < 0.3 ? this.#random() * 2 * HOUR : 0)
    const days = isBackdated ? 3 + Math.floor(this.#random() * 200) : 0
    const day = calendarDate(stampedMs - days * DAY + this.#zoneHours * HOUR)
    const id = this.#approvals.length
    this.#approvals.push({ id, formatClass, part, visibleMs, day, isBackdated })
  }

  /** What a request would bring at a moment. */
  answer(
    search: Search,
    parts: readonly string[],
    start: string | undefined,
    atMs: number,
  ): readonly Approval[] {
    const formatClass = search.formatClass ?? ''
    return (parts.length === 0 ? PARTS : parts).flatMap((part) => {
      const visible = this.#approvals.filter(
        (each) => each.formatClass === formatClass && each.part === part && each.visibleMs <= atMs,
      )
      const newest = visible.toSorted((a, b) =>
        a.day < b.day ? -1 : a.day > b.day ? 1 : a.visibleMs - b.visibleMs,
      )
      const there = this.#hasNewestOnly ? newest.slice(-1) : visible
      return there.filter(({ day }) => start === undefined || (this.#isStrict ? day > start : day >= start))
    })
  }
}

/** A response on disk, with what the whole of it would hold. */
interface Left {
  note: ResponseNote
  bodyBytes: number | undefined
  readonly content: readonly Approval[]
  readonly bytes: number
  readonly sha256: string
}

interface Archive {
  readonly content: readonly Approval[]
  readonly sha256: string
}

interface Want {
  readonly search: Search
  readonly parts: readonly string[]
}

interface RunOptions {
  readonly isKilled: boolean
  /** How many of the requests fail. */
  readonly failing: number
  readonly full: boolean
  readonly maxAgeMs: number
}

const GOOD_RUN: RunOptions = { isKilled: false, failing: 0, full: false, maxAgeMs: 0 }

/** The run is killed here. */
class Killed extends Error {}

/** Where a run may be killed in a request. */
const KILLS = ['before', 'sent', 'part', 'whole', 'verified', 'named', 'torn', 'recorded'] as const
type Kill = (typeof KILLS)[number]

/** A library and its service over some months, with runs of several lists on two machines. */
class History {
  readonly #random: () => number
  readonly #circumstances: Circumstances
  readonly #service: Service
  /** The true time. */
  #nowMs: number
  #machine = 0
  #wasGood = true
  #clockErrorMs = 0
  #serial = 0
  // What is on disk.
  #text = ''
  #read: { readonly text: string; readonly records: Records } | undefined
  readonly #archives = new Map<string, Archive>()
  readonly #incoming = new Map<string, Left>()
  /** When the service looked at its data, by the answer. */
  readonly #snapshots = new Map<string, number>()
  readonly #wanted = new Map<string, { search: Search; parts: Set<string> }>()
  readonly counts = { runs: 0, kills: 0, failures: 0, continued: 0, recovered: 0, lost: 0, damagedLines: 0 }
  readonly #problems: string[] = []

  constructor(seed: number, circumstances: (random: () => number) => Circumstances) {
    this.#random = seeded(seed)
    this.#circumstances = circumstances(this.#random)
    this.#service = new Service(this.#random)
    this.#nowMs = Date.UTC(2026, 0, 1) + this.#below(DAY)
    for (const part of PARTS.slice(0, 10))
      for (const formatClass of ['', 'D'])
        if (this.#chance(0.8)) this.#service.approve(formatClass, part, this.#nowMs - this.#below(200 * DAY))
  }

  /** Plays the history, and a run without failures at its end. Returns what is wrong then. */
  live(): readonly string[] {
    const lists: Want[] = Array.from({ length: 3 }, () => ({
      search: pick(this.#random, SEARCHES.slice(0, 2)),
      parts: this.#some(PARTS, 2 + this.#below(9)),
    }))
    if (this.#chance(0.4)) lists.push({ search: SEARCHES[2], parts: [] })
    for (let steps = 6 + this.#below(14); steps > 0; steps -= 1) {
      this.#pass()
      const at = this.#below(lists.length)
      const { search, parts } = lists[at]!
      if (parts.length > 1 && this.#chance(0.3)) {
        const others = this.#chance(0.5) ? this.#some(PARTS, 2 + this.#below(9)) : parts.slice(1)
        lists[at] = { search, parts: others }
      }
      this.#wasGood = this.#run(this.#chance(0.3) ? lists : [lists[at]!], {
        isKilled: this.#chance(0.3),
        failing: this.#chance(0.25) ? 0.3 : 0,
        full: this.#chance(0.04),
        maxAgeMs: this.#chance(0.15) ? DAY : 0,
      })
      this.#damage()
    }
    this.#clockErrorMs = 0
    this.#nowMs += this.#chance(0.4) ? this.#random() * 20 * HOUR : 1.5 * DAY
    const beganMs = this.#nowMs
    const all = Array.from(this.#wanted.values(), ({ search, parts }) => ({ search, parts: [...parts] }))
    if (!this.#run(all, GOOD_RUN)) this.#problems.push('the last run was not good')
    for (const want of all) this.#check(want, beganMs)
    const { answers } = this.#records()
    if (new Set(answers.map(({ id }) => id)).size < answers.length)
      this.#problems.push('an answer is recorded twice')
    return this.#problems
  }

  /** Some time passes, in which declarations are approved. */
  #pass(): void {
    // A run that was stopped is often repeated soon.
    const gapMs = this.#chance(this.#wasGood ? 0.06 : 0.02)
      ? 100 * DAY
      : this.#chance(this.#wasGood ? 0.2 : 0.5)
        ? this.#random() * (this.#chance(0.8) ? 3 : 16) * HOUR
        : this.#chance(0.1)
          ? this.#random() * 20 * DAY
          : DAY * (0.5 + this.#random())
    const approve = (afterMs: number, isBackdated = false): void =>
      this.#service.approve(
        pick(this.#random, ['', 'D']),
        pick(this.#random, PARTS),
        this.#nowMs + afterMs,
        isBackdated,
      )
    for (let count = this.#below(4); count > 0; count -= 1)
      approve(this.#chance(0.3) ? gapMs - this.#random() * HOUR : gapMs * this.#random())
    if (this.#chance(0.15)) approve(gapMs * this.#random(), true)
    this.#nowMs += gapMs
    // Nightly runs start soon after midnight.
    if (this.#chance(0.3)) this.#nowMs = (Math.floor(this.#nowMs / DAY) + 1) * DAY + this.#below(HOUR / 6)
    if (this.#chance(0.3)) this.#machine = 1 - this.#machine
    const isWrong = this.#circumstances.hasWrongClocks && this.#chance(0.08)
    this.#clockErrorMs = isWrong ? pick(this.#random, [-20_000 * DAY, 400 * DAY]) : 0
  }

  /** Damages what is on disk, now and then. */
  #damage(): void {
    const archives = [...this.#archives.keys()]
    if (archives.length > 0 && this.#chance(0.05)) this.#archives.delete(pick(this.#random, archives))
    if (archives.length > 0 && this.#chance(0.04))
      this.#archives.set(pick(this.#random, archives), { content: [], sha256: 'changed' })
    const at = this.#below(this.#text.length)
    if (this.#text !== '' && this.#chance(0.06))
      this.#text = `${this.#text.slice(0, at)}${this.#text[at] === 'x' ? 'y' : 'x'}${this.#text.slice(at + 1)}`
    if (this.#chance(0.05)) this.#text = this.#text.slice(0, -7)
    if (this.#chance(0.03)) this.#keepLines(() => !this.#chance(0.2))
    if (this.#chance(0.01)) this.#text = ''
    if (this.#chance(0.05)) this.#incoming.clear()
    if (!this.#circumstances.isHarsh || !this.#chance(0.15)) return
    const withArchive = this.#records().answers.filter(({ archive }) => archive !== undefined)
    if (withArchive.length === 0) return
    const { id, archive } = pick(this.#random, withArchive)
    this.#keepLines((line) => !line.includes(`"id":"${id}"`))
    this.#archives.delete(archive!)
  }

  #keepLines(isKept: (line: string) => boolean): void {
    this.#text = this.#text.split('\n').filter(isKept).join('\n')
  }

  /** One run for these lists; true when every request was answered. */
  #run(lists: readonly Want[], { isKilled, failing, full, maxAgeMs }: RunOptions): boolean {
    this.counts.runs += 1
    const wants = this.#name(lists)
    try {
      const { openRun, answers: before, lists, damagedLines } = this.#records()
      this.counts.damagedLines += damagedLines
      const lastAt = before.findLast(({ run }) => run === openRun)?.at
      const isResumed = openRun !== undefined && isWithin(this.#clockMs(), lastAt, RESUME_MS)
      const run = isResumed ? openRun : `run${this.#next()}`
      const writer = new RecordWriter(lists)
      this.#recover(run, writer, isKilled)
      const known = replay(this.#records().answers, {
        openRun: run,
        isLost: (answer) => this.#isLost(answer),
      })
      let request = 0
      let isGood = true
      const killedAt = isKilled ? 1 + this.#below(6) : Number.POSITIVE_INFINITY
      for (const { search, parts } of wants) {
        const wanted = wantedParts(parts, known.get(searchKey(search)), {
          nowMs: this.#clockMs(),
          maxAgeMs,
          full,
          fullAfterMs: FULL_AFTER,
        })
        for (const ask of this.#requests(search, wanted.ask)) {
          request += 1
          const kill = request === killedAt ? pick(this.#random, KILLS) : undefined
          isGood = this.#send({ ...ask, search, run }, writer, failing, kill) && isGood
        }
      }
      if (isGood) this.#append(writer.line({ end: true, run, at: this.#clockMs() }))
      return isGood
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      this.counts.kills += 1
      return false
    }
  }

  /** Each search once. */
  #name(lists: readonly Want[]): readonly Want[] {
    const searches = new Map<string, { search: Search; parts: Set<string> }>()
    for (const { search, parts } of lists)
      for (const each of [searches, this.#wanted]) {
        const key = searchKey(search)
        const found = each.get(key) ?? { search, parts: new Set() }
        each.set(key, found)
        for (const part of parts) found.parts.add(part)
      }
    return Array.from(searches.values(), ({ search, parts }) => ({ search, parts: [...parts] }))
  }

  /** The requests for what is wanted, in any order; first of all what was begun. */
  #requests(
    search: Search,
    ask: ReturnType<typeof wantedParts>['ask'],
  ): readonly { parts: readonly string[]; start: string | undefined; begun?: Left }[] {
    const starts = new Map(ask.map(({ part, start }) => [part, start]))
    const begun: Left[] = []
    for (const [id, left] of this.#incoming) {
      const { request, answer } = left.note
      if (searchKey(request.search) !== searchKey(search) || answer !== undefined) continue
      if (!mayContinue(request, starts)) {
        this.#incoming.delete(id)
        continue
      }
      for (const part of partsOrWhole(request.parts)) starts.delete(part)
      begun.push(left)
    }
    const rest = ask.filter(({ part }) => starts.has(part))
    const { baseUrl, ...criteria } = search
    const limits = {
      maxUrlLength: pick(this.#random, [130, 160, 250, 8000]),
      batchSize: this.#chance(0.5) ? undefined : 1 + this.#below(5),
    }
    const parts = rest.map(({ part }) => part).filter((part) => part !== WHOLE)
    const plan = new Plan(baseUrl, criteria, { parts, starts: rest.map(({ start }) => start) }, limits)
    const plain = new Plan(baseUrl, criteria, { parts }, limits)
    if (plan.requestCount > plain.requestCount + 1)
      this.#problems.push(`${plan.requestCount} requests instead of ${plain.requestCount}`)
    const packed = rest.length === 0 ? [] : [...plan.requests()]
    for (const { parts: together, criteria: sent, url } of packed) {
      const tooLate = partsOrWhole(together).some(
        (part) => sent.startDate !== undefined && !(sent.startDate <= (starts.get(part) ?? '')),
      )
      if (tooLate) this.#problems.push(`a start date later than that of a part: ${url}`)
      if (Buffer.byteLength(url) > limits.maxUrlLength) this.#problems.push(`too long: ${url}`)
    }
    return this.#some(
      [
        ...begun.map((left) => ({
          parts: left.note.request.parts,
          start: left.note.request.start,
          begun: left,
        })),
        ...packed.map(({ parts: together, criteria: sent }) => ({ parts: together, start: sent.startDate })),
      ],
      Number.POSITIVE_INFINITY,
    )
  }

  /** Sends a request; false when it fails. */
  #send(
    {
      search,
      parts,
      start,
      run,
      begun,
    }: {
      readonly search: Search
      readonly parts: readonly string[]
      readonly start: string | undefined
      readonly run: string
      readonly begun?: Left
    },
    writer: RecordWriter,
    failing: number,
    kill: Kill | undefined,
  ): boolean {
    this.#killedAt(kill, 'before')
    // The service may take hours to prepare an archive, and responds at first or when it is ready.
    const builtMs = this.#random() * (this.#chance(0.1) ? 6 * HOUR : HOUR / 6)
    if (this.#chance(0.25))
      this.#service.approve(
        search.formatClass ?? '',
        pick(this.#random, PARTS),
        this.#nowMs + this.#random() * builtMs,
      )
    const isSameBody = begun !== undefined && this.#chance(0.7)
    const left = isSameBody ? begun : this.#newBody({ search, parts, start, run, begun }, builtMs)
    const { id } = left.note.request
    if (isSameBody) this.counts.continued += 1
    else this.#incoming.set(id, { ...left, note: { ...left.note, body: undefined }, bodyBytes: undefined })
    this.#killedAt(kill, 'sent')
    this.#nowMs += builtMs
    const isFailing = this.#chance(failing)
    if (isFailing || kill === 'part') {
      const half = Math.floor(left.bytes / 2)
      const hasBody = left.content.length > 0 && this.#chance(isFailing ? 0.5 : 1)
      left.bodyBytes = half
      left.note = { ...left.note, kept: half }
      if (hasBody) this.#incoming.set(id, left)
      this.#killedAt(kill, 'part')
      // A run that goes on removes what cannot be continued.
      if (!hasBody || left.note.body?.etag === undefined) this.#incoming.delete(id)
      this.counts.failures += 1
      return false
    }
    left.bodyBytes = left.bytes
    this.#incoming.set(id, left)
    if (left.content.length > 0) this.#killedAt(kill, 'whole')
    this.#commit(left, run, writer, kill)
    return true
  }

  /** What the service sends now for a request. */
  #newBody(
    {
      search,
      parts,
      start,
      run,
      begun,
    }: Pick<ResponseNote['request'], 'search' | 'parts' | 'start' | 'run'> & {
      readonly begun?: Left | undefined
    },
    builtMs: number,
  ): Left {
    const lookedMs = this.#nowMs + this.#random() * builtMs
    const content = this.#service.answer(search, parts, start, lookedMs)
    const isPreparing = this.#chance(0.3)
    const waitedMs = isPreparing ? 0 : builtMs
    const isWrong = this.#circumstances.hasWrongClocks && this.#chance(0.05)
    const headerMs = isWrong
      ? pick(this.#random, [undefined, this.#nowMs + 300 * DAY])
      : this.#nowMs + waitedMs
    const at = this.#clockMs()
    const date = answerDate({ headerMs, waitedMs, atMs: at })
    const id = begun?.note.request.id ?? `answer${this.#next()}`
    const bytes = 100 + content.length * 1000
    const body: BodyFacts = {
      status: 200,
      at,
      ...(date === undefined ? {} : { date }),
      ...(this.#chance(0.6) ? { etag: `"${id}"` } : {}),
      ...(this.#chance(0.8) ? { total: bytes } : {}),
    }
    const request = begun?.note.request ?? { id, run, search, parts, start, listed: true }
    const note: ResponseNote = { request, isSent: true, body, kept: 0, answer: undefined, ends: [] }
    this.#snapshots.set(id, lookedMs)
    return { note, bodyBytes: undefined, content, bytes, sha256: sha256Of(this.#next()) }
  }

  /** From a whole body to its record, as the library does it. */
  #commit(left: Left, run: string, writer: RecordWriter, kill: Kill | undefined): void {
    const { request, body } = left.note
    const { content, bytes, sha256 } = left
    const found = new Set(content.map(({ part }) => part))
    const answered: Answered = left.note.answer ?? {
      ...(body?.date === undefined ? {} : { date: body.date }),
      at: body!.at,
      status: content.length === 0 ? 204 : 200,
      attempts: 1,
      seconds: 0,
      ...(content.length === 0 ? {} : { archive: `${this.#next()}.zip`, sha256 }),
      bytes: content.length === 0 ? 0 : bytes,
      found: request.parts.filter((part) => found.has(part)),
      others: 0,
      entries: [],
      tool: 'matdecl',
    }
    left.note = { ...left.note, answer: answered }
    this.#killedAt(kill, 'verified')
    if (answered.archive !== undefined) this.#archives.set(answered.archive, { content, sha256 })
    left.bodyBytes = undefined
    this.#killedAt(kill, 'named')
    const line = writer.line({ ...request, ...answered, run })
    if (kill === 'torn') {
      this.#append(line.slice(0, this.#below(line.length)))
      throw new Killed()
    }
    this.#append(line)
    writer.wrote({ ...request, ...answered, run })
    this.#killedAt(kill, 'recorded')
    this.#incoming.delete(request.id)
  }

  /** Finishes what an earlier run has left. */
  #recover(run: string, writer: RecordWriter, isKilled: boolean): void {
    for (const [id, left] of [...this.#incoming]) {
      const { note, bodyBytes, sha256 } = left
      const { archive } = note.answer ?? {}
      const decision = recovery({
        note,
        isRecorded: this.#records().answers.some((answer) => answer.id === id),
        isNamed: archive !== undefined && this.#archives.get(archive)?.sha256 === sha256,
        isThere: archive !== undefined && bodyBytes === left.bytes,
        bodyBytes,
        nowMs: this.#clockMs(),
        resumeMs: RESUME_MS,
      })
      if (decision === 'continue') continue
      if (decision === 'forget') {
        this.#incoming.delete(id)
        continue
      }
      this.counts.recovered += 1
      const kill = isKilled && this.#chance(0.1) ? pick(this.#random, KILLS.slice(4)) : undefined
      this.#commit(left, run, writer, kill)
    }
  }

  /** What the library holds for the parts of a search, compared with what the service had. */
  #check({ search, parts }: Want, beganMs: number): void {
    const key = searchKey(search)
    const { answers } = this.#records()
    for (const part of partsOrWhole(parts)) {
      const own = answers.filter(
        (answer) =>
          searchKey(answer.search) === key &&
          partsOrWhole(answer.parts).includes(part) &&
          !(this.#isLost(answer) && (part === WHOLE || answer.found.includes(part))),
      )
      const last = own.at(-1)
      const undated = own.findLast(({ start }) => start === undefined)
      if (last === undefined || undated === undefined) {
        this.#problems.push(`${part} was never asked for without a start date`)
        continue
      }
      const [lastMs, undatedMs] = [last, undated].map(({ id }) => this.#snapshots.get(id)!) as [
        number,
        number,
      ]
      const held = new Set(
        own.flatMap(({ archive }) => this.#archives.get(archive ?? '')?.content.map(({ id }) => id) ?? []),
      )
      // A late approval with an old day is found by the next answer without a start date.
      const missing = this.#service
        .answer(search, part === WHOLE ? [] : [part], undefined, lastMs)
        .filter(({ id, isBackdated, visibleMs }) => !held.has(id) && !(isBackdated && visibleMs > undatedMs))
      for (const { id, day } of missing)
        this.#problems.push(`declaration ${id} of ${part} (${day}) is missing in ${key}`)
      this.#checkAge(
        part,
        beganMs - lastMs,
        beganMs - undatedMs,
        own.some(({ found }) => found.includes(part)),
      )
    }
  }

  /** Nothing is left out for longer than the rules say. Clocks that differ make it longer. */
  #checkAge(part: string, ageMs: number, undatedAgeMs: number, wasFound: boolean): void {
    const { skews, hasWrongClocks } = this.#circumstances
    if (hasWrongClocks) return
    const differenceMs = Math.abs(skews[0] - skews[1])
    const mostMs = wasFound || part === WHOLE ? FULL_AFTER : NEVER_FOUND_AFTER
    if (ageMs > RESUME_MS + differenceMs) this.#problems.push(`${part} was not asked for`)
    if (undatedAgeMs > mostMs + differenceMs)
      this.#problems.push(`${part} was not asked for without a start date`)
  }

  #isLost({ archive, sha256 }: Answer): boolean {
    const isLost = archive !== undefined && this.#archives.get(archive)?.sha256 !== sha256
    if (isLost) this.counts.lost += 1
    return isLost
  }

  #records(): Records {
    if (this.#read?.text !== this.#text)
      this.#read = { text: this.#text, records: readRecords(this.#text, 'answers.jsonl') }
    return this.#read.records
  }

  #append(text: string): void {
    this.#text += (this.#text === '' || this.#text.endsWith('\n') ? '' : '\n') + text
  }

  #killedAt(kill: Kill | undefined, at: Kill): void {
    if (kill === at) throw new Killed()
  }

  /** The clock of the machine that runs. */
  #clockMs(): number {
    return this.#nowMs + this.#circumstances.skews[this.#machine]! + this.#clockErrorMs
  }

  #next(): number {
    this.#serial += 1
    return this.#serial
  }

  #chance(probability: number): boolean {
    return this.#random() < probability
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count)
  }

  /** At most so many of the items, in any order. */
  #some<T>(items: readonly T[], count: number): T[] {
    return items
      .map((item) => ({ item, at: this.#random() }))
      .sort((one, other) => one.at - other.at)
      .slice(0, count)
      .map(({ item }) => item)
  }
}

function sha256Of(value: number): string {
  return value.toString(16).padStart(64, '0')
}
