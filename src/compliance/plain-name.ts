/** A name without what writers spell differently: case, spaces, punctuation. */
export function plainName(name: string): string {
  // Most names are ASCII: for these it is twice as fast.
  const plain = NOT_ASCII.test(name)
    ? name
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '')
    : name.toLowerCase().replace(/[^a-z\d]+/g, '')
  return plain === '' ? name.trim().replace(/\s+/g, ' ') : plain
}

const NOT_ASCII = /[^\x20-\x7e]/
