import { join } from 'node:path'
import { expect, test } from 'vitest'
import { skippedText } from './skipped-reporter.ts'

const moduleOf = (name: string, tests: number, missingPrograms?: string[]) => ({
  moduleId: join(process.cwd(), name),
  children: { allTests: () => Array.from({ length: tests }, (_, index) => index) },
  meta: () => (missingPrograms === undefined ? {} : { missingPrograms }),
})

test('says how many tests were skipped, and why: each program once, each other file by its name', () => {
  const modules = [
    moduleOf('test/all.test.ts', 0),
    moduleOf('test/a.test.ts', 3, ['zsh', 'fish']),
    moduleOf('test/b.test.ts', 1, ['zsh']),
    moduleOf('test/c.test.ts', 1),
  ]
  expect(skippedText(modules)).toBe(
    'skipped: 4 tests, because these programs are not installed: fish, zsh\n' +
      'skipped: 1 test of the soak (npm run soak) or of another system: test/c.test.ts\n',
  )
})

test('says nothing where nothing was skipped', () => {
  expect(skippedText([moduleOf('test/all.test.ts', 0, ['zsh'])])).toBe('')
})
