import { Failure } from '../base/failure.ts'

/** The file name endings of a diff, with the format that each selects. */
const ENDINGS = {
  '.txt': 'text',
  '.md': 'md',
  '.markdown': 'md',
  '.html': 'html',
  '.htm': 'html',
  '.xlsx': 'xlsx',
  '.csv': 'csv',
  '.json': 'json',
} as const

export type DiffFormat = (typeof ENDINGS)[keyof typeof ENDINGS]

/** The extensions of the formats of a diff, as they are documented. */
export const DIFF_EXTENSIONS: readonly string[] = ['.txt', '.md', '.html', '.xlsx', '.csv', '.json']

/** The format by the ending of a file name. Another ending is a Failure of kind `usage`. */
export function diffFormatOf(path: string): DiffFormat {
  const ending = /\.[^./\\]+$/.exec(path)?.[0].toLowerCase() ?? ''
  if (Object.hasOwn(ENDINGS, ending)) return ENDINGS[ending as keyof typeof ENDINGS]
  throw new Failure('usage', `output ${path}: unknown file extension for a diff`, {
    hint: `use ${DIFF_EXTENSIONS.slice(0, -1).join(', ')} or ${DIFF_EXTENSIONS.at(-1)}`,
    options: ['output'],
  })
}
