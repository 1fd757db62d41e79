import { replaces, type Standing, statedText } from '../../compliance/currency.ts'
import { isAhead, type Moment, readMoment } from '../../compliance/response-date.ts'
import { digestOf, type PartDeclaration } from './part-declaration.ts'

/** What decides whether a declaration can be left out before its part is judged. */
export interface Candidate
  extends Pick<PartDeclaration, 'key' | 'part' | 'requesterPart' | 'dateText' | 'isUnaccepted' | 'digest'> {
  /** Of `statedText`; empty where that is. */
  readonly stated: string
  readonly hasConclusiveComposition: boolean
}

export function candidateOf({ record, composition, ...declaration }: PartDeclaration): Candidate {
  const { key, part, requesterPart, dateText, isUnaccepted, digest } = declaration
  const text = statedText(record, composition)
  const stated = text === '' ? '' : digestOf([text])
  const hasConclusiveComposition = composition?.isConclusive === true
  return { key, part, requesterPart, dateText, isUnaccepted, digest, stated, hasConclusiveComposition }
}

/** When a declaration was made; undefined where its date cannot be compared with others. */
function momentOf({ dateText }: Pick<PartDeclaration, 'dateText'>, nowMs: number): Moment | undefined {
  const moment = readMoment(dateText)
  return moment === undefined || isAhead(moment, nowMs) ? undefined : moment
}

/** What decides which of two declarations replaces the other. */
export function standingOf(
  declaration: Pick<PartDeclaration, 'dateText' | 'isUnaccepted'>,
  nowMs: number,
): Standing {
  return { moment: momentOf(declaration, nowMs), isAccepted: declaration.isUnaccepted === false }
}

type Facts = Standing & Pick<Candidate, 'stated' | 'hasConclusiveComposition'>

/**
 * The declarations of each part that have to be judged together, by number: all but those that a newer one with the same statements
 * replaces, for most downloads repeat earlier ones. A report on a million parts needs about 220 bytes for each of them (measured).
 */
export class CurrentDeclarations {
  readonly #nowMs: number
  readonly #kept = new Map<string, number | readonly number[]>()
  // In columns of numbers: as objects they would take ten times as much.
  #digests = new BigUint64Array(1_024)
  #kinds = new Uint32Array(1_024)
  #count = 0
  // Most declarations share their date and what they state with others.
  readonly #kindNumbers = new Map<string, number>()
  readonly #facts: Facts[] = []

  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  /** Takes the next declaration; one without a part number stands alone. All must be seen before the first question. */
  see(declaration: Candidate): void {
    const { key } = declaration
    if (key === undefined) return
    const number = this.#add(declaration)
    const [digest, facts] = [this.#digests[number], this.#factsOf(number)]
    // The same declaration may come again in a later download.
    const others = this.of(key).filter((other) => this.#digests[other] !== digest)
    const isRepeated = (older: Facts, newer: Facts): boolean =>
      older.stated !== '' && older.stated === newer.stated && replaces(newer, older)
    const kept = others.filter((other) => !isRepeated(this.#factsOf(other), facts))
    if (!others.some((other) => isRepeated(facts, this.#factsOf(other)))) kept.push(number)
    this.#kept.set(key, kept.length === 1 ? kept[0]! : kept)
  }

  /** The numbers of the declarations to be judged for a part, in the order in which they were seen, from 0. */
  of(key: string): readonly number[] {
    const found = this.#kept.get(key) ?? []
    return typeof found === 'number' ? [found] : found
  }

  /** True when the composition of a declaration is not replaced by another one. */
  hasCurrentComposition(key: string, number: number): boolean {
    const own = this.#factsOf(number)
    return !this.of(key)
      .map((other) => this.#factsOf(other))
      .some((other) => other.hasConclusiveComposition && replaces(other, own))
  }

  /** The day of the newest declaration that replaces one that does not count, `YYYY-MM-DD`; empty where an equal one does. */
  replacementDay(key: string, declaration: PartDeclaration): string {
    const own = standingOf(declaration, this.#nowMs)
    const newer = this.of(key)
      .map((other) => this.#factsOf(other))
      .filter((other) => replaces(other, own))
    const latest = Math.max(...newer.map(({ moment }) => moment!.fromMs))
    return newer.length === 0 ? '' : new Date(latest).toISOString().slice(0, 10)
  }

  #add({ digest, stated, hasConclusiveComposition, ...declaration }: Candidate): number {
    if (this.#count === this.#kinds.length) {
      const [digests, kinds] = [this.#digests, this.#kinds]
      this.#digests = new BigUint64Array(2 * this.#count)
      this.#digests.set(digests)
      this.#kinds = new Uint32Array(2 * this.#count)
      this.#kinds.set(kinds)
    }
    const facts = { stated, hasConclusiveComposition, ...standingOf(declaration, this.#nowMs) }
    const { moment, isAccepted } = facts
    const text = [moment?.fromMs, moment?.toMs, isAccepted, hasConclusiveComposition, stated].join(' ')
    const kind = this.#kindNumbers.get(text) ?? this.#facts.push(facts) - 1
    this.#kindNumbers.set(text, kind)
    this.#digests[this.#count] = BigInt(`0x${digest}`)
    this.#kinds[this.#count] = kind
    this.#count += 1
    return this.#count - 1
  }

  #factsOf(number: number): Facts {
    return this.#facts[this.#kinds[number]!]!
  }
}
