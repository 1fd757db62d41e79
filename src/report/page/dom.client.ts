// What the scripts of a page do with its elements, its texts and files.

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Readonly<Record<string, unknown>> = {},
  parent?: Element,
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties)
  parent?.append(element)
  return element
}

/** Appends a text in which a date or another value with hyphens is not broken; a word of more than forty characters may break anywhere. */
export function put<T extends Element>(element: T, text: string): T {
  if (text.length < 41 && !/[-%]/.test(text)) {
    element.append(text)
    return element
  }
  for (const [index, piece] of text.split(/(\S{41,}|\S*\d %\S*|\S*-\S*)/).entries()) {
    if (piece === '') continue
    if (index % 2 === 0) element.append(piece)
    else
      make(
        'span',
        {
          className: piece.length > 40 ? 'long' : piece.includes(' ') ? 'short unit' : 'short',
          textContent: piece,
        },
        element,
      )
  }
  return element
}

/** Copies a text, also where a page has no clipboard, and says so on the button. */
export async function copy(text: string, button: HTMLElement): Promise<void> {
  const name = button.textContent
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const area = make('textarea', { value: text }, document.body)
    area.select()
    document.execCommand('copy')
    area.remove()
    button.focus()
  }
  button.textContent = 'copied'
  setTimeout(() => {
    button.textContent = name
  }, 1_500)
}

export function save(text: string, type: string, ending: string): void {
  const link = make('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  const file = decodeURIComponent(location.pathname.split('/').pop() ?? '').replace(/\.html?$/i, '')
  link.download = `${file || 'report'}${ending}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** What mail programs take in an address. */
const MAIL_LENGTH = 1_800

/** A letter, whose first line may be its subject, as an address; a long one without its text, which is to be copied. */
export function mailAddress(to: string, letter: string): string {
  const [, subject = '', body = letter] = /^Subject: (.*)\n\n([\s\S]*)$/.exec(letter) ?? []
  const whole = `mailto:${to}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body.replaceAll('\n', '\r\n'))}`
  return whole.length <= MAIL_LENGTH ? whole : `mailto:${to}?subject=${encodeURIComponent(subject)}`
}
