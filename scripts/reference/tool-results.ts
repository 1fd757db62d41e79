import * as z from 'zod'

const count = z.int().nonnegative()
const status = z.literal('ok')
const setting = z.object({
  value: z
    .unknown()
    .describe('by long option name; sizes in bytes, durations in seconds, null if it is not set'),
  source: z.string().describe('`flag`, `environment`, `profile`, `file` or `default`'),
  where: z.string().nullable().optional().describe('the flag, the variable, or file, line and key'),
})
const place = z.object({
  path: z.string().nullable().describe('the path'),
  exists: z.boolean().describe('whether it exists'),
})

export const migrateResult = z.object({
  schema: z.literal('matdecl.migrate/1'),
  status,
  commands: z.array(
    z.object({
      supplier: z.string().optional().describe('the supplier of this command'),
      argv: z.array(z.string()).describe('the command as an array of words'),
      command: z.string().describe('the command as a shell command line'),
      url: z.string().describe('the v2 URL it requests'),
    }),
  ),
  notes: z.array(
    z.object({
      aspect: z.string().describe('the subject of the difference'),
      v1: z.string().describe('the v1 value'),
      v2: z.string().describe('the v2 value'),
      note: z.string().describe('the effect on this request'),
    }),
  ),
  warnings: z.array(z.string()).describe('corrected or dropped values, and possible mistakes'),
})

export const doctorResult = z.object({
  schema: z.literal('matdecl.doctor/1'),
  status,
  checks: z.array(
    z.object({
      name: z.string().describe('such as `dns`'),
      status: z.enum(['pass', 'fail', 'skip']).describe('`pass`, `fail` or `skip`'),
      message: z.string().describe('the finding'),
      seconds: z.number().describe('how long the check took'),
      fix: z.string().optional().describe('how to fix it'),
      mend: z.string().optional().describe('the same as `fix`'),
      code: z.string().optional().describe('the name of the exit code of a failed check'),
    }),
  ),
})

export const loginResult = z.object({
  schema: z.literal('matdecl.login/1'),
  status,
  path: z.string().describe('the file that holds the token'),
  config: z.string().nullable().describe('the config file that was changed, or null'),
  baseUrl: z.string().nullable().describe('the service URL, or null when none is set'),
  checked: z.boolean().describe('whether the service accepted the token'),
})

export const logoutResult = z.object({
  schema: z.literal('matdecl.logout/1'),
  status,
  path: z.string().describe('the file that held the token'),
  removed: z.boolean().describe('whether it existed'),
})

export const configResult = z.object({
  schema: z.literal('matdecl.config/1'),
  status,
  path: z.string().nullable().optional().describe('the config file that was read'),
  profile: z.string().nullable().optional().describe('the active profile'),
  settings: z.record(z.string(), setting).optional(),
  secrets: z
    .record(
      z.string(),
      setting.extend({ value: z.string().nullable().describe('`****`, or null without one') }),
    )
    .optional(),
  config: place.optional(),
  library: place.optional(),
  state: place.optional(),
})

export const completionResult = z.object({
  schema: z.literal('matdecl.completion/1'),
  status,
  shell: z.string().describe('the shell'),
  script: z.string().describe('its completion script'),
})

export const sandboxResult = z.object({
  schema: z.literal('matdecl.sandbox/1'),
  status,
  url: z.string().describe('the URL, for `--base-url`'),
  token: z.string().describe('the accepted token'),
  suppliers: z.array(
    z.object({
      id: z.string().describe('the id of a supplier'),
      name: z.string().describe('its name'),
      parts: count.describe('number of its parts'),
      examples: z.array(z.string()).describe('some of their numbers'),
    }),
  ),
})

export const versionResult = z.object({
  schema: z.literal('matdecl.version/1'),
  version: z.string().describe('of matdecl'),
  node: z.string().describe('of Node.js'),
  platform: z.string().describe('such as `linux-x64`'),
  commit: z.string().nullable().describe('the commit it was built from; null outside a checkout'),
})
