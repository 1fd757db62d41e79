import type { CommandDefinition } from '../command-definition.ts'

export const loginCommand: CommandDefinition = {
  name: 'login',
  summary: 'read the token, check it with the service, and save it',
  operands: [],
  description:
    'Asks for the token without showing it, or reads it from standard input, checks it with the `ping` of the service, and writes it to its own file with mode 0600: the one that token-file names, by default beside the config file, which then names it. A refused token is not written. With --api v1 it is the API key.',
  examples: [
    { line: 'matdecl login', does: 'paste the token; it is not shown' },
    { line: 'matdecl login < token.txt', does: 'read it from standard input' },
  ],
  action: { run: async (...args) => (await import('../login/login.ts')).login(...args) },
}
