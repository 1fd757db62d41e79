// Rewrites what is generated from the program: completions, man page, tables in Markdown.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'rolldown'
import { textFiles } from './text-files.mjs'
import { versionFacts } from './version-facts.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const { generatedFiles, OPTIONS } = await loadSource(`
  export { OPTIONS } from '../../src/cli/options.ts'
  export { generatedFiles } from '../../scripts/reference/generated-files.ts'
`)
const markdown = Object.fromEntries(markdownPaths().map((path) => [path, read(path)]))
const facts = { version, today: new Date().toISOString().slice(0, 10) }
for (const { path, text } of generatedFiles(OPTIONS, markdown, read('man/matdecl.1'), facts)) {
  if (read(path) === text) continue
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  process.stdout.write(`generate: ${path}\n`)
}

// Node 20 cannot load TypeScript: the modules are bundled next to their dependencies and imported from there.
async function loadSource(contents) {
  const folder = mkdtempSync(join(root, 'node_modules', '.matdecl-generate-'))
  try {
    const outfile = join(folder, 'bundle.mjs')
    const entry = join(folder, 'entry.ts')
    writeFileSync(entry, contents)
    await build({
      input: entry,
      platform: 'node',
      plugins: [textFiles()],
      // The CommonJS build of jsonc-parser hides its require() from the bundler.
      resolve: { mainFields: ['module', 'main'] },
      transform: { target: 'node20.18', define: versionFacts(root) },
      output: { file: outfile, codeSplitting: false },
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function markdownPaths() {
  return readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
}

function read(path) {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined
}
