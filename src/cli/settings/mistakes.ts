import { cleanText } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { withOptions } from '../../base/notice.ts'
import { plural } from '../../base/units.ts'
import { checkCriteria } from '../../request/check-criteria.ts'
import type { OptionRow } from '../option-row.ts'

/** A value of an option that cannot be used. */
export interface Mistake {
  readonly isFromFlag: boolean
  readonly message: string
  readonly hint?: string
  readonly place?: { readonly file: string; readonly line?: number }
}

/** These show or check the settings of every command. */
export const ABOUT_ALL: readonly string[] = ['config', 'doctor']

/** The message and the hint for a value that the option's schema refuses. */
export function mistakeOf(
  row: OptionRow,
  value: unknown,
  name: string,
  why = 'not valid',
): Pick<Mistake, 'message' | 'hint'> {
  // A URL may contain a password: it is not printed.
  if (row.type.kind === 'url') {
    return {
      message: `invalid URL for ${name}: ${why}`,
      hint: 'write it as https://HOST, without the version',
    }
  }
  return { message: `invalid value '${cleanText(String(value), 80)}' for ${name}: ${why}` }
}

/** `config.toml:12` */
export function placeOf(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`
}

/** Throws one Failure for all mistakes, of kind `usage` when one is in a flag, else `config`. */
export function refuse(found: readonly Mistake[], command: string, values: CriteriaValues): void {
  // An option that selects others is read before them, and again with them.
  const mistakes = [...new Map(found.map((one) => [one.message, one])).values()]
  const [first] = mistakes
  if (first === undefined) return
  const kind = mistakes.some((one) => one.isFromFlag) ? 'usage' : 'config'
  const about = ABOUT_ALL.includes(command) ? 'download' : command
  const hint = `matdecl ${about} --help lists the options`
  const others = command === 'download' ? criteriaMistakes(values) : []
  if (mistakes.length + others.length === 1)
    throw new Failure(kind, first.message, { hint: first.hint ?? hint, ...first.place })
  throw new Failure(kind, `${plural(mistakes.length + others.length, 'mistake')} in the settings`, {
    problems: [...mistakes.map((one) => one.message), ...others],
    hint,
    ...first.place,
  })
}

type CriteriaValues = Parameters<typeof checkCriteria>[0]

// The search criteria are reported too. A value that is itself a mistake is undefined.
function criteriaMistakes(values: CriteriaValues): string[] {
  if (values.api === undefined) return []
  const query = values.query.filter((text) => text !== undefined)
  const checked = checkCriteria({ ...values, query }, 0)
  if (!('problems' in checked)) return []
  return checked.problems.map(({ message, hint, options }) => withOptions(`${message}: ${hint}`, options))
}
