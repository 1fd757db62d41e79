// Checks types, format and lint, all at once; with --build it also builds. What fails is printed whole, one after another.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const tsc = join('node_modules', 'typescript', 'bin', 'tsc')
const steps = [
  ...(process.argv.includes('--build') ? [['build', join('scripts', 'build.mjs')]] : []),
  // Several threads check parts of it twice, and the other steps have the other core.
  ['types', tsc, '--noEmit', '--singleThreaded'],
  ['types of the page', tsc, '--noEmit', '-p', join('src', 'report', 'page')],
  ['format and lint', join('node_modules', '@biomejs', 'biome', 'bin', 'biome'), 'ci'],
]

await Promise.all(
  steps.map(async ([title, ...words]) => {
    const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = new Promise((resolve, reject) => child.once('close', resolve).once('error', reject))
    const [code, ...texts] = await Promise.all([ended, buffer(child.stdout), buffer(child.stderr)])
    if (code === 0) return
    process.exitCode = 1
    process.stderr.write(`check: ${title}\n${Buffer.concat(texts)}`)
  }),
)
