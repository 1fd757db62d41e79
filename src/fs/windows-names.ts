// Microsoft, "Naming Files, Paths, and Namespaces": devices, with any extension.
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i

/** Why a file cannot have this name (one component of a path) where Windows rules apply, as a predicate; undefined when it can. */
export function portableNameProblem(name: string): string | undefined {
  if (name.includes(':')) return 'contains ":", which means a drive or a stream on Windows'
  if (name.endsWith('.') || name.endsWith(' ')) return 'ends with a dot or a space'
  return DEVICE.test(name) ? 'is reserved for a device on Windows' : undefined
}

/** The same for a name on Windows itself, which also has no `? * < > " |`; these are ordinary elsewhere. */
export function windowsNameProblem(name: string): string | undefined {
  const character = /[?*<>"|]/.exec(name)?.[0]
  if (character !== undefined) return `contains ${character}, which Windows does not allow in names`
  return portableNameProblem(name)
}
