import { Failure } from '../base/failure.ts'
import { calendarDate } from '../base/units.ts'

const DAY_MS = 86_400_000
const MOST_DAYS = 36_500

/** The start date of a period until now (UTC): `7d`, `2w` or `yesterday`; anything else is a Failure of kind `usage`. */
export function startOfPeriod(text: string, nowMs: number): string {
  const word = text.trim().toLowerCase()
  const match = /^(\d{1,6})([dw])$/.exec(word === 'yesterday' ? '1d' : word)
  const days = match === null ? 0 : Number(match[1]) * (match[2] === 'w' ? 7 : 1)
  if (days >= 1 && days <= MOST_DAYS) return calendarDate(nowMs - days * DAY_MS)
  throw new Failure('usage', `invalid period ${JSON.stringify(text)}`, {
    hint: 'matdecl sync asks for what is new since the last time; else use 7d, 2w or yesterday, or a start date',
    options: ['since', 'start-date'],
  })
}
