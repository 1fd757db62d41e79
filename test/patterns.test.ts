import { join, resolve } from 'node:path'
import { analyse } from 'scslre'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'
import { expect, it } from 'vitest'
import { soakTest } from './support/soak.ts'

/**
 * Patterns that take quadratic time. Their texts are short: the user's own paths, options and settings, texts that the tool has made,
 * or foreign ones that are cut to 1,000 characters first. An exponential pattern has no place here.
 */
const SHORT_TEXTS: readonly string[] = [
  // Paths, options, settings, secrets and names of the user.
  '/=+$/',
  '/-+$/',
  String.raw`/\/+$/`,
  String.raw`/[/\\]+$/`,
  String.raw`/[\\/]+$/`,
  '/[^/]+$/',
  String.raw`/\ufffd+$/`,
  '/[.@].*$/',
  String.raw`/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g`,
  String.raw`/^(\w+):\s*(.*)$/s`,
  String.raw`/^\s*([^=#]+?)\s*=/`,
  String.raw`/(?=\S*\d)(?=\S*[A-Za-z])\S{16,}/g`,
  String.raw`/^[\d.]*\.[\d.]*$/`,
  // What the tool has made: counts, numbers, addresses of cells, lines of messages.
  String.raw`/\B(?=(\d{3})+(?!\d))/g`,
  String.raw`/\.?0+$/`,
  String.raw`/([A-Z]+)(\d+)/g`,
  String.raw`/([^\s-]*\d-\S*)/`,
  String.raw`/^([^\S\n]*)(?=::)|(?<=#)(?=#(?:vso|teamcity)?\[)/gm`,
]

/** What these read is cut to 1,000 characters cell by cell and statement by statement, so quadratic time is no harm there. */
const CUT_FOLDERS: readonly string[] = [
  'parts',
  'declaration',
  'compliance',
  'report',
  'diff',
  'migrate',
  'sandbox',
]

/** A regular expression, and the folder of `src` that it is in. */
interface Pattern {
  readonly folder: string
  readonly literal: string
}

/** The regular expressions of `src` with a repetition, as they are written. */
function patterns(root: string): Pattern[] {
  const api = new API()
  try {
    const project = api.updateSnapshot({ openProject: join(root, 'tsconfig.json') }).getProjects()[0]!
    const found: Pattern[] = []
    for (const path of project.program.getSourceFileNames()) {
      if (!path.startsWith(join(root, 'src'))) continue
      const file = project.program.getSourceFile(path)!
      const visit = (node: Node): void => {
        if (node.kind === SyntaxKind.RegularExpressionLiteral) {
          const folder = path.slice(join(root, 'src/').length).split('/')[0]!
          found.push({ folder, literal: file.text.slice(node.getStart(file), node.end) })
        }
        node.forEachChild(visit)
      }
      visit(file)
    }
    return found.filter(({ literal }) => /[*+]|\{\d+,/.test(literal))
  } finally {
    api.close()
  }
}

/** What makes a pattern slow; empty for one that takes linear time. */
function slownessOf(literal: string): string {
  const end = literal.lastIndexOf('/')
  const { reports } = analyse({ source: literal.slice(1, end), flags: literal.slice(end + 1) })
  if (reports.some(({ exponential }) => exponential)) return 'exponential'
  return reports.length > 0 ? 'quadratic' : ''
}

soakTest('takes linear time for every pattern, or gets short texts only', () => {
  const all = patterns(resolve('.'))
  expect(all.length).toBeGreaterThan(200)
  const exponential = all.filter(({ literal }) => slownessOf(literal) === 'exponential')
  expect(exponential).toEqual([])
  const slow = all.filter(
    ({ folder, literal }) =>
      !CUT_FOLDERS.includes(folder) && !SHORT_TEXTS.includes(literal) && slownessOf(literal) !== '',
  )
  expect(slow).toEqual([])
})

it.each([
  ['/^(a+)+$/', 'exponential'],
  ['/(?:a|a)*b/', 'quadratic'],
  ['/\\s+$/', 'quadratic'],
  ['/^\\d+\\d*x/', 'quadratic'],
  ['/^[a-z]+\\d*$/', ''],
])('finds that %s is "%s"', (literal, slowness) => {
  expect(slownessOf(literal)).toBe(slowness)
})
