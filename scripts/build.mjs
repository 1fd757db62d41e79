// One bundle with lazy chunks for the command, one self-contained file for each worker thread. No type check: `npm run check` does that.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { licenceText, packagesIn } from './licenses.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

// CommonJS packages inside an ES module bundle need a `require` of their own.
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);"

// What a module knows of its own place, for a script.
const OWN_URL = "const __mainUrl=require('node:url').pathToFileURL(__filename).href;"

// Where the quick part goes on to run a command it opens the other bundle.
const commandsApart = {
  name: 'commands-apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/run-command\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './commands.js', external: true } : undefined,
    )
  },
}

/** Builds everything into `dist/`; `outdir` is another folder for tests that must not disturb it. */
export async function buildAll(outdir = join(root, 'dist')) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const shared = {
    absWorkingDir: root,
    bundle: true,
    metafile: true,
    platform: 'node',
    target: 'node20.18',
    format: 'esm',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    define: { __MATDECL_VERSION__: JSON.stringify(version) },
  }
  rmSync(outdir, { recursive: true, force: true })
  const workers = readdirSync(join(root, 'src', 'use-cases', 'workers')).filter((name) =>
    name.endsWith('.ts'),
  )
  const results = await Promise.all([
    // Help, version and completions are answered from one small script; everything else is opened when a command runs.
    build({
      ...shared,
      format: 'cjs',
      minify: true,
      entryPoints: { main: 'src/main.ts' },
      outdir,
      outExtension: { '.js': '.cjs' },
      plugins: [commandsApart],
      define: { ...shared.define, 'import.meta.url': '__mainUrl' },
      banner: { js: OWN_URL },
    }),
    build({
      ...shared,
      entryPoints: { api: 'src/api.ts' },
      outdir,
      plugins: [commandsApart],
    }),
    build({
      ...shared,
      entryPoints: { commands: 'src/cli/run-command.ts' },
      outdir,
      splitting: true,
      chunkNames: 'chunks/[name]-[hash]',
      banner: { js: REQUIRE },
    }),
    build({
      ...shared,
      entryPoints: workers.map((name) => `src/use-cases/workers/${name}`),
      outdir: join(outdir, 'workers'),
      banner: { js: REQUIRE },
    }),
  ])
  const packages = packagesIn(results.map(({ metafile }) => metafile))
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES'), licenceText(root, packages))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll()
