// The command, the typed API and a file for each worker thread, bundled with shared chunks. No type check: `npm run check` does that.
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { licenceText, packagesIn } from './licenses.mjs'
import { versionFacts } from './version-facts.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Builds everything into the folder `outdir`, which is emptied. */
export async function buildAll(outdir) {
  rmSync(outdir, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/main.ts', api: 'src/api.ts', ...workerEntries() },
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    metafile: true,
    platform: 'node',
    target: 'node20.18',
    format: 'esm',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    alias: ALIAS,
    logLevel: 'warning',
    define: versionFacts(root),
    // Some of the bundled packages are CommonJS and call require() for the modules of Node.
    banner: { js: REQUIRE },
  })
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES'), licenceText(root, packagesIn([metafile])))
}

/** The entries of the worker threads, one for each file in a folder `src/*\/workers`. */
export function workerEntries() {
  const folders = readdirSync(join(root, 'src')).map((name) => join('src', name, 'workers'))
  const files = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  return Object.fromEntries(files.map((path) => [`workers/${basename(path, '.ts')}`, path]))
}

/** The UMD build of jsonc-parser hides its require() from the bundler. */
export const ALIAS = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }

const REQUIRE = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`

/** Builds `dist/`: beside it first, so that who runs the tool meanwhile finds the old build or the new one. */
export async function buildInPlace() {
  const beside = join(root, 'node_modules', `.matdecl-dist-${process.pid}`)
  await buildAll(beside)
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  renameSync(beside, join(root, 'dist'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildInPlace()
