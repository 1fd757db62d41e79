import { distance } from 'fastest-levenshtein'

/** The known word that `word` is probably a typo or the only one it begins, ignoring case; undefined when none is similar. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    const far = edits(lower, candidate.toLowerCase())
    if (far < bestDistance && far < word.length) {
      best = candidate
      bestDistance = far
    }
  }
  const [longer, other] = known.filter((one) => one.toLowerCase().startsWith(lower))
  return best ?? (other === undefined && word.length > 3 ? longer : undefined)
}

// Edit distance in which two swapped neighbors count as one edit.
function edits(word: string, other: string): number {
  const at = [...word].findIndex((letter, index) => letter !== other[index])
  const swapped = `${word.slice(0, at)}${word[at + 1] ?? ''}${word[at] ?? ''}${word.slice(at + 2)}`
  return at >= 0 && swapped === other ? 1 : distance(word, other)
}
