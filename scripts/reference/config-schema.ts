import * as z from 'zod/mini'
import { canBeSetIn, type OptionRow, optionSentence } from '../../src/cli/option-row.ts'
import { SECRET_KEYS } from '../../src/cli/settings/config-file.ts'

/** The JSON Schema of the config file: draft 7, which TOML editors read. */
export function configSchema(rows: readonly OptionRow[]): string {
  const descriptions = z.registry<{ description: string }>()
  const described = (schema: z.ZodMiniType, description: string): z.ZodMiniType => {
    // Each key gets a schema of its own, so that its description is not shared.
    const own = z.optional(schema)
    descriptions.add(own, { description })
    return own
  }
  const settings = Object.fromEntries([
    ...rows
      .filter((row) => canBeSetIn(row, 'file'))
      .map((row) => [row.name, described(settingSchema(row), optionSentence(row))] as const),
    ...SECRET_KEYS.map((key) => [key, described(secretSchema(key), secretSentence(key))] as const),
  ])
  const { profile: _, ...inProfile } = settings
  const profiles = described(
    z.record(z.string(), z.strictObject(inProfile)),
    'Named settings; --profile NAME overrides the top level of the file with them.',
  )
  const file = z.strictObject({ ...settings, profiles })
  const { $schema, ...schema } = z.toJSONSchema(file, {
    target: 'draft-7',
    io: 'input',
    metadata: descriptions,
  })
  const description = 'The config file of matdecl (TOML). Keys are the long option names.'
  return `${JSON.stringify({ $schema, title: 'matdecl settings', description, ...schema }, undefined, 2)}\n`
}

const SIZE = /^\s*\d+(\.\d+)?\s*([kKmMgGtT]([iI]?[bB])?|[bB])?\s*$/
const DURATION = /^\s*(\d+(\.\d+)?|(\d+(\.\d+)?([mM][sS]|[sSmMhHdDwW]))+)\s*$/

/** What the file can have as the value of an option; `valueOfSetting` reads it. */
function settingSchema(row: OptionRow): z.ZodMiniType {
  const one = oneSettingSchema(row)
  if (row.repeatable === true) return z.union([one, z.array(one)])
  return row.takesOptionalValue ? z.union([z.literal(true), one]) : one
}

function oneSettingSchema({ type }: OptionRow): z.ZodMiniType {
  switch (type.kind) {
    case 'flag':
      return z.boolean()
    case 'count':
      return z.int().check(z.gte(0), z.lte(9))
    case 'integer':
      return z.int().check(z.gte(type.min), z.lte(type.max))
    case 'choice':
      return z.enum(type.values)
    case 'size':
      return z.union([z.int().check(z.gte(1)), z.string().check(z.regex(SIZE))])
    case 'duration':
      return z.union([z.number().check(z.gte(0)), z.string().check(z.regex(DURATION))])
    case 'date':
      return z.iso.date()
    case 'url':
    case 'text':
      return z.string()
    case 'file':
    case 'directory':
      return z.string().check(z.minLength(1))
  }
}

function secretSchema(key: (typeof SECRET_KEYS)[number]): z.ZodMiniType {
  if (!key.endsWith('-command')) return z.string()
  return z.union([z.string().check(z.minLength(1)), z.array(z.string()).check(z.minLength(1))])
}

function secretSentence(key: (typeof SECRET_KEYS)[number]): string {
  const what = key.startsWith('token') ? 'the token of v2' : 'the API key of v1'
  if (key.endsWith('-command')) return `A command whose first line of output is ${what}; run without a shell.`
  if (key.endsWith('-file'))
    return `A file that contains only ${what}, mode 0600; a relative path starts at the config file.`
  return `${what.charAt(0).toUpperCase()}${what.slice(1)} itself; a file or a command keeps it out of the config file.`
}
