import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { staleEntries } from '../../scripts/mutants/mutations.mjs'

interface Entry {
  readonly file: string
  readonly source: string
  readonly change: string
}

test('an accepted mutant whose line has changed is stale', () => {
  const text = 'const limit = 5\nsend(limit)\n'
  const entry = { file: 'a.ts', source: 'send(limit)', change: 'send(limit) → nothing' }
  const changed = [
    { ...entry, source: 'send(max)' },
    { ...entry, change: 'send(max) → nothing' },
    { ...entry, file: 'gone.ts' },
  ]
  expect(staleEntries([entry, ...changed], (file: string) => (file === 'a.ts' ? text : ''))).toEqual(changed)
})

test('none of accepted.json is stale', () => {
  const accepted = JSON.parse(readFileSync('scripts/mutants/accepted.json', 'utf8')) as readonly Entry[]
  expect(accepted).not.toEqual([])
  expect(staleEntries(accepted, (file: string) => readFileSync(file, 'utf8'))).toEqual([])
})
