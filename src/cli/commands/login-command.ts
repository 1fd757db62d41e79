import type { CommandDefinition } from '../command.ts'

export const loginCommand: CommandDefinition = {
  name: 'login',
  summary: 'set up: save the service URL and the token',
  operands: [],
  description:
    'Asks for the service URL where none is set, and for the token, which is not shown; or reads the token, or both on a line each, from standard input. Checks them with the `ping` and the `quota` of the service, and saves the token with mode 0600 in the file set by token-file, by default beside the config file, and the URL with that path in the config file; with --profile in that profile, which may be new. A rejected token is not saved. With --api v1, this is the API key.',
  examples: [
    { line: 'matdecl login', does: 'enter the URL, and paste the token' },
    {
      line: 'matdecl login --profile lab --base-url https://lab.example.com < token.txt',
      does: 'read the token from a file, and save both in a profile',
    },
  ],
  common: ['base-url', 'profile', 'proxy', 'ca-file'],
  run: async (context) => (await import('../login.ts')).login(context),
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
  run: async (context) => (await import('../login.ts')).logout(context),
}
