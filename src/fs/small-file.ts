import { Failure, type FailureKind, isFailure, systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { unreadable, unreadableHint } from './disk-failure.ts'
import { refuseForeign } from './file-ownership.ts'
import { type InputWorld, readInputFile } from './input-file.ts'

const LARGEST_BYTES = 1024 * 1024

/** A small text file. */
export interface SmallFile {
  readonly text: string
  /** True when group or others can read it (never on Windows, which has no mode bits). */
  readonly isExposed: boolean
}

/** Reads the config file. Undefined when it does not exist and is optional; any other problem is a `config` failure. */
export async function readSettingsFile(
  world: InputWorld,
  path: string,
  mustExist: boolean,
): Promise<SmallFile | undefined> {
  try {
    return await readSmallFile(world, path, 'the config file')
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')
    if (!mustExist && isMissing) return undefined
    if (isFailure(error)) throw error
    throw new Failure('config', `the config file ${path} ${unreadable(error)}`, {
      cause: error,
      file: path,
      ...(isMissing
        ? { hint: 'create one with matdecl config init, or name another', options: ['config'] }
        : { hint: systemCode(error) === 'EISDIR' ? 'name the file in it' : unreadableHint(error) }),
    })
  }
}

/**
 * Reads settings or a secret: UTF-8 text of at most 1 MiB in a file or a pipe, without its byte order mark. `what` names it in
 * messages. Throws `config` when another user can change it, and other errors as `openInputFile`.
 */
export async function readSmallFile(world: InputWorld, path: string, what: string): Promise<SmallFile> {
  const { bytes, facts } = await readInputFile(world, path, LARGEST_BYTES)
  await refuseForeign(world.disk, path, what, facts)
  return { text: decodeUtf8(bytes, path, 'config'), isExposed: isReadableByOthers(facts) }
}

/** Whether others than its owner can read or change a file with a secret. */
export async function secretFileExposure(
  disk: Disk,
  path: string,
): Promise<'none' | 'exposed' | 'not there'> {
  const facts = await disk.stat(path).catch(() => undefined)
  if (facts === undefined) return 'not there'
  return (facts.mode & 0o077) === 0 ? 'none' : 'exposed'
}

/** True when group or others can read a file (never on Windows, which has no mode bits). */
export function isReadableByOthers({ mode }: { readonly mode: number }): boolean {
  return (mode & 0o044) !== 0
}

/** The text of UTF-8 bytes without a byte order mark; anything else is a failure of this kind. */
export function decodeUtf8(bytes: Uint8Array, path: string, kind: FailureKind): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Failure(kind, `${path} is not UTF-8 text`, { cause, hint: 'save it as UTF-8', file: path })
  }
}
