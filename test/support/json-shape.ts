import type { JsonField } from '../../src/reference/json-field.ts'

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  time: (value) =>
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/.test(value),
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  'true or false': (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  any: () => true,
}

/** What is wrong with a JSON result, by the table of its fields: a field that is not in it, one that is missing, another type. */
export function shapeProblems(value: unknown, fields: readonly JsonField[]): string[] {
  const known = fields.map((field) => ({ ...field, name: field.path.replace(/\?$/, '') }))
  const problems: string[] = []
  for (const [path, leaf] of leaves(value, '')) {
    const field =
      known.find(({ name }) => matches(name, path)) ??
      (isEmpty(leaf) ? known.find(({ name }) => isWithin(name, path)) : undefined)
    if (field === undefined) problems.push(`${path} is not documented`)
    else if (!isEmpty(leaf) && !isOfType(field.type, leaf)) {
      problems.push(`${path} is ${JSON.stringify(leaf)}, not ${field.type}`)
    }
  }
  for (const { path, name } of known) {
    if (!path.endsWith('?') && !name.includes('*')) problems.push(...missing(value, name.split('.'), name))
  }
  return [...new Set(problems)]
}

// Values that hold no others, with their paths; list items share one.
function* leaves(value: unknown, path: string): Generator<[path: string, leaf: unknown]> {
  if (Array.isArray(value) && value.length > 0) {
    for (const item of value) yield* leaves(item, `${path}[]`)
  } else if (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length > 0
  ) {
    for (const [key, item] of Object.entries(value)) {
      yield* leaves(item, path === '' ? key : `${path}.${key.replaceAll('.', '_')}`)
    }
  } else yield [path, value]
}

// `*` at the end stands for all that is below, in the middle for one name.
function matches(name: string, path: string): boolean {
  const pattern = name
    .split('.')
    .map((part, index, all) =>
      part === '*' ? (index === all.length - 1 ? '.+' : '[^.]+') : part.replace(/[[\]]/g, '\\$&'),
    )
    .join('\\.')
  return new RegExp(`^${pattern}$`).test(path)
}

function isWithin(name: string, path: string): boolean {
  return name.startsWith(`${path}[]`) || name.startsWith(`${path}.`)
}

function isEmpty(leaf: unknown): boolean {
  return typeof leaf === 'object' && leaf !== null && Object.keys(leaf).length === 0
}

function isOfType(type: string, value: unknown): boolean {
  const base = type.replace(/ or null$/, '')
  if (value === null) return base !== type || base === 'any'
  const check = TYPES[base]
  if (check === undefined) throw new Error(`there is no type '${base}'`)
  return check(value)
}

function missing(value: unknown, parts: readonly string[], name: string): string[] {
  const [first, ...rest] = parts
  if (first === undefined || typeof value !== 'object' || value === null) return []
  const key = first.replace(/\[\]$/, '')
  const found = (value as Readonly<Record<string, unknown>>)[key]
  if (found === undefined) return [`${name} is missing`]
  return Array.isArray(found)
    ? found.flatMap((item) => missing(item, rest, name))
    : missing(found, rest, name)
}
