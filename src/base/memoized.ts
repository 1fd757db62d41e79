/** The function, which computes once for each key: its first argument unless `keyOf` says otherwise. With `most` results it starts again. */
export function memoized<Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
  most: number,
  keyOf: (...args: Args) => unknown = (...args) => args[0],
): (...args: Args) => Result {
  const kept = new Map<unknown, Result>()
  return (...args) => {
    const key = keyOf(...args)
    const known = kept.get(key)
    if (known !== undefined || kept.has(key)) return known as Result
    const result = compute(...args)
    if (kept.size >= most) kept.clear()
    kept.set(key, result)
    return result
  }
}
