import type { OptionRow } from './option-row.ts'
import { canBeSetIn, optionSentence } from './option-words.ts'
import { SECRET_KEYS } from './secret-names.ts'
import type { Table } from './table.ts'

type Schema = Readonly<Record<string, unknown>>

/** The JSON Schema of the config file: draft 7, which TOML editors read. */
export function configSchema(table: Table): string {
  const settings = {
    ...Object.fromEntries(
      table.options.filter((row) => canBeSetIn(row, 'file')).map((row) => [row.name, settingSchema(row)]),
    ),
    ...Object.fromEntries(SECRET_KEYS.map((key) => [key, secretSchema(key)])),
  }
  const { profile: _, ...inProfile } = settings as Record<string, unknown>
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'matdecl settings',
    description: 'The config file of matdecl (TOML). Keys are the long option names.',
    type: 'object',
    additionalProperties: false,
    properties: {
      ...settings,
      profiles: {
        description: 'Named settings: --profile NAME overrides the top of the file with them.',
        type: 'object',
        additionalProperties: { type: 'object', additionalProperties: false, properties: inProfile },
      },
    },
  }
  return `${JSON.stringify(schema, undefined, 2)}\n`
}

function settingSchema(row: OptionRow): Schema {
  const one = valueSchema(row)
  const value = row.optionalValue === true ? { anyOf: [{ const: true }, one] } : one
  const whole = row.repeatable === true ? { anyOf: [value, { type: 'array', items: value }] } : value
  return { description: optionSentence(row), ...whole }
}

function valueSchema({ type }: OptionRow): Schema {
  switch (type.kind) {
    case 'flag':
      return { type: 'boolean' }
    case 'count':
      return { type: 'integer', minimum: 0, maximum: 9 }
    case 'integer':
      return { type: 'integer', minimum: type.min, maximum: type.max }
    case 'choice':
      return { type: 'string', enum: [...type.values] }
    case 'size':
      return {
        anyOf: [
          { type: 'integer', minimum: 1 },
          { type: 'string', pattern: SIZE },
        ],
      }
    case 'duration':
      return {
        anyOf: [
          { type: 'number', minimum: 0 },
          { type: 'string', pattern: DURATION },
        ],
      }
    case 'date':
      return { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }
    case 'url':
      return { type: 'string', pattern: '^https?://' }
    case 'file':
    case 'folder':
      return { type: 'string', minLength: 1 }
    case 'text':
      return { type: 'string' }
  }
}

const SIZE = '^\\s*\\d+(\\.\\d+)?\\s*([kKmMgGtT]([iI]?[bB])?|[bB])?\\s*$'
const DURATION = '^\\s*(\\d+(\\.\\d+)?|(\\d+(\\.\\d+)?([mM][sS]|[sSmMhHdDwW]))+)\\s*$'

function secretSchema(key: (typeof SECRET_KEYS)[number]): Schema {
  const what = key.startsWith('token') ? 'the token of v2' : 'the API key of v1'
  if (key.endsWith('-command')) {
    return {
      description: `A command whose first line of output is ${what}; run without a shell.`,
      anyOf: [
        { type: 'string', minLength: 1 },
        { type: 'array', items: { type: 'string' }, minItems: 1 },
      ],
    }
  }
  const description = key.endsWith('-file')
    ? `A file that contains only ${what}, mode 0600; a relative path starts at the config file.`
    : `${what.charAt(0).toUpperCase()}${what.slice(1)} itself; a file or a command keeps it out of the config file.`
  return { description, type: 'string' }
}
