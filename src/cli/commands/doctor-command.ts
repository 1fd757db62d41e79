import type { CommandDefinition } from '../command.ts'

export const doctorCommand: CommandDefinition = {
  name: 'doctor',
  summary: 'diagnose settings, token, network, service, allowance, clock and disk, and suggest fixes',
  operands: [],
  description:
    'Prints one line for each thing a download needs: passed, failed with a suggested fix, or skipped with the reason. Downloads nothing and uses no allowance. Exits with the code of the first failed check.',
  examples: [
    { line: 'matdecl doctor', does: 'check that everything is ready' },
    { line: 'matdecl doctor --profile nightly --quiet', does: 'in a cron job: print only failures' },
    { line: 'matdecl doctor --sandbox', does: 'try it without an account or settings' },
  ],
  common: ['base-url', 'proxy', 'ca-file', 'sandbox'],
  run: async (context) => (await import('../actions/doctor-action.ts')).runDoctor(context),
}
