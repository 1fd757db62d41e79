import type { CommandDefinition } from '../command.ts'

export const loginCommand: CommandDefinition = {
  name: 'login',
  summary: 'read the token, check it with the service, and save it',
  operands: [],
  description:
    'Prompts for the token without showing it, or reads it from standard input. Checks it with the `ping` of the service, and saves it with mode 0600 in the file set by token-file. If that is not set, the file is created next to the config file, and token-file is added there. A rejected token is not saved. With --api v1, this is the API key.',
  examples: [
    { line: 'matdecl login', does: 'paste the token; it is not shown' },
    { line: 'matdecl login < token.txt', does: 'read it from standard input' },
  ],
  common: ['base-url', 'proxy', 'ca-file'],
  run: async (context) => (await import('../login/login.ts')).login(context),
}

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
