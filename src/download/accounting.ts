import { Account } from '../base/account.ts'
import type { AccountEntry } from '../base/account-entry.ts'
import { nearKey } from '../parts/near-key.ts'

/** Which requested parts are in the archive. */
export interface AccountedParts {
  readonly foundCount: number
  /** Not in the archive although their request succeeded; in the order of the request. */
  readonly missing: readonly string[]
  /** Missing parts with a near match in the archive: other case, spaces or dashes. Never counted as found. */
  readonly near: readonly { readonly asked: string; readonly near: string }[]
  /** Not in the archive, because their request failed. */
  readonly unknown: readonly string[]
}

/** Matches the requested parts with the declared numbers of an archive, exactly. `failed` are the parts whose request failed. */
export function accountParts(
  requested: readonly string[],
  numbers: ReadonlySet<string>,
  failed: readonly string[] = [],
): AccountedParts {
  const withoutResponse = new Set(failed)
  const absent = requested.filter((part) => !numbers.has(part))
  const missing = absent.filter((part) => !withoutResponse.has(part))
  return {
    foundCount: requested.length - absent.length,
    missing,
    near: findNear(missing, numbers),
    unknown: absent.filter((part) => withoutResponse.has(part)),
  }
}

/** What became of the requested parts: found, missing or unknown. Undefined where they were not matched: all are unknown. */
export function accountOfParts(
  requested: readonly string[],
  found: AccountedParts | undefined,
): AccountEntry {
  const account = new Account()
  account.arrive(requested.length)
  account.use(found?.foundCount ?? 0)
  for (const part of found?.missing ?? []) account.name('missing', part)
  for (const part of found?.unknown ?? (found === undefined ? requested : [])) account.name('unknown', part)
  return account.close('parts')
}

function findNear(missing: readonly string[], numbers: ReadonlySet<string>): AccountedParts['near'] {
  if (missing.length === 0) return []
  const byKey = new Map<string, string>()
  for (const number of numbers) {
    const key = nearKey(number)
    if (key !== '' && !byKey.has(key)) byKey.set(key, number)
  }
  return missing.flatMap((asked) => {
    const near = byKey.get(nearKey(asked))
    return near === undefined ? [] : [{ asked, near }]
  })
}
