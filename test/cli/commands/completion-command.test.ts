import { describe, expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { completionFile } from '../../support/shells.ts'

const FILES = {
  bash: 'matdecl.bash',
  zsh: '_matdecl',
  fish: 'matdecl.fish',
  powershell: 'matdecl.ps1',
} as const

describe('matdecl completion', () => {
  test.each(Object.entries(FILES))(
    '%s prints its script and nothing else, without looking at any settings',
    async (shell, file) => {
      const { code, stdout, stderr } = await cli(['completion', shell], {
        env: { MATDECL_CONFIG: '/nonexistent/config.toml' },
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toBe(completionFile(file))
    },
  )

  test('--json prints an object with the script', async () => {
    const { code, json } = await cli(['completion', 'fish', '--json'])
    expect(code).toBe(0)
    expect(json()).toEqual({
      schema: 'matdecl.completion/1',
      status: 'ok',
      shell: 'fish',
      script: completionFile('matdecl.fish'),
    })
  })

  test.each([
    [['completion'], /missing required argument 'SHELL'/],
    [['completion', 'tcsh'], /invalid value 'tcsh' for SHELL/],
    [
      ['completion', 'bsh'],
      /invalid value 'bsh' for SHELL: expected one of bash, zsh, fish, powershell\n.*did you mean bash\?/,
    ],
    [['completion', 'bash', 'zsh'], /too many arguments for 'completion'. Expected 1 argument but got 2\n/],
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
