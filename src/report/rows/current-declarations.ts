import { largest } from '../../base/extremes.ts'
import type { CompanyIdentity } from '../../compliance/company-names.ts'
import { replaces, type Standing, statedText } from '../../compliance/currency.ts'
import { isUnaccepted } from '../../compliance/declaration.ts'
import { covers } from '../../compliance/indications.ts'
import { isAhead, type Moment, readMoment } from '../../compliance/response-date.ts'
import { digestOf } from '../../compliance/shared-entries.ts'
import type { PartDeclaration } from './part-declaration.ts'
import { partKeyOf } from './part-key.ts'

/** What decides whether a declaration can be left out before its part is judged. */
export interface Candidate
  extends Pick<
    PartDeclaration,
    'key' | 'numberKey' | 'company' | 'part' | 'requesterPart' | 'dateText' | 'acceptance' | 'digest'
  > {
  /** Of `statedText`; empty where that is. */
  readonly stated: string
  /** Its composition speaks for the whole part. */
  readonly hasWholeComposition: boolean
}

export function candidateOf({ record, composition, ...declaration }: PartDeclaration): Candidate {
  const { key, numberKey, company, part, requesterPart, dateText, acceptance, digest } = declaration
  const text = statedText(record, composition)
  const stated = text === '' ? '' : digestOf([text])
  const hasWholeComposition = composition !== undefined && covers(composition, '')
  const numbers = { key, numberKey, company, part, requesterPart }
  return { ...numbers, dateText, acceptance, digest, stated, hasWholeComposition }
}

/** When a declaration was made; undefined where its date cannot be compared with others. */
function momentOf({ dateText }: Pick<PartDeclaration, 'dateText'>, nowMs: number): Moment | undefined {
  const moment = readMoment(dateText)
  return moment === undefined || isAhead(moment, nowMs) ? undefined : moment
}

/** What decides which of two declarations replaces the other. */
export function standingOf(
  declaration: Pick<PartDeclaration, 'dateText' | 'acceptance' | 'company'>,
  nowMs: number,
): Standing {
  const { acceptance, company } = declaration
  return {
    moment: momentOf(declaration, nowMs),
    isAccepted: !isUnaccepted(acceptance),
    company,
  }
}

type Facts = Standing & Pick<Candidate, 'stated' | 'hasWholeComposition'>

/**
 * The declarations of each part that have to be judged together, by number: all but those that a newer one with the same statements
 * replaces, for most downloads repeat earlier ones. Those of a part number are of one part where the identifier or the name of their
 * companies agrees. A report on a million parts needs about 220 bytes for each of them (measured).
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

  /** Takes the next declaration; one without a key stands alone. All must be seen before the first question. */
  see(declaration: Candidate): void {
    const { key, numberKey } = declaration
    if (key === undefined || numberKey === undefined) return
    const number = this.#add(declaration)
    const [digest, facts] = [this.#digests[number], this.#factsOf(number)]
    // The same declaration may come again in a later download.
    const others = this.#all(numberKey).filter((other) => this.#digests[other] !== digest)
    const isRepeated = (older: Facts, newer: Facts): boolean =>
      older.stated !== '' && older.stated === newer.stated && replaces(newer, older)
    const kept = others.filter((other) => !isRepeated(this.#factsOf(other), facts))
    if (!others.some((other) => isRepeated(facts, this.#factsOf(other)))) kept.push(number)
    this.#kept.set(numberKey, kept.length === 1 ? kept[0]! : kept)
  }

  #all(numberKey: string): readonly number[] {
    const found = this.#kept.get(numberKey) ?? []
    return typeof found === 'number' ? [found] : found
  }

  /** The numbers of the declarations to be judged for the part of one of them, in the order in which they were seen, from 0. */
  of({ numberKey, company }: Pick<PartDeclaration, 'numberKey' | 'company'>): readonly number[] {
    const all = numberKey === undefined ? [] : this.#all(numberKey)
    const group = new Set<number>()
    const known: CompanyIdentity[] = [company]
    for (const one of known) {
      for (const number of all) {
        const { company: other } = this.#factsOf(number)
        if (group.has(number) || !mayBeOne(one, other)) continue
        group.add(number)
        known.push(other)
      }
    }
    return group.size === all.length ? all : all.filter((number) => group.has(number))
  }

  /** The keys of the part, which has several where its declarations are of companies with another identifier or name. */
  keysOf(declaration: Pick<PartDeclaration, 'numberKey' | 'company'>): readonly string[] {
    const companies = this.of(declaration).map((number) => this.#factsOf(number).company)
    return [...new Set(companies.flatMap((one) => partKeyOf(declaration.numberKey, one) ?? []))]
  }

  /** True when the composition of a declaration is not replaced by another one. */
  hasCurrentComposition(declaration: PartDeclaration, number: number): boolean {
    const own = this.#factsOf(number)
    return !this.of(declaration)
      .map((other) => this.#factsOf(other))
      .some((other) => other.hasWholeComposition && replaces(other, own))
  }

  /** The day of the newest declaration that replaces one that does not count, `YYYY-MM-DD`; empty where an equal one does. */
  replacementDay(declaration: PartDeclaration): string {
    const own = standingOf(declaration, this.#nowMs)
    const newer = this.of(declaration)
      .map((other) => this.#factsOf(other))
      .filter((other) => replaces(other, own))
    const latest = largest(newer.map(({ moment }) => moment!.fromMs))
    return newer.length === 0 ? '' : new Date(latest).toISOString().slice(0, 10)
  }

  #add({ digest, stated, hasWholeComposition, ...declaration }: Candidate): number {
    if (this.#count === this.#kinds.length) {
      const [digests, kinds] = [this.#digests, this.#kinds]
      this.#digests = new BigUint64Array(2 * this.#count)
      this.#digests.set(digests)
      this.#kinds = new Uint32Array(2 * this.#count)
      this.#kinds.set(kinds)
    }
    const standing = standingOf(declaration, this.#nowMs)
    const { moment, isAccepted, company } = standing
    const { id, name } = company
    const text = [moment?.fromMs, moment?.toMs, isAccepted, hasWholeComposition, stated, id, name].join('\n')
    const kind =
      this.#kindNumbers.get(text) ?? this.#facts.push({ stated, hasWholeComposition, ...standing }) - 1
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

/** Their identifier agrees, or their name. */
function mayBeOne(a: CompanyIdentity, b: CompanyIdentity): boolean {
  return (a.id !== '' && a.id === b.id) || (a.name !== '' && a.name === b.name)
}
