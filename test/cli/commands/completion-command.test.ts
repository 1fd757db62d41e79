import { describe, expect, test } from 'vitest'
import { SHELLS } from '../../../src/cli/options/shells.ts'
import { quickAsk } from '../../../src/cli/scan-argv.ts'
import { completionScript } from '../../../src/reference/completions.ts'
import { cli } from '../../support/cli.ts'

describe('matdecl completion', () => {
  test.each(SHELLS)(
    '%s prints its script and nothing else, without looking at any settings',
    async (shell) => {
      const { code, stdout, stderr } = await cli(['completion', shell], {
        env: { MATDECL_CONFIG: '/nonexistent/config.toml' },
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toBe(completionScript(shell))
      expect(quickAsk(['completion', shell])).toEqual({ kind: 'completion', shell })
    },
  )

  test('--json wraps it', async () => {
    const { code, json } = await cli(['completion', 'fish', '--json'])
    expect(code).toBe(0)
    expect(json()).toEqual({
      schema: 'matdecl.completion/1',
      status: 'ok',
      shell: 'fish',
      script: completionScript('fish'),
    })
  })

  test.each([
    [['completion'], /completion needs SHELL/],
    [['completion', 'tcsh'], /there is no completion for 'tcsh'/],
    [['completion', 'bsh'], /did you mean bash\?/],
    [['completion', 'bash', 'zsh'], /does not take 'zsh'/],
    [['completion', 'bash', '--part', 'A'], /completion has no option '--part'/],
  ])('%j is refused', async (argv, words) => {
    const { code, stdout, stderr } = await cli(argv)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(words)
  })

  test('help stays help', async () => {
    const { code, stdout } = await cli(['completion', 'bash', '-h'])
    expect(code).toBe(0)
    expect(stdout).toContain('Usage matdecl completion bash|zsh|fish|powershell [options]')
  })
})
