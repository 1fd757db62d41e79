/** Text as text in HTML content and attributes. */
export function escapeHtml(text: string): string {
  return text.replace(
    /[&<>"'\r\n\0]/g,
    (character) => `&#${character === '\0' ? 0xfffd : character.charCodeAt(0)};`,
  )
}
