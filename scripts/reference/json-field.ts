import * as z from 'zod'
import { failedResult } from '../../src/base/failed-result.ts'

/** A field of a JSON result: its path (`requests[].status`), its type, what it holds. */
export interface JsonField {
  /** Ends in `?` where the field may be absent; `*` is any name. */
  readonly path: string
  /** `text`, `time` (RFC 3339, UTC), `integer`, `number`, `true or false`, `object`, `any`; ` or null` where it may be. */
  readonly type: string
  readonly meaning: string
}

/** One result: what prints it, and its fields. Fields are only ever added. */
export interface JsonSchemaRow {
  readonly schema: string
  readonly from: string
  readonly zod: z.ZodType
  readonly fields: readonly JsonField[]
}

/** The part of JSON Schema that zod writes for results. */
interface Schema {
  readonly $schema?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly const?: unknown
}

/** What every result begins with. */
export const COMMON_FIELDS: readonly JsonField[] = [
  { path: 'schema', type: 'text', meaning: 'the name and version of the result' },
  {
    path: 'status?',
    type: 'text',
    meaning: '`ok` or `failed`, unless the table says more; not in plans, manifests and versions',
  },
]

/** What the result of a failed command has besides; what was known by then is beside it. */
export const ERROR_FIELDS: readonly JsonField[] = fieldsOf(failedResult)

/** A schema of zod as JSON Schema. Further fields are allowed: a later version may have more. */
export function jsonSchemaOf(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly
      delete jsonSchema.propertyNames
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  }) as Schema
}

/** The fields of a result, without those that every result has. */
export function fieldsOf(schema: z.ZodType): readonly JsonField[] {
  const own = jsonSchemaOf(schema)
  return childFields(own, '', false).filter(
    ({ path }) => path !== 'schema' && !(path === 'status' && own.properties?.status?.const !== undefined),
  )
}

function nodeFields(schema: Schema, path: string, isOptional: boolean): JsonField[] {
  const [first, ...others] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null')
  const isNullable =
    types(schema).includes('null') || schema.anyOf?.some(({ type }) => type === 'null') === true
  const meaning = schema.description ?? first?.description ?? ''
  if (first !== undefined && first.type === 'object' && others.length > 0) {
    return mergedFields([first, ...others], path, isOptional)
  }
  const node: Schema = first ?? schema
  if (node.type === 'array') {
    const items = node.items ?? {}
    return nodeFields({ ...items, description: items.description ?? meaning }, `${path}[]`, isOptional)
  }
  const type = `${typeName(others.length > 0 ? {} : node)}${isNullable ? ' or null' : ''}`
  const own = { path: isOptional ? `${path}?` : path, type, meaning }
  if (node.type !== 'object') return [own]
  const children = childFields(node, `${path}.`, isOptional || isNullable)
  return meaning === '' || (children.length === 1 && children[0]!.path.startsWith(`${path}.*`))
    ? children.map((child) => (child.meaning === '' ? { ...child, meaning } : child))
    : [own, ...children]
}

function childFields(node: Schema, prefix: string, isOptional: boolean): JsonField[] {
  const named = Object.entries(node.properties ?? {}).flatMap(([name, child]) =>
    nodeFields(child, `${prefix}${name}`, isOptional || !(node.required ?? []).includes(name)),
  )
  const isRecord = node.properties === undefined && typeof node.additionalProperties === 'object'
  return isRecord ? nodeFields(node.additionalProperties as Schema, `${prefix}*`, isOptional) : named
}

// The variants of a result: a field that not all of them have is optional.
function mergedFields(variants: readonly Schema[], path: string, isOptional: boolean): JsonField[] {
  const inAll = (name: string): boolean => variants.every(({ required }) => required?.includes(name))
  const names = new Set(variants.flatMap(({ properties }) => Object.keys(properties ?? {})))
  return [...names].flatMap((name) => {
    const child = variants.find(({ properties }) => properties?.[name] !== undefined)!.properties![name]!
    return nodeFields(child, `${path}.${name}`, isOptional || !inAll(name))
  })
}

function types({ type }: Schema): readonly string[] {
  return typeof type === 'string' ? [type] : (type ?? [])
}

function typeName({ format, ...schema }: Schema): string {
  const [type, ...others] = types(schema).filter((one) => one !== 'null')
  if (type === undefined || others.length > 0) return 'any'
  if (type === 'string') return format === 'date-time' ? 'time' : 'text'
  if (type === 'boolean') return 'true or false'
  return type
}
