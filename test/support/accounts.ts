import type { AccountEntry } from '../../src/base/account-entry.ts'

/** Every entry of the accounts in a JSON result, by its path, such as `lists.0.account.rows`. */
export function accountsIn(value: unknown, path = ''): ReadonlyMap<string, AccountEntry> {
  if (typeof value !== 'object' || value === null) return new Map()
  if ('in' in value && 'used' in value && 'named' in value) return new Map([[path, value as AccountEntry]])
  return new Map(
    Object.entries(value).flatMap(([key, item]) => [
      ...accountsIn(item, path === '' ? key : `${path}.${key}`),
    ]),
  )
}

/** The accounts of a JSON result that do not add up. */
export function wrongAccounts(result: unknown): readonly string[] {
  return [...accountsIn(result)].flatMap(([path, { in: arrived, used, named }]) => {
    const known = used + named.reduce((sum, { count }) => sum + count, 0)
    const isNamed = named.every(
      ({ reason, count, places }) => reason !== '' && count > 0 && places.length > 0,
    )
    return known === arrived && isNamed ? [] : `${path}: ${JSON.stringify({ in: arrived, used, named })}`
  })
}
