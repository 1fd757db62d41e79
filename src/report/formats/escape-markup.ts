const NOT_XML =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Escapes text for the content of XML and HTML, or a double-quoted attribute. Characters that XML cannot represent become U+FFFD. */
export function escapeMarkup(text: string): string {
  if (!/[^ !#-%'-;=?-~]/.test(text)) return text
  return text
    .replace(NOT_XML, '\ufffd')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/[\t\r\n]/g, (character) => `&#${character.charCodeAt(0)};`)
}
