const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `2021-01-01` of OpenSSL's `Jan  1 00:00:00 2021 GMT`, or undefined. */
export function certificateDay(text: string | undefined): string | undefined {
  const match = /^([A-Z][a-z]{2})\s+(\d{1,2}) [\d:]+ (\d{4}) GMT$/.exec(text ?? '')
  const month = match ? MONTHS.indexOf(match[1]!) : -1
  if (!match || month < 0) return undefined
  return `${match[3]}-${String(month + 1).padStart(2, '0')}-${match[2]!.padStart(2, '0')}`
}
