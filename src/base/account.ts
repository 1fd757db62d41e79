import type { AccountEntry } from './account-entry.ts'

const PLACES_SHOWN = 20

/** All that came in was used. */
export function allUsed(count: number): AccountEntry {
  return { in: count, used: count, named: [] }
}

/** What became of things that came in by several ways. */
export function addedAccounts(entries: readonly AccountEntry[]): AccountEntry {
  const sum = new Account()
  for (const { in: arrived, used, named } of entries) {
    sum.arrive(arrived)
    sum.use(used)
    for (const { reason, count, places } of named) {
      sum.name(reason, places[0] ?? '', count)
      for (const place of places.slice(1)) sum.name(reason, place, 0)
    }
  }
  return sum.close('things')
}

/**
 * Counts what comes in where a source is read. Each thing that arrives is then used, or named with its reason: `close` fails, as
 * a fault of the program, where one was neither.
 */
export class Account {
  #arrived = 0
  #used = 0
  readonly #named = new Map<string, { count: number; places: string[] }>()

  arrive(count = 1): void {
    this.#arrived += count
  }

  use(count = 1): void {
    this.#used += count
  }

  /** `place` says where it is: a row, a sheet, a file, an entry. */
  name(reason: string, place: string, count = 1): void {
    const known = this.#known(reason)
    known.count += count
    if (known.places.length < PLACES_SHOWN) known.places.push(place)
  }

  /** Adds the entry of another source of the same kind, its places with `prefix` before them. */
  include({ in: arrived, used, named }: AccountEntry, prefix = ''): void {
    this.arrive(arrived)
    this.use(used)
    for (const { reason, count, places } of named) {
      const known = this.#known(reason)
      known.count += count
      for (const place of places.slice(0, PLACES_SHOWN - known.places.length))
        known.places.push(prefix + place)
    }
  }

  #known(reason: string): { count: number; readonly places: string[] } {
    const known = this.#named.get(reason) ?? { count: 0, places: [] }
    this.#named.set(reason, known)
    return known
  }

  /** What became of everything that arrived; `what` is its name in the error if that is not known. */
  close(what: string): AccountEntry {
    const named = [...this.#named].map(([reason, { count, places }]) => ({ reason, count, places }))
    const known = this.#used + named.reduce((sum, { count }) => sum + count, 0)
    if (known !== this.#arrived) {
      throw new Error(`${this.#arrived} ${what} came in, but what became of ${known} is known`)
    }
    return { in: this.#arrived, used: this.#used, named }
  }
}
