/** A fenced block of a page. */
export interface Fence {
  readonly language: string
  readonly line: number
  readonly text: string
  /** Why it is not run, from a `<!-- not run: … -->` above it. */
  readonly notRun: string | undefined
  /** Programs that it needs beside the usual ones, from a `<!-- needs: … -->` above it. */
  readonly needs: readonly string[]
  /** Expected exit codes, from an `<!-- exit: 0 or 3 -->` above it; 0 without one. */
  readonly exits: readonly number[]
}

/** Every fenced block of a Markdown page, in order. */
export function fencesIn(page: string): Fence[] {
  const fences: Fence[] = []
  const lines = page.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const open = /^```(\w*)\s*$/.exec(lines[at]!)
    if (open === null) continue
    const end = lines.indexOf('```', at + 1)
    const above = lines[at - 1] ?? ''
    const exits = /^<!-- exit: ([\d or]+) -->$/.exec(above)?.[1]
    fences.push({
      language: open[1]!,
      line: at + 1,
      text: lines.slice(at + 1, end).join('\n'),
      notRun: /^<!-- not run: (.+) -->$/.exec(above)?.[1],
      needs: /^<!-- needs: (.+) -->$/.exec(above)?.[1]?.split(' ') ?? [],
      exits: exits === undefined ? [0] : exits.split(' or ').map(Number),
    })
    at = end
  }
  return fences
}

/** The arguments of every `matdecl` command in a text, as a shell splits them, except those with placeholders. */
export function invocationsIn(text: string): string[][] {
  return whole(text)
    .flatMap((line) => /(?:^|[\s(/])matdecl((?: .*)?)$/.exec(line)?.[1] ?? [])
    .map(splitWords)
    .filter((words) => words.length > 0 && !words.some(isPlaceholder))
}

// Lines continue after a backslash, and in YAML's folded text where the next line begins with an option.
function whole(text: string): string[] {
  const lines: string[] = []
  let continues = false
  for (const line of text.split('\n')) {
    const isMore = continues || (/^\s+-[-\w]/.test(line) && !/^\s+- /.test(line) && lines.length > 0)
    const plain = line.replace(/\\$/, '')
    if (isMore) lines.push(`${lines.pop()} ${plain.trim()}`)
    else lines.push(plain.trimEnd())
    continues = line.endsWith('\\')
  }
  return lines
}

function isPlaceholder(word: string): boolean {
  return /…|^[A-Z][A-Z-]+$|[{}]/.test(word)
}

// Words up to the end of the command: a pipe, a redirection, a comment, a closing quote.
function splitWords(line: string): string[] {
  const words: string[] = []
  for (const [word] of line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"`])+|['"`]/g)) {
    if (/^(?:[|><;#&'"`)]|\d?>)/.test(word) && !/^'[^']*'$|^"[^"]*"$/.test(word)) break
    words.push(
      word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
    )
  }
  return words
}
