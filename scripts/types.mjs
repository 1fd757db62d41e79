// The type declarations of the typed API: `src/api.ts` and the files it imports.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'rolldown'
import * as z from 'zod'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Writes `api.d.ts` and what it imports into `outdir`. */
export async function emitTypes(outdir = join(root, 'dist', 'types')) {
  const all = mkdtempSync(join(tmpdir(), 'matdecl-types-'))
  try {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const args = [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', all]
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (!existsSync(join(all, 'api.d.ts'))) throw new Error(`tsc wrote no declarations: ${stdout}`)
    rmSync(outdir, { recursive: true, force: true })
    const pending = ['api.d.ts']
    const done = new Set()
    for (let file = pending.shift(); file !== undefined; file = pending.shift()) {
      if (done.has(file)) continue
      done.add(file)
      const declared = readFileSync(join(all, file), 'utf8')
      // The package has no dependencies: the types of schemas are written out, without zod.
      const text = declared.includes(`from 'zod'`) ? await schemaTypes(file) : declared
      const imports = [...text.matchAll(/from '(\.[^']+)\.ts'/g)].map(([, path]) => path)
      pending.push(...imports.map((path) => `${join(dirname(file), path)}.d.ts`))
      const target = join(outdir, file)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, text.replace(/(from '\.[^']+)\.ts'/g, "$1.js'"))
    }
  } finally {
    rmSync(all, { recursive: true, force: true })
  }
}

// Each `export type Name = z.infer<typeof schema>` of an exported schema as a plain type, also inside `Readonly<…>`.
async function schemaTypes(file) {
  const source = join(root, 'src', file.replace(/\.d\.ts$/, '.ts'))
  const schemas = await loadSource(source)
  return [
    ...readFileSync(source, 'utf8').matchAll(/^export type (\w+) = (?:Readonly<)?z\.infer<typeof (\w+)>/gm),
  ]
    .filter(([, , schema]) => schema in schemas)
    .map(([, name, schema]) => `export type ${name} = ${typeText(z.toJSONSchema(schemas[schema]), '')}\n`)
    .join('')
}

async function loadSource(source) {
  const folder = mkdtempSync(join(root, 'node_modules', '.matdecl-types-'))
  try {
    const outfile = join(folder, 'schemas.mjs')
    await build({
      input: source,
      platform: 'node',
      transform: { target: 'node20.18' },
      external: ['zod'],
      output: { file: outfile, codeSplitting: false },
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The TypeScript type of a JSON Schema, as zod writes it. */
function typeText(schema, indent) {
  const { type, anyOf, oneOf, items, properties, additionalProperties, required = [] } = schema
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf ?? oneOf) return (anyOf ?? oneOf).map((one) => typeText(one, indent)).join(' | ')
  if (Array.isArray(type)) return type.map((one) => typeText({ ...schema, type: one }, indent)).join(' | ')
  if (type === 'array') return `readonly (${typeText(items, indent)})[]`
  if (type === 'object') {
    const inner = `${indent}  `
    const fields = Object.entries(properties ?? {}).map(([name, field]) => {
      const doc = field.description === undefined ? '' : `${inner}/** ${field.description} */\n`
      const isOptional = !required.includes(name)
      return `${doc}${inner}readonly ${name}${isOptional ? '?' : ''}: ${typeText(field, inner)}${isOptional ? ' | undefined' : ''}\n`
    })
    const open = typeof additionalProperties === 'object'
    if (open) {
      const value = fields.length > 0 ? 'unknown' : typeText(additionalProperties, inner)
      fields.push(`${inner}readonly [name: string]: ${value}\n`)
    }
    return `{\n${fields.join('')}${indent}}`
  }
  return (
    { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }[type] ??
    'unknown'
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await emitTypes()
