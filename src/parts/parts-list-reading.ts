import type { FileHandle } from 'node:fs/promises'
import { Failure } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { isWrongPath, unreadable } from '../fs/disk-failure.ts'

/** What one list of parts yields while it is read; `lines[i]` is where `parts[i]` stands, from 1. */
export interface PartsSink {
  readonly parts: (parts: readonly string[], lines: readonly number[]) => void
  /** A line that can not be used. Reading goes on. */
  readonly problem: (line: number, message: string) => void
  /** A line that can be used and looks wrong. */
  readonly doubt: (line: number, kind: 'columns' | 'no-number' | 'number' | 'date', message: string) => void
}

/** How a list was understood. */
export interface ListReading {
  readonly kind: 'text' | 'table' | 'workbook'
  /** The heading of the column that was taken, or its number where it has none. */
  readonly column?: string
  /** The sheet that was taken, where the workbook has several. */
  readonly sheet?: string
}

/** Opens a list for reading; a Failure of kind `usage` when it is not there or is a folder, `io` for everything else. */
export async function openList(disk: Disk, path: string, absolute: string): Promise<FileHandle> {
  try {
    const facts = await disk.stat(absolute)
    if (facts.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' })
    return await disk.open(absolute, 'r')
  } catch (error) {
    const isWrong = isWrongPath(error)
    throw new Failure(isWrong ? 'usage' : 'io', `the list of parts ${path} ${unreadable(error)}`, {
      cause: error,
      file: path,
      hint: isWrong ? 'check the path' : 'check its owner and permissions',
      ...(isWrong ? { options: ['parts-file'] } : {}),
    })
  }
}

/** Without the spaces and tabs around it; other white space is the value's own and is told, not dropped. */
export function trimBlanks(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && isBlank(text.charCodeAt(from))) from += 1
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1
  return from === 0 && to === text.length ? text : text.slice(from, to)
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9
}
