import type { CommandDefinition } from '../command.ts'
import type { CommandName } from '../options.ts'
import { checkCommand } from './check-command.ts'
import { completionCommand } from './completion-command.ts'
import { configCommand } from './config-command.ts'
import { diffCommand } from './diff-command.ts'
import { doctorCommand } from './doctor-command.ts'
import { downloadCommand } from './download-command.ts'
import { extractCommand } from './extract-command.ts'
import { listCommand } from './list-command.ts'
import { loginCommand, logoutCommand } from './login-command.ts'
import { migrateCommand } from './migrate-command.ts'
import { partsCommand } from './parts-command.ts'
import { reportCommand } from './report-command.ts'
import { sandboxCommand } from './sandbox-command.ts'
import { syncCommand } from './sync-command.ts'
import { verifyCommand } from './verify-command.ts'

const BY_NAME: Readonly<Record<CommandName, CommandDefinition>> = {
  download: downloadCommand,
  sync: syncCommand,
  check: checkCommand,
  parts: partsCommand,
  list: listCommand,
  verify: verifyCommand,
  extract: extractCommand,
  report: reportCommand,
  diff: diffCommand,
  migrate: migrateCommand,
  login: loginCommand,
  logout: logoutCommand,
  doctor: doctorCommand,
  config: configCommand,
  completion: completionCommand,
  sandbox: sandboxCommand,
}

/** Every command, in the order of the help; the first is the default. */
export const COMMANDS: readonly CommandDefinition[] = Object.values(BY_NAME)
