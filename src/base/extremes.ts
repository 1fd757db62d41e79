/** The largest of any number of values, which as arguments of `Math.max` would overflow the stack; -Infinity for none. */
export function largest(values: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY
  for (const value of values) found = Math.max(found, value)
  return found
}

/** The smallest of any number of values; Infinity for none. */
export function smallest(values: Iterable<number>): number {
  let found = Number.POSITIVE_INFINITY
  for (const value of values) found = Math.min(found, value)
  return found
}
