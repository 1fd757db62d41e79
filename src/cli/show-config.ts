import { escapeUnsafe } from '../base/clean-text.ts'
import { largest } from '../base/extremes.ts'
import { redactUrl } from '../base/redact.ts'
import { formatBytes, typedDuration } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { proxyVariable } from '../http/proxy.ts'
import { isLoopback } from '../request/request.ts'
import type { CommandRun } from './command.ts'
import type { Context } from './context.ts'
import { printResult } from './json.ts'
import { isSetting, type OptionRow } from './option-row.ts'
import { OPTIONS } from './options.ts'
import type { SecretName } from './settings/secret.ts'
import type { Source } from './settings/settings.ts'

const MASK = '****'
const SECRETS: readonly SecretName[] = ['token', 'api-key']
// These select settings and are none themselves.
const SELECTORS = ['config', 'profile']

/** The settings without which nothing can be asked for: they come first. */
const NEEDED = ['base-url', 'token']
const NOWHERE: Source = { kind: 'file', where: '' }

function rank({ name }: Shown): number {
  const at = NEEDED.indexOf(name)
  return at < 0 ? NEEDED.length : at
}

interface Shown {
  readonly name: string
  readonly text: string
  /** Bytes for a size, seconds for a duration; null when it is not set. */
  readonly value: unknown
  readonly source: Source
}

/** Lists every effective setting with its source; of a secret only the source: reads no secret file, runs no command. */
export const showConfig: CommandRun = async (context) => {
  const { settings, terminal } = context
  const shown = settingsShown(context)
  const secrets = secretsShown(context)
  if (terminal.choice.json) {
    const facts = {
      schema: 'matdecl.config/1',
      status: 'ok',
      path: settings.configPath ?? null,
      profile: settings.values.profile ?? null,
      settings: Object.fromEntries(
        shown.map(({ name, value, source }) => [name, { value, ...sourceFacts(source) }]),
      ),
      secrets: Object.fromEntries(
        secrets.map(({ name, value, source }) => [name, { value, ...sourceFacts(source) }]),
      ),
    }
    await printResult(terminal, facts)
    return 0
  }
  // What every run needs is shown also when it is not set.
  const set = [...shown, ...secrets]
    .filter(({ name, value }) => value !== null || NEEDED.includes(name))
    .map((one) => (one.value === null ? { ...one, text: 'not set', source: NOWHERE } : one))
    .sort((a, b) => rank(a) - rank(b))
  await terminal.write(tableOf(set, terminal.out.faint, terminal.out.name))
  const unset = shown.length + secrets.length - set.length
  terminal.say('config.unset', `${unset} unset settings are not shown; use --json to list them`)
  return 0
}

function settingsShown({ settings, world }: Context): Shown[] {
  const rows = (OPTIONS as readonly OptionRow[]).filter(
    (row) => isSetting(row) && !SELECTORS.includes(row.key),
  )
  return rows.map((row) => {
    const found = (settings.values as Readonly<Record<string, unknown>>)[row.key]
    const value = Array.isArray(found) && found.length === 0 ? undefined : found
    if (row.key === 'proxy' && value === undefined) {
      const variable = usualProxy(settings.values.baseUrl, world.env)
      if (variable !== undefined) return proxyShown(row, variable)
    }
    const source = settings.sources[row.key] ?? { kind: 'default' }
    return { name: row.name, text: textOf(row, value), value: plainOf(row, value), source }
  })
}

// Of the variables that other programs use too.
function usualProxy(baseUrl: string | undefined, env: World['env']): ReturnType<typeof proxyVariable> {
  const url = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url !== undefined && isLoopback(url.hostname)) return undefined
  return proxyVariable(url ?? new URL('https://service.invalid'), env)
}

function proxyShown(
  row: OptionRow,
  { name, value }: { readonly name: string; readonly value: string },
): Shown {
  const source: Source = { kind: 'environment', where: name }
  return { name: row.name, text: textOf(row, value), value: plainOf(row, value), source }
}

function secretsShown({ planSecret }: Context): Shown[] {
  return SECRETS.map((name) => {
    const plan = planSecret(name)
    return plan === undefined
      ? { name, text: '', value: null, source: { kind: 'default' } }
      : { name, text: MASK, value: MASK, source: plan.source }
  })
}

function plainOf(row: OptionRow, value: unknown): unknown {
  if (value === undefined) return null
  if (Array.isArray(value)) return value.map((one) => plainOf(row, one))
  if (row.type.kind === 'duration' && typeof value === 'number') return value / 1000
  return typeof value === 'string' ? maskedText(row, value) : value
}

function textOf(row: OptionRow, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => textOf(row, one)).join(', ')
  if (row.type.kind === 'size' && typeof value === 'number') return formatBytes(value).replace('.0 ', ' ')
  if (row.type.kind === 'duration' && typeof value === 'number') return typedDuration(value)
  return typeof value === 'string' ? escapeUnsafe(maskedText(row, value)) : String(value)
}

// The password of a proxy, and a signature or key in a query parameter, are secrets too.
function maskedText(row: OptionRow, text: string): string {
  if (row.key === 'query') return redactUrl(`?${text}`).slice(1)
  const address = row.key === 'proxy' && !text.includes('://') ? `http://${text}` : text
  const masked = redactUrl(address).replace('***', MASK)
  return masked === address ? text : masked
}

function sourceFacts(source: Source): Readonly<Record<string, string>> {
  return source.kind === 'default' ? { source: 'default' } : { source: source.kind, where: source.where }
}

function tableOf(
  rows: readonly Shown[],
  faint: (text: string) => string,
  strong: (text: string) => string,
): string {
  const width = (texts: readonly string[], most: number): number =>
    Math.min(most, largest(texts.map((text) => text.length)))
  const names = width(
    rows.map(({ name }) => name),
    30,
  )
  const texts = width(
    rows.map(({ text }) => text),
    40,
  )
  return rows
    .map(({ name, text, source }) => {
      const where = source.kind === 'default' ? 'default' : source.where
      return `${strong(name.padEnd(names))}  ${where === '' ? text : `${text.padEnd(texts)}  ${faint(escapeUnsafe(where))}`}\n`
    })
    .join('')
}
