// Bundles the command, the typed API and a file for each worker thread. Types are checked by `npm run check`.
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
    // The CommonJS build of jsonc-parser hides its require() from the bundler.
    mainFields: ['module', 'main'],
    logLevel: 'warning',
    define: versionFacts(root),
    // Some bundled packages are CommonJS and require() Node's modules.
    banner: { js: REQUIRE },
  })
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES'), licenceText(root, packagesIn([metafile])))
}

// One entry for each file in a folder `src/*/workers`.
function workerEntries() {
  const folders = readdirSync(join(root, 'src')).map((name) => join('src', name, 'workers'))
  const files = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  return Object.fromEntries(files.map((path) => [`workers/${basename(path, '.ts')}`, path]))
}

const REQUIRE = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`

/** Builds `dist/`, and replaces the old build only when the new one is complete. */
export async function buildInPlace() {
  const draft = join(root, 'node_modules', `.matdecl-dist-${process.pid}`)
  await buildAll(draft)
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  renameSync(draft, join(root, 'dist'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildInPlace()
