import { distance } from 'fastest-levenshtein'

/** The known word most like `word`, when it is near enough to be a slip of the finger; letter case does not count. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    const far = distance(lower, candidate.toLowerCase())
    if (far < bestDistance) {
      best = candidate
      bestDistance = far
    }
  }
  return best
}
