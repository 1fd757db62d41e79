import type { OptionRow } from '../cli/options/option-row.ts'
import { standsInFile } from './config-schema.ts'
import { defaultText, GROUP_ORDER, optionSentence, valueTerm } from './help.ts'
import { TABLE, type Table } from './table.ts'
import { wrap } from './wrap.ts'

/** What the starter file says outright; the rest stands in it as comments. */
export interface StarterAnswers {
  readonly 'base-url'?: string | undefined
  readonly supplier?: string | undefined
  /** A path; a relative one means beside the settings file. */
  readonly 'token-file'?: string | undefined
}

const WIDTH = 100
const FIRST = ['base-url', 'supplier']

/** A settings file (TOML) that works as it is and explains every setting there is. */
export function starterConfig(answers: StarterAnswers, table: Table = TABLE): string {
  const options = table.options.filter(standsInFile)
  const named = (name: string): OptionRow[] => options.filter((row) => row.name === name)
  const lines = [
    ...comment(
      'Settings of matdecl. A flag wins over an environment variable, that over a profile below, that over the top of this file. A line that begins with # is a comment: take the # away to make it count.',
    ),
    '',
    ...FIRST.flatMap((name) =>
      named(name).flatMap((row) => [
        ...comment(row.help),
        setting(name, answers[name as 'supplier'], exampleOf(row)),
      ]),
    ),
    '',
    ...comment(
      'Where the token comes from; MATDECL_TOKEN and MATDECL_TOKEN_FILE win over it. A file holds the token alone, mode 0600, beside this file when the path is relative. A command is run without a shell; the first line it prints counts.',
    ),
    setting('token-file', answers['token-file'], '"token"'),
    '# token-command = ["pass", "show", "matdecl"]',
    '',
    ...comment('The same for the legacy interface (api = "v1").'),
    '# api-key-file = "api-key"',
    ...GROUP_ORDER.flatMap((group) => {
      const mine = options.filter(
        (row) => row.group === group && !FIRST.includes(row.name) && row.name !== 'profile',
      )
      return mine.length === 0 ? [] : ['', '', `# --- ${group} ---`, ...mine.flatMap(commented)]
    }),
    '',
    '',
    ...comment(
      'Named settings, used with --profile NAME (or MATDECL_PROFILE, or profile = "NAME" at the top).',
    ),
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

// The default where there is one, else a value of the right kind.
function exampleOf(row: OptionRow): string {
  const { type } = row
  const one = ((): string => {
    switch (type.kind) {
      case 'flag':
        return 'true'
      case 'count':
        return '1'
      case 'integer':
        return String(type.default ?? Math.max(type.min, 1))
      case 'choice':
        return JSON.stringify(type.default ?? type.values[0])
      case 'size':
      case 'duration':
        return JSON.stringify(defaultText(row) ?? (type.kind === 'size' ? '1 GiB' : '2h'))
      case 'date':
        return '"2026-01-31"'
      case 'url':
        return '"https://api.example.com"'
      default:
        if (row.offers?.kind === 'words') return JSON.stringify(row.offers.words[0])
        return JSON.stringify(row.name === 'supplier' ? '123456789' : valueTerm(row).replace(/^\[|\]$/g, ''))
    }
  })()
  return row.repeatable === true ? `[${one}]` : one
}

function comment(text: string): string[] {
  return wrap(text, WIDTH).map((line) => `# ${line}`)
}
