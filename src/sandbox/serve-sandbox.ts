import { resolve } from 'node:path'
import { Failure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { readRequestText } from '../fs/text-file.ts'
import type { Catalog } from './catalog.ts'
import { parseFaults } from './faults.ts'
import { type Sandbox, type SandboxOptions, startSandbox } from './server.ts'

/** What the user wants the miniature service to be like. */
export interface SandboxWish
  extends Pick<
    SandboxOptions,
    'port' | 'token' | 'parts' | 'latencyMs' | 'ratePerMinute' | 'quota' | 'onRequest'
  > {
  readonly faults: readonly string[]
  /** A JSON file with the user's own suppliers and parts. */
  readonly catalogFile?: string | undefined
}

/** Starts the miniature service on loopback. Mistakes in the catalogue or the faults are `usage` failures. */
export async function serveSandbox(
  world: World,
  { faults, catalogFile, ...options }: SandboxWish,
): Promise<Sandbox> {
  if (catalogFile !== undefined && options.parts !== undefined) {
    throw new Failure('usage', '--parts and --catalog can not both be given', {
      hint: 'a catalogue file has the parts that stand in it',
    })
  }
  const plan = parseFaults(faults.join(' '))
  const catalog = catalogFile === undefined ? undefined : await readCatalog(world, catalogFile)
  return startSandbox({ ...options, catalog, clock: world.clock, faults: plan })
}

async function readCatalog(world: World, file: string): Promise<Catalog> {
  const { text } = await readRequestText(world.disk, { path: file, absolute: resolve(world.cwd(), file) })
  const { parseCatalog } = await import('./catalog-file.ts')
  return parseCatalog(text, file)
}
