import { describe, expect, it } from 'vitest'
import { parseFailOn } from '../../../src/report/gate/fail-on.ts'
import { checkShardRules, isInShard, parseShard } from '../../../src/report/sources/shard.ts'

describe('a shard', () => {
  it.each([
    ['1/1', { index: 1, count: 1 }],
    ['3/4', { index: 3, count: 4 }],
    [' 2 / 10 ', { index: 2, count: 10 }],
    ['100000/100000', { index: 100_000, count: 100_000 }],
  ])('%j is %j', (text, expected) => {
    expect(parseShard(text)).toEqual(expected)
  })

  it.each(['', '0/4', '5/4', '1/0', '1', '1/', '/4', '-1/4', '1/100001', '1.5/4', '1/4/8', 'a/b'])(
    '%j is a usage error with an example',
    (text) => {
      expect(() => parseShard(text)).toThrow(
        expect.objectContaining({ kind: 'usage', hint: expect.stringContaining('1/4') }),
      )
    },
  )

  it.each([1, 2, 3, 7, 16, 97])('each path is in exactly one of %d', (count) => {
    const paths = Array.from({ length: 500 }, (_, n) => `2026-02-${n}/ä b/${n}.zip`)
    const shards = Array.from({ length: count }, (_, n) => ({ index: n + 1, count }))
    const sizes = shards.map((shard) => paths.filter((path) => isInShard(path, shard)).length)
    for (const path of paths) expect(shards.filter((shard) => isInShard(path, shard))).toHaveLength(1)
    expect(Math.max(...sizes)).toBeLessThan(500 / count + 40)
  })

  it('of a path never changes: the shards of one report may run on different versions', () => {
    const shardOf = (path: string): number =>
      [1, 2, 3, 4, 5, 6, 7, 8].find((index) => isInShard(path, { index, count: 8 }))!
    expect(['a.zip', 'b.zip', '2026/c.xml', '-'].map(shardOf)).toEqual([4, 1, 6, 3])
  })

  it('cannot fail on missing parts', () => {
    const shard = { index: 1, count: 2 }
    expect(() => checkShardRules(shard, parseFailOn('svhc,missing'))).toThrow(
      expect.objectContaining({ kind: 'usage', message: expect.stringContaining('other shards') }),
    )
    checkShardRules(shard, parseFailOn('svhc'))
    checkShardRules(shard, undefined)
    checkShardRules(undefined, parseFailOn('missing'))
  })
})
