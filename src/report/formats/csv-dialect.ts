/** How a CSV file is written. */
export interface CsvDialect {
  /** `excel` files are for a spreadsheet alone: what it would change when it opens the file is protected. */
  readonly name: 'rfc4180' | 'excel'
  readonly separator: ',' | ';'
  readonly decimal: '.' | ','
}

/** The dialects that can be chosen; the first is the default. */
export const CSV_DIALECTS = ['rfc4180', 'excel'] as const

export const RFC4180: CsvDialect = { name: 'rfc4180', separator: ',', decimal: '.' }

/** Countries with a decimal point, whose list separator is a semicolon. */
const POINT_AND_SEMICOLON = /-(?:CH|LI)$/

/**
 * The CSV that Excel opens with a double click in the locale of these variables (`LC_ALL`, `LC_NUMERIC`, `LANG`; without any, on
 * Windows, that of the system): a decimal comma comes with semicolons between the cells.
 */
export function excelDialect(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): CsvDialect {
  const name = [env.LC_ALL, env.LC_NUMERIC, env.LANG].find((value) => value !== undefined && value !== '')
  const locale = name === undefined ? systemLocale(platform) : localeOf(name)
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5)
  const isComma = parts.some(({ type, value }) => type === 'decimal' && value === ',')
  if (isComma) return { name: 'excel', separator: ';', decimal: ',' }
  return { name: 'excel', separator: POINT_AND_SEMICOLON.test(locale) ? ';' : ',', decimal: '.' }
}

/** `de_DE.UTF-8@euro` is `de-DE`; `C`, and what is no locale, is English. */
function localeOf(name: string): string {
  const tag = name.replace(/[.@].*$/, '').replaceAll('_', '-')
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag)[0] ?? 'en-US'
  } catch {
    return 'en-US'
  }
}

function systemLocale(platform: string): string {
  return platform === 'win32' ? new Intl.NumberFormat().resolvedOptions().locale : 'en-US'
}
