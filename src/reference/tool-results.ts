import * as z from 'zod'

const count = z.int().nonnegative()
const status = z.literal('ok')
const setting = z.object({
  value: z
    .unknown()
    .describe('by long option name; sizes in bytes, durations in seconds, null where it is not set'),
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
      supplier: z.string().optional().describe('the one supplier of this command'),
      argv: z.array(z.string()).describe('the command, word by word'),
      command: z.string().describe('the same as a line for a shell'),
      url: z.string().describe('the v2 URL it requests'),
    }),
  ),
  config: z.array(z.string()).describe('lines for the config file'),
  notes: z.array(
    z.object({
      aspect: z.string().describe('what is different'),
      v1: z.string().describe('how it was'),
      v2: z.string().describe('how it is'),
      note: z.string().describe('what became of it here'),
    }),
  ),
  warnings: z.array(z.string()).describe('what to check'),
})

export const doctorResult = z.object({
  schema: z.literal('matdecl.doctor/1'),
  status,
  checks: z.array(
    z.object({
      name: z.string().describe('such as `dns`'),
      status: z.enum(['pass', 'fail', 'skip']).describe('`pass`, `fail` or `skip`'),
      message: z.string().describe('what was found'),
      seconds: z.number().describe('how long the check took'),
      fix: z.string().optional().describe('how to fix it'),
      mend: z.string().optional().describe('the same as `fix`'),
      code: z.string().optional().describe('the name of the exit code of a failed check'),
    }),
  ),
})

export const configResult = z.object({
  schema: z.literal('matdecl.config/1'),
  status,
  path: z.string().nullable().optional().describe('the config file that was read, or written'),
  profile: z.string().nullable().optional().describe('the active profile'),
  settings: z.record(z.string(), setting).optional(),
  secrets: z
    .record(
      z.string(),
      setting.extend({ value: z.string().nullable().describe('`****`, or null where there is none') }),
    )
    .optional(),
  config: place.optional(),
  state: place.optional(),
})

export const stateResult = z.object({
  schema: z.literal('matdecl.state/1'),
  status,
  runs: z
    .array(
      z.object({
        id: z.string().describe('what `state reset` takes'),
        request: z.record(z.string(), z.unknown()).describe('its criteria'),
        lastRun: z.iso.datetime().describe("the service's date at the start of the last complete run"),
        parts: count.describe('parts in it; 0 for a whole supplier'),
        file: z.string().describe('its state file'),
      }),
    )
    .optional(),
  forgotten: count.optional().describe('how many runs were forgotten'),
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
  url: z.string().describe('the address, for `--base-url`'),
  token: z.string().describe('the token it accepts'),
  suppliers: z.array(
    z.object({
      id: z.string().describe('a supplier it has'),
      name: z.string().describe('its name'),
      parts: count.describe('how many parts it has'),
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
