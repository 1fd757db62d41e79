import { describe, expect, it } from 'vitest'
import { NO_ARCHIVE_LIMITS } from '../../src/archive/archive-limits.ts'
import { checkCollisions } from '../../src/archive/collisions.ts'
import { createCollisionCheck } from '../../src/archive/entry-collisions.ts'
import { createProblemList, describeProblem } from '../../src/archive/problem.ts'
import { readTable } from '../../src/archive/read-archive.ts'
import { bufferReader } from '../support/buffer-reader.ts'
import { zip } from '../support/zip.ts'

async function problemsOf(names: readonly string[]): Promise<string[]> {
  const problems = createProblemList()
  const table = await readTable(
    bufferReader(zip(names.map((name) => ({ name })))),
    NO_ARCHIVE_LIMITS,
    problems,
  )
  checkCollisions(table!, problems)
  return problems.first.map(describeProblem)
}

describe('checkCollisions', () => {
  it('finds in names in rising order exactly what a table of all names finds', async () => {
    let state = 99
    const next = (below: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      return (state >>> 8) % below
    }
    const letters = ['a', 'A', 'b', '/', '-', '0']
    let collided = 0
    for (let round = 0; round < 3_000; round += 1) {
      const names = Array.from({ length: 2 + next(5) }, () => {
        const name = Array.from({ length: 1 + next(5) }, () => letters[next(letters.length)]).join('')
        return name.replace(/\/+/g, '/').replace(/^\/$/, 'a').replace(/^\//, '')
      })
      if (next(3) > 0) names.sort()
      const check = createCollisionCheck()
      const expected = names.filter((name) => check.add(name) !== undefined)
      const found = await problemsOf(names)
      expect(found.length, JSON.stringify(names)).toBe(expected.length)
      if (expected.length > 0) collided += 1
    }
    expect(collided).toBeGreaterThan(300)
    expect(collided).toBeLessThan(2_900)
  })
})
