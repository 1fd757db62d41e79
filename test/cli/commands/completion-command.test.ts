import { describe, expect, test } from 'vitest'
import { createProgram } from '../../../src/cli/program.ts'
import { completionScript } from '../../../src/reference/completions.ts'
import { SHELLS } from '../../../src/reference/shells.ts'
import { cli } from '../../support/cli.ts'

describe('matdecl completion', () => {
  test.each(SHELLS)(
    '%s prints its script and nothing else, without looking at any settings',
    async (shell) => {
      const { code, stdout, stderr } = await cli(['completion', shell], {
        env: { MATDECL_CONFIG: '/nonexistent/config.toml' },
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toBe(completionScript(shell, createProgram()))
    },
  )

  test('--json prints an object with the script', async () => {
    const { code, json } = await cli(['completion', 'fish', '--json'])
    expect(code).toBe(0)
    expect(json()).toEqual({
      schema: 'matdecl.completion/1',
      status: 'ok',
      shell: 'fish',
      script: completionScript('fish', createProgram()),
    })
  })

  test.each([
    [['completion'], /missing required argument 'SHELL'/],
    [['completion', 'tcsh'], /invalid value 'tcsh' for SHELL/],
    [
      ['completion', 'bsh'],
      /invalid value 'bsh' for SHELL: expected one of bash, zsh, fish, powershell\n.*did you mean bash\?/,
    ],
    [['completion', 'bash', 'zsh'], /too many arguments for 'completion': 2, not 1\n/],
    [['completion', 'bash', '--part', 'A'], /unknown option '--part'/],
  ])('%j is refused', async (argv, words) => {
    const { code, stdout, stderr } = await cli(argv)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(words)
  })

  test('-h prints help', async () => {
    const { code, stdout } = await cli(['completion', 'bash', '-h'])
    expect(code).toBe(0)
    expect(stdout).toContain('Usage: matdecl completion [options] <SHELL>')
  })
})
