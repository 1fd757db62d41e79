/** What a file is by its root element (or a child of it) when it is no IPC-1752A/B declaration; undefined when it may be one. */
export function foreignName(name: string, namespace: string, version: string): string | undefined {
  if (/iec_?62474/i.test(namespace) || /iec_?62474/i.test(name))
    return 'an IEC 62474 declaration, not IPC-1752A/B'
  const other = foreignStandard(`${namespace} ${name}`)
  if (other !== undefined) return other
  if (isFirstGeneration(name, namespace, version)) return 'an IPC-1752 version 1 form, not IPC-1752A/B'
  return name === 'MainDeclaration' || name === 'IPC-1752B'
    ? undefined
    : `not an IPC-1752A/B declaration: the root element is <${name}>`
}

/** Names another standard of the family when a text, such as the name of an element, has its number. */
export function foreignStandard(text: string): string | undefined {
  const other = /(?:ipc[-_ ]?|175x\/)(17(?:51|5[3-9]))/i.exec(text)
  return other === null ? undefined : `an IPC-${other[1]} file, not IPC-1752A/B`
}

/** The PDF forms of 2006 to 2010, with another vocabulary and a version 1.x. */
function isFirstGeneration(name: string, namespace: string, version: string): boolean {
  if (/175x\/1\.\d|1752[-_/]?(?:v?1\.\d)/i.test(namespace)) return true
  if (name === 'MainDeclaration') return /^\s*1(?:\.|$)/.test(version)
  return name !== 'IPC-1752B' && /^(?:ipc[-_]?)?1752/i.test(name)
}
