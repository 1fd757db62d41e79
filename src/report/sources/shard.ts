import { hash } from 'node:crypto'
import { cleanText } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import type { FailOnRule } from '../gate/fail-on.ts'

/** One of several parts of the sources; the first has the index 1. */
export interface Shard {
  readonly index: number
  readonly count: number
}

const MOST_SHARDS = 100_000

/** Reads `I/N`; anything else is a Failure of kind `usage`. */
export function parseShard(text: string): Shard {
  const match = /^\s*(\d{1,6})\s*\/\s*(\d{1,6})\s*$/.exec(text)
  const [index, count] = [Number(match?.[1]), Number(match?.[2])]
  if (index >= 1 && index <= count && count <= MOST_SHARDS) return { index, count }
  throw new Failure('usage', `invalid shard "${cleanText(text, 60)}": expected I/N`, {
    hint: `I is 1 to N, and N at most ${MOST_SHARDS}: 1/4 is the first of four shards`,
    options: ['shard'],
  })
}

/** Throws `usage` for rules that need all sources. */
export function checkShardRules(
  shard: Shard | undefined,
  failOn: readonly FailOnRule[] | undefined = [],
): void {
  if (shard === undefined || !failOn.some(({ word }) => word === 'missing')) return
  throw new Failure('usage', 'a shard cannot have the rule "missing": parts may be in other shards', {
    hint: 'remove "missing", and look for missing parts in the outputs of all shards together',
    options: ['fail-on', 'shard'],
  })
}

/** True for a source of the shard, by its path: each is in one of the N shards, the same on every machine. */
export function isInShard(path: string, { index, count }: Shard): boolean {
  const number = Number.parseInt(hash('sha256', path, 'hex').slice(0, 12), 16)
  return number % count === index - 1
}

/** `2/4`. */
export function shardText({ index, count }: Shard): string {
  return `${index}/${count}`
}
