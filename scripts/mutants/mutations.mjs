// The small changes that can be made to a source file.
import { parseAst } from 'rolldown/parseAst'

const OPERATORS = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
}

const METHODS = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
])

// One row for each kind of syntax node: the parts of the text to replace.
const RULES = {
  BinaryExpression: operatorChange,
  LogicalExpression: (node, text) =>
    node.operator === '??' ? [[node.left.end, node.end, '']] : operatorChange(node, text),
  AssignmentExpression: operatorChange,
  UnaryExpression: (node) => (node.operator === '!' ? [[node.start, node.argument.start, '']] : []),
  Literal: literalChange,
  IfStatement: (node) => [[node.test.start, node.test.end, 'false'], ...elseChange(node)],
  ConditionalExpression: (node, text) => [
    [node.consequent.start, node.consequent.end, textOf(node.alternate, text)],
    [node.alternate.start, node.alternate.end, textOf(node.consequent, text)],
  ],
  AwaitExpression: (node) => [[node.start, node.argument.start, '']],
  ExpressionStatement: (node) => (node.directive ? [] : [[node.start, node.end, ';']]),
  ContinueStatement: (node) => [[node.start, node.end, ';']],
  BreakStatement: (node) => [[node.start, node.end, ';']],
  ThrowStatement: (node) => [[node.start, node.end, ';']],
  SpreadElement: (node, _text, parent) =>
    parent.type === 'ArrayExpression' ? [[node.start, node.end, '...[]']] : [],
  MemberExpression: (node) => {
    const other = node.computed ? undefined : METHODS.get(node.property.name)
    return other === undefined ? [] : [[node.property.start, node.property.end, other]]
  },
}

function operatorChange({ left, right, operator }, text) {
  const other = OPERATORS[operator]
  const start = text.indexOf(operator, left.end)
  // Text is joined with `+`, never subtracted.
  const isText = operator.startsWith('+') && [left, right].some(isTextNode)
  return other === undefined || isText || start >= right.start
    ? []
    : [[start, start + operator.length, other]]
}

function isTextNode(node) {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')
}

function literalChange({ value, start, end }) {
  if (typeof value === 'boolean') return [[start, end, String(!value)]]
  if (typeof value !== 'number') return []
  return [[start, end, value === 0 ? '1' : value === 1 ? '2' : '0']]
}

function elseChange({ alternate }) {
  return alternate === null ? [] : [[alternate.start, alternate.end, ';']]
}

function textOf(node, text) {
  return text.slice(node.start, node.end)
}

/** All changes to a file: where, and the new text; `line` counts from 1, and `source` is that line. */
export function mutationsOf(file, text) {
  const found = []
  const visit = (node, parent) => {
    // Types do nothing when the program runs.
    if (node.type.startsWith('TS') && node.expression === undefined) return
    for (const [start, end, replacement] of RULES[node.type]?.(node, text, parent) ?? []) {
      const lineStart = text.lastIndexOf('\n', start) + 1
      found.push({
        file,
        line: text.slice(0, start).split('\n').length,
        source: text.slice(lineStart, text.indexOf('\n', start)).trim(),
        change: `${short(text.slice(start, end))} → ${short(replacement)}`,
        start,
        end,
        replacement,
      })
    }
    for (const child of childrenOf(node)) visit(child, node)
  }
  visit(parseAst(text, { lang: 'ts' }, file), undefined)
  return found
}

export function isSameMutation(one, other) {
  return one.file === other.file && one.source === other.source && one.change === other.change
}

/** The accepted changes that cannot be made any more: their line has changed or is gone. */
export function staleEntries(accepted, textOf) {
  return accepted.filter(
    (entry) => !mutationsOf(entry.file, textOf(entry.file)).some((each) => isSameMutation(each, entry)),
  )
}

function childrenOf(node) {
  return Object.values(node).flatMap((value) =>
    (Array.isArray(value) ? value : [value]).filter((each) => typeof each?.type === 'string'),
  )
}

function short(text) {
  const words = text.replace(/\s+/g, ' ').trim()
  return words.length > 60 ? `${words.slice(0, 57)}...` : words === '' || words === ';' ? 'nothing' : words
}

/** The relative paths that a file imports, static or not. */
export function importsOf(file, text) {
  const paths = []
  const visit = (node) => {
    const source = node.source?.value
    if (typeof source === 'string' && source.startsWith('.') && node.importKind !== 'type') paths.push(source)
    for (const child of childrenOf(node)) visit(child)
  }
  visit(parseAst(text, { lang: 'ts' }, file))
  return paths
}
