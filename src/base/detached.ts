/** A copy: a slice of more than twelve characters keeps the piece of the file that it was cut from in memory (V8). */
export function detached(value: string): string {
  return value.length <= 12 ? value : [value.slice(0, 1), value.slice(1)].join('')
}
