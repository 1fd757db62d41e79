import { relative } from 'node:path'
import type { TaskMeta } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'
import './programs.ts'

/** What this needs of vitest's `TestModule`. */
interface Module {
  readonly moduleId: string
  readonly children: { readonly allTests: (state: 'skipped') => Iterable<unknown> }
  readonly meta: () => TaskMeta
}

/** Says at the end of a run which tests were skipped, and why; vitest's own reporter only counts them. */
export class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    process.stdout.write(skippedText(modules))
  }
}

/** A line for the tests that need programs which are not installed, and one for the others. */
export function skippedText(modules: readonly Module[]): string {
  const skipped = modules
    .map((module) => ({ module, tests: [...module.children.allTests('skipped')].length }))
    .filter(({ tests }) => tests > 0)
  const programs = skipped.flatMap(({ module }) => module.meta().missingPrograms ?? [])
  const [needing, others] = [true, false].map((needs) =>
    skipped.filter(({ module }) => (module.meta().missingPrograms !== undefined) === needs),
  ) as [typeof skipped, typeof skipped]
  const names = [...new Set(programs)].sort().join(', ')
  const files = others.map(({ module }) => relative(process.cwd(), module.moduleId)).sort()
  return [
    needing.length > 0
      ? `skipped: ${sum(needing)}, because these programs are not installed: ${names}\n`
      : '',
    others.length > 0
      ? `skipped: ${sum(others)} of the soak (npm run soak) or of another system: ${files.join(', ')}\n`
      : '',
  ].join('')
}

function sum(skipped: readonly { readonly tests: number }[]): string {
  const count = skipped.reduce((total, { tests }) => total + tests, 0)
  return count === 1 ? '1 test' : `${count} tests`
}
