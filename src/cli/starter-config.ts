import { wrapText } from '../base/clean-text.ts'
import {
  canBeSetIn,
  defaultText,
  OPTION_GROUPS,
  type OptionRow,
  offerOf,
  optionSentence,
  valueTerm,
} from './option-row.ts'
import { OPTIONS } from './options.ts'

/** The settings that the starter file sets; all others are comments in it. */
export interface StarterAnswers {
  readonly 'base-url'?: string | undefined
  readonly supplier?: string | undefined
  /** A path; a relative one starts at the config file. */
  readonly 'token-file'?: string | undefined
}

const WIDTH = 100
const FIRST = ['base-url', 'supplier'] as const

/**
 * A config file (TOML) that works unchanged and documents every setting. The first line names its JSON Schema, if there is one, so
 * that editors complete and check the keys.
 */
export function starterConfig(answers: StarterAnswers, schemaPath?: string): string {
  const options = (OPTIONS as readonly OptionRow[]).filter((row) => canBeSetIn(row, 'file'))
  const lines = [
    ...(schemaPath === undefined ? [] : [`#:schema ${schemaPath}`, '']),
    ...comment(
      'Settings of matdecl. Flags override environment variables, variables override the profiles below, and profiles override the top of this file. Uncomment a line to use it.',
    ),
    '',
    ...FIRST.flatMap((name) => {
      const row = options.find((one) => one.name === name)!
      return [...comment(row.help), setting(name, answers[name], exampleOf(row))]
    }),
    '',
    ...comment(
      'Where to read the token from; MATDECL_TOKEN and MATDECL_TOKEN_FILE override it. A token file contains only the token, has mode 0600, and a relative path starts at this file. A command runs without a shell, and its first line of output is the token.',
    ),
    setting('token-file', answers['token-file'], '"token"'),
    '# token-command = ["pass", "show", "matdecl"]',
    '',
    ...comment('The same for the legacy API (api = "v1").'),
    '# api-key-file = "api-key"',
    ...OPTION_GROUPS.flatMap((group) => {
      const mine = options.filter((row) => row.group === group && !['profile', ...FIRST].includes(row.name))
      return mine.length === 0 ? [] : ['', '', `# --- ${group} ---`, ...mine.flatMap(commented)]
    }),
    '',
    '',
    ...comment('Profiles, selected with --profile NAME, MATDECL_PROFILE, or profile = "NAME" at the top.'),
    '# [profiles.nightly]',
    '# quiet = true',
    '# if-locked = "skip"',
  ]
  return `${lines.join('\n')}\n`
}

function commented(row: OptionRow): string[] {
  return ['', ...comment(optionSentence(row)), `# ${row.name} = ${exampleOf(row)}`]
}

function setting(name: string, value: string | undefined, example: string): string {
  return value === undefined ? `# ${name} = ${example}` : `${name} = ${JSON.stringify(value)}`
}

// The default, or a value of the right type.
function exampleOf(row: OptionRow): string {
  const { type } = row
  const one = ((): string => {
    switch (type.kind) {
      case 'flag':
        return 'true'
      case 'count':
        return '1'
      case 'integer':
        return String(row.default ?? Math.max(type.min, 1))
      case 'choice':
        return JSON.stringify(row.default ?? type.values[0])
      case 'size':
      case 'duration':
        return JSON.stringify(defaultText(row) ?? (type.kind === 'size' ? '1 GiB' : '2h'))
      case 'date':
        return '"2026-01-31"'
      case 'url':
        return '"https://api.example.com"'
      default: {
        const offer = offerOf(row)
        if (offer?.kind === 'words') return JSON.stringify(offer.words[0])
        return JSON.stringify(row.name === 'supplier' ? '123456789' : valueTerm(row).replace(/^\[|\]$/g, ''))
      }
    }
  })()
  return row.repeatable === true ? `[${one}]` : one
}

function comment(text: string): string[] {
  return wrapText(text, WIDTH).map((line) => `# ${line}`)
}
