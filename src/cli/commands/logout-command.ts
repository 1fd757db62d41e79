import type { CommandDefinition } from '../command-definition.ts'

export const logoutCommand: CommandDefinition = {
  name: 'logout',
  summary: 'delete the saved token',
  operands: [],
  description:
    'Deletes the file of the token that `login` wrote. The token stays valid: only the service can withdraw it.',
  examples: [
    { line: 'matdecl logout', does: 'delete the token of this user' },
    { line: 'matdecl logout --profile nightly', does: 'delete that of a profile' },
  ],
  action: { run: async (...args) => (await import('../login/logout.ts')).logout(...args) },
}
