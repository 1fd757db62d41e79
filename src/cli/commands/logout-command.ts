import type { CommandDefinition } from '../command.ts'

export const logoutCommand: CommandDefinition = {
  name: 'logout',
  summary: 'delete the saved token',
  operands: [],
  description:
    'Deletes the token file that `login` wrote. The token itself stays valid: only the service can revoke it.',
  examples: [
    { line: 'matdecl logout', does: 'delete the token of this user' },
    { line: 'matdecl logout --profile nightly', does: 'delete the token of a profile' },
  ],
  common: [],
  run: async (context) => (await import('../login/login.ts')).logout(context),
}
