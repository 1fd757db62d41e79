/** A name without what writers spell differently: case, spaces, punctuation. */
export function plainName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
  return plain === '' ? name.trim().replace(/\s+/g, ' ') : plain
}
