import { createHash } from 'node:crypto'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { parseJson } from '../base/json-text.ts'
import type { World } from '../base/world.ts'
import { readSmallText } from '../fs/input-file.ts'
import { absolutePath } from '../fs/output-target.ts'
import { type Manifest, manifest } from './download-result.ts'
import { manifestText } from './manifest.ts'

// More than the manifest of 200,000 entries with names of 200 bytes.
const LARGEST_BYTES = 64 * 1024 * 1024

/** A manifest that was read. */
export interface ReadManifest {
  readonly path: string
  readonly manifest: Manifest
  /** SHA-256 of its canonical form: of the file as it was written, also when it was formatted again. */
  readonly sha256: string
}

/** Reads the manifest of a download, at most 64 MiB. Throws `usage` when there is none, and `io` when it cannot be read. */
export async function readManifest(world: World, path: string): Promise<ReadManifest> {
  const source = { path: escapeUnsafe(path), absolute: absolutePath(world.cwd, path) }
  const { text } = await readSmallText(world, source, LARGEST_BYTES)
  const json = parseJson(text)
  if ('problem' in json) {
    const { line, message } = json.problem
    throw notAManifest(path, `is not JSON: line ${line}: ${message}`)
  }
  const parsed = manifest.safeParse(json.value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue!.path.join('.')
    throw notAManifest(
      path,
      `is not a manifest of a download: ${where === '' ? '' : `${where}: `}${issue!.message}`,
    )
  }
  const names = parsed.data.archive?.entries.map(({ name }) => name) ?? []
  if (new Set(names).size < names.length) throw notAManifest(path, 'has two entries of the same name')
  const sha256 = createHash('sha256').update(manifestText(json.value)).digest('hex')
  return { path, manifest: parsed.data, sha256 }
}

function notAManifest(path: string, problem: string): Failure {
  return new Failure('usage', escapeUnsafe(`${path} ${problem}`), {
    hint: 'name the file that the download wrote',
    options: ['manifest'],
    file: path,
  })
}
