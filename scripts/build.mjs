// Bundles the command and a file for each worker thread. Types are checked by `npm run check`.
import { cpSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { licenceText, packagesIn } from './bundled-packages.mjs'
import { textFiles } from './text-files.mjs'
import { versionFacts } from './version-facts.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

// Loading a file takes longer than reading it, so these are one file each: the code of every run, that of every command, and that
// of every command that reads an archive.
const SHARED = [
  { name: 'program', test: /[\\/]src[\\/](?:cli[\\/]run|real-world)\.ts$/, priority: 3 },
  { name: 'command', test: /[\\/]src[\\/]cli[\\/]context\.ts$/, priority: 2 },
  { name: 'archive', test: /[\\/]src[\\/]archive[\\/]read-archive\.ts$/, priority: 1 },
  { name: 'network', test: /[\\/]src[\\/]download[\\/]send-requests\.ts$/ },
]

/** Builds everything into the directory `outdir`, which is emptied. Returns the directories of the packages that are inside. */
export async function buildAll(outdir) {
  rmSync(outdir, { recursive: true, force: true })
  const modules = [
    ...(await bundle({ main: 'src/main.ts' }, outdir, SHARED)),
    // Separate, so that a worker thread does not load the command line.
    ...(await bundle(workerEntries(), join(outdir, 'workers'), [])),
  ]
  // Their text is in the bundle; users can copy the files and replace them.
  cpSync(join(root, 'src/compliance/tables'), join(outdir, 'tables'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  })
  const packages = packagesIn(root, modules)
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES'), licenceText(root, packages))
  return packages
}

// Returns the paths of the modules that are in the bundle.
async function bundle(input, dir, groups) {
  const { output } = await build({
    cwd: root,
    input,
    platform: 'node',
    plugins: [textFiles()],
    transform: { target: 'node20.18', define: versionFacts(root) },
    // The CommonJS build of jsonc-parser hides its require() from the bundler.
    resolve: { mainFields: ['module', 'main'], alias: { 'node:process': join(root, 'scripts/process.cjs') } },
    output: {
      dir,
      format: 'esm',
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: { groups },
      comments: false,
      // Names stay readable in the stack of a bug report.
      minify: { compress: true, mangle: false, codegen: true },
    },
  })
  const absent = groups.find(({ name }) => !output.some((chunk) => chunk.name === name))
  if (absent !== undefined) throw new Error(`no module is in the file '${absent.name}' of SHARED`)
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}

// One entry for each file in a directory `src/*/workers`.
function workerEntries() {
  const folders = readdirSync(join(root, 'src')).map((name) => join('src', name, 'workers'))
  const files = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  return Object.fromEntries(files.map((path) => [basename(path, '.ts'), path]))
}

/** Builds `dist/`, and replaces the old build only when the new one is complete. */
export async function buildInPlace() {
  const draft = join(root, 'node_modules', `.matdecl-dist-${process.pid}`)
  await buildAll(draft)
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  renameSync(draft, join(root, 'dist'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildInPlace()
