import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { withFolder } from '../../support/world.ts'

test('many concurrent requests make Node warn of nothing', () =>
  withFolder(async (folder) => {
    const warnings: string[] = []
    const note = (warning: Error): void => void warnings.push(warning.message)
    process.on('warning', note)
    try {
      const parts = Array.from({ length: 60 }, (_, index) => ['--part', `NONE-${index}`]).flat()
      const line = ['--sandbox', ...parts, '--batch-size', '1', '--concurrency', '20', '--rate', '100000']
      const { code } = await cli([...line, '-o', 'out.zip'], { cwd: folder, env: { HOME: folder } })
      expect(code).toBe(0)
      await setImmediate()
      expect(warnings).toEqual([])
    } finally {
      process.off('warning', note)
    }
  }))
