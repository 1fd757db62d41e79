// One bundle with lazy chunks for the command, one self-contained file for each worker thread. No type check: `npm run check` does that.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { licenceText, packagesIn } from './licenses.mjs'
import { versionFacts } from './version-facts.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

// Where the quick part goes on to run a command it opens the other bundle.
const commandsApart = {
  name: 'commands-apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/run-command\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './commands.cjs', external: true } : undefined,
    )
  },
}

/** Builds everything into the folder `outdir`, which is emptied. */
export async function buildAll(outdir) {
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
    define: versionFacts(root),
  }
  // Scripts open faster than modules: the loader of modules takes some 20 ms for the 20 chunks of a command.
  const script = {
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    supported: { 'dynamic-import': false },
    define: { ...shared.define, 'import.meta.dirname': '__dirname' },
  }
  rmSync(outdir, { recursive: true, force: true })
  const workers = readdirSync(join(root, 'src', 'use-cases', 'workers')).filter((name) =>
    name.endsWith('.ts'),
  )
  const results = await Promise.all([
    // Help, version and completions are answered from one small script; everything else is opened when a command runs.
    build({
      ...shared,
      ...script,
      minify: true,
      entryPoints: { main: 'src/main.ts' },
      outdir,
      plugins: [commandsApart],
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
      write: false,
    }).then((result) => writeAsScripts(result, outdir)),
    build({
      ...shared,
      ...script,
      entryPoints: workers.map((name) => `src/use-cases/workers/${name}`),
      outdir: join(outdir, 'workers'),
    }),
  ])
  const packages = packagesIn(results.map(({ metafile }) => metafile))
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES'), licenceText(root, packages))
}

/**
 * Only modules can be split into chunks, and scripts open faster: each chunk is made a script, and what every command needs, with
 * the small change, is put together with the entry.
 */
async function writeAsScripts({ outputFiles, metafile }, outdir) {
  const texts = new Map(outputFiles.map(({ path, text }) => [relative(outdir, path), text]))
  const imports = importsOf(metafile, outdir)
  const together = gather(texts, imports)
  const entry = together.map((name, index) =>
    name === ENTRY ? `export * from "${name}"` : `export * as chunk${index} from "${name}"`,
  )
  const options = {
    format: 'cjs',
    platform: 'node',
    target: 'node20.18',
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  }
  const joined = await build({
    ...options,
    stdin: { contents: entry.join('\n'), resolveDir: '/' },
    bundle: true,
    write: false,
    logLevel: 'warning',
    plugins: [fromMemory(texts, together)],
  })
  const shown = (name) =>
    together.includes(name) ? `commands.cjs").chunk${together.indexOf(name)}` : `${asScript(name)}")`
  mkdirSync(join(outdir, 'chunks'), { recursive: true })
  for (const name of texts.keys()) {
    if (together.includes(name) && name !== ENTRY) continue
    const code =
      name === ENTRY ? joined.outputFiles[0].text : (await transform(texts.get(name), options)).code
    const renamed = code.replace(/require\("(\.{1,2}\/[^"]+\.js)"\)/g, (whole, path) => {
      const target = join(name === ENTRY ? '' : dirname(name), path)
      if (!texts.has(target)) return whole
      return `require("${name === ENTRY ? './' : '../'}${shown(target)}`
    })
    writeFileSync(join(outdir, asScript(name)), renamed)
  }
  return { metafile }
}

const ENTRY = 'commands.js'
const SMALL_BYTES = 4096

function asScript(name) {
  return name.replace(/\.js$/, '.cjs')
}

/** What each chunk imports at once: other chunks, and modules of Node. */
function importsOf({ outputs }, outdir) {
  return new Map(
    Object.entries(outputs).map(([path, { imports }]) => [
      relative(outdir, join(root, path)),
      imports
        .filter(({ kind }) => kind === 'import-statement' || kind === 'require-call')
        .map((one) => (one.external ? one.path : relative(outdir, join(root, one.path)))),
    ]),
  )
}

/** The chunks that the entry needs, and the small ones that need nothing beyond those. */
function gather(texts, imports) {
  const together = new Set([ENTRY])
  const builtins = new Set()
  const add = (name) => {
    together.add(name)
    for (const needed of imports.get(name)) {
      if (!texts.has(needed)) builtins.add(needed)
      else if (!together.has(needed)) add(needed)
    }
  }
  add(ENTRY)
  const fits = (name) =>
    name.startsWith('chunks/chunk-') &&
    texts.get(name).length < SMALL_BYTES &&
    imports.get(name).every((needed) => together.has(needed) || builtins.has(needed))
  for (let before = 0; before !== together.size; ) {
    before = together.size
    for (const name of texts.keys()) if (!together.has(name) && fits(name)) add(name)
  }
  return [...together]
}

/** Lets the chunks of `together` be bundled as they are, and leaves the others where they are. */
function fromMemory(texts, together) {
  return {
    name: 'from-memory',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(chunks\/|commands\.js|\.)/ }, ({ path, importer, kind }) => {
        const name = path.startsWith('.') ? join(dirname(importer), path) : path
        return kind !== 'dynamic-import' && together.includes(name)
          ? { path: name, namespace: 'chunk' }
          : { path: `./${name}`, external: true }
      })
      onLoad({ filter: /./, namespace: 'chunk' }, ({ path }) => ({ contents: texts.get(path) }))
    },
  }
}

/** Builds `dist/`: beside it first, so that who runs the tool meanwhile finds the old build or the new one. */
export async function buildInPlace() {
  const beside = join(root, 'node_modules', `.matdecl-dist-${process.pid}`)
  await buildAll(beside)
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  renameSync(beside, join(root, 'dist'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildInPlace()
