import type { CommandDefinition } from '../command-definition.ts'

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
  action: { run: async (...args) => (await import('../login/logout.ts')).logout(...args) },
}
