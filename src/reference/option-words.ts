import { formatBytes, typedDuration } from '../base/units.ts'
import type { OptionRow } from './option-row.ts'

/** `-o, --output PATH`, as the documents show an option. */
export function optionTerm(option: OptionRow): string {
  const value = valueTerm(option)
  return `${option.short === undefined ? '' : `-${option.short}, `}--${option.name}${value === '' ? '' : ` ${value}`}`
}

/** `PATH`, `[DIR]`, `C|D|checkDthenC`, or nothing for a flag. */
export function valueTerm(option: OptionRow): string {
  if (!takesValue(option)) return ''
  const word = option.type.kind === 'choice' ? option.type.values.join('|') : (option.placeholder ?? 'VALUE')
  return option.optionalValue === true ? `[${word}]` : word
}

/** The help sentence, with the default where there is one. */
export function optionSentence(option: OptionRow): string {
  const shown = defaultText(option)
  return shown === undefined ? option.help : `${option.help} (default ${shown})`
}

/** A default as a user would type it; undefined where there is none. */
export function defaultText({ type }: OptionRow): string | undefined {
  if (!('default' in type) || type.default === undefined) return undefined
  if (type.kind === 'size') return formatBytes(type.default).replace('.0 ', ' ')
  if (type.kind === 'duration') return typedDuration(type.default)
  return String(type.default)
}

/** True when the option takes a value. */
export function takesValue({ type }: OptionRow): boolean {
  return type.kind !== 'flag' && type.kind !== 'count'
}

/** The environment variable of an option. */
export function variableOf({ name }: OptionRow): string {
  return `MATDECL_${name.toUpperCase().replaceAll('-', '_')}`
}

/** True when the option can be set there. */
export function canBeSetIn({ from }: OptionRow, where: 'flag' | 'env' | 'file'): boolean {
  return from?.includes(where) ?? true
}

/** True for a setting: an option that is more than a matter of one command line. */
export function isSetting(option: OptionRow): boolean {
  return canBeSetIn(option, 'env') || canBeSetIn(option, 'file')
}
