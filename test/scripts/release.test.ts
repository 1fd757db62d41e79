import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { releaseProblems } from '../../scripts/release-facts.mjs'
import { needs } from '../support/programs.ts'
import { parseYaml } from '../support/yaml.mjs'

const root = join(import.meta.dirname, '..', '..')

const workflow = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.object({
      if: z.string().optional(),
      needs: z.string().optional(),
      environment: z.string().optional(),
      permissions: z.record(z.string(), z.string()).optional(),
      steps: z.array(z.object({ run: z.string().optional(), uses: z.string().optional() })),
    }),
  ),
})

describe('what a release requires', () => {
  const ready = {
    packageJson: { version: '1.2.3', repository: 'github:example/matdecl' },
    changelog: '# Changelog\n\n## 1.2.3\n\n- new\n',
    changed: '',
    tag: 'v1.2.3',
  }

  test('is nothing more when all is there', () => {
    expect(releaseProblems(ready)).toEqual([])
    expect(releaseProblems({ ...ready, tag: undefined, packageJson: { version: '1.2.3' } })).toEqual([])
  })

  test.each([
    [{ changed: ' M src/main.ts\n' }, 'the working tree has changes'],
    [{ changelog: '# Changelog\n\n## 1.2.30\n' }, 'CHANGELOG.md has no section 1.2.3'],
    [{ tag: 'v1.2.4' }, 'the tag v1.2.4 is not that of version 1.2.3'],
    [{ packageJson: { version: '1.2.3' } }, 'package.json has no "repository"'],
  ])('is told when it is missing: %j', (change, problem) => {
    expect(releaseProblems({ ...ready, ...change })).toEqual([expect.stringContaining(problem)])
  })

  test('is met by the change log of this version', () => {
    const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    expect(releaseProblems({ packageJson, changelog, changed: '', tag: undefined })).toEqual([])
  })
})

describe('.github/workflows/release.yml', () => {
  const text = readFileSync(join(root, '.github', 'workflows', 'release.yml'), 'utf8')
  const { jobs, permissions } = workflow.parse(parseYaml(text))
  const { build, ...publishing } = jobs

  test('publishes only for a tag, after the build, in an environment that a person guards', () => {
    expect(Object.keys(publishing)).toEqual(['npm', 'archives', 'container'])
    for (const job of Object.values(publishing)) {
      expect(job.if).toMatch(/^github\.ref_type == 'tag'/)
      expect([job.needs, job.environment]).toEqual(['build', 'release'])
    }
    const lines = build!.steps.flatMap(({ run }) => run ?? [])
    expect(lines.join('\n')).not.toMatch(/npm publish|gh release|docker push/)
    expect(lines.filter((line) => line.startsWith('npm run release'))).toHaveLength(2)
  })

  test('gives each job no more than it needs', () => {
    expect(permissions).toEqual({ contents: 'read' })
    expect(build!.permissions).toBeUndefined()
    expect(Object.values(publishing).map((job) => job.permissions)).toEqual([
      { 'id-token': 'write' },
      { contents: 'write' },
      { contents: 'read', packages: 'write' },
    ])
  })

  test.skipIf(!needs('bash'))('has shell lines that bash can read, with no expression in them', () => {
    const lines = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) {
      execFileSync('bash', ['-n'], { input: line })
      expect(line).not.toContain('${{')
    }
  })
})
