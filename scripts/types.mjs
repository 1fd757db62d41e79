// The type declarations of the typed API: `src/api.ts` and the files it imports.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Writes `api.d.ts` and what it imports into `outdir`. */
export function emitTypes(outdir = join(root, 'dist', 'types')) {
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
      const text = readFileSync(join(all, file), 'utf8')
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

if (process.argv[1] === fileURLToPath(import.meta.url)) emitTypes()
