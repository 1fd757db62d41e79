import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import {
  isAssignmentOperator,
  isBinaryExpression,
  isCallExpression,
  isExpressionStatement,
  isPropertyAccessExpression,
} from 'typescript/unstable/ast/is'
import { API, type Project, type Type } from 'typescript/unstable/sync'
import { expect, it } from 'vitest'
import { soakTest } from './support/soak.ts'
import { withFolder } from './support/world.ts'

// With all 433 awaited statements of `src/` changed to statements without `await`, Biome's noFloatingPromises reports 283 and the types
// of the compiler show 432.

/** The statements of a project that start a promise without waiting for it or handling its failure. */
function floatingPromises(root: string, folders: readonly string[]): string[] {
  const api = new API()
  try {
    const project = api.updateSnapshot({ openProject: join(root, 'tsconfig.json') }).getProjects()[0]!
    const isOurs = (path: string) => folders.some((folder) => path.startsWith(join(root, folder)))
    return project.program
      .getSourceFileNames()
      .filter(isOurs)
      .flatMap((path) => floatingIn(project, path).map((text) => `${path.slice(root.length + 1)}: ${text}`))
  } finally {
    api.close()
  }
}

function floatingIn({ program, checker }: Project, path: string): string[] {
  const file = program.getSourceFile(path)!
  const expressions: Node[] = []
  const visit = (node: Node): void => {
    if (isExpressionStatement(node) && !isHandled(node.expression)) expressions.push(node.expression)
    node.forEachChild(visit)
  }
  visit(file)
  if (expressions.length === 0) return []
  const types = checker.getTypeAtLocation(expressions)
  // Each question is a message to the compiler's process, and most statements are of few types.
  const isThenable = new Map(
    [...new Set(types)].map((type) => {
      const members = type?.isUnionType() === true ? type.getTypes() : [type]
      const has = (each: Type | undefined) => each !== undefined && checker.getPropertyOfType(each, 'then')
      return [type, members.some(has)]
    }),
  )
  return expressions
    .filter((_, index) => isThenable.get(types[index]))
    .map((node) => file.text.slice(node.getStart(file), node.end))
}

/** Whether the statement keeps the promise in a variable, or has a handler for its failure. */
function isHandled(expression: Node): boolean {
  if (expression.kind === SyntaxKind.AwaitExpression) return true
  if (isBinaryExpression(expression)) return isAssignmentOperator(expression.operatorToken.kind)
  if (!isCallExpression(expression) || !isPropertyAccessExpression(expression.expression)) return false
  const method = expression.expression.name.text
  return method === 'catch' || (method === 'then' && expression.arguments.length === 2)
}

it('finds statements whose promise nobody waits for', () =>
  withFolder(async (folder) => {
    await mkdir(join(folder, 'src'))
    const compilerOptions = { target: 'es2023', module: 'nodenext', strict: true, noEmit: true, types: [] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
    await writeFile(
      join(folder, 'src/statements.ts'),
      `export async function run(work: () => Promise<void>, file?: { close(): Promise<void> }, on = true) {
        work()
        file?.close()
        on && work()
        work().then(() => 1)
        await work()
        void work()
        work().catch(() => 1)
        work().then(() => 1, () => 2)
        const kept = work()
        let later
        later = work()
        return [kept, later]
      }`,
    )
    expect(floatingPromises(folder, ['src'])).toEqual(
      ['work()', 'file?.close()', 'on && work()', 'work().then(() => 1)'].map(
        (text) => `src/statements.ts: ${text}`,
      ),
    )
  }))

soakTest('has none in the program and its tests', () => {
  expect(floatingPromises(resolve('.'), ['src', 'test', 'bench'])).toEqual([])
})
