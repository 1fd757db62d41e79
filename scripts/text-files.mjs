// Files that are text inside the bundle: reference tables, and the style and script of the HTML page.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { build } from 'rolldown'

const TEXT = '?text'
const RESOLVED = /^\0text:(.*)\.js$/

/** A plugin for Rolldown and Vite: `import text from './table.csv'`, `'./page.css?text'`, and a script of a page as one bundle. */
export function textFiles() {
  return {
    name: 'text-files',
    // Before the plugins of Vite, which would read the file as what it is.
    enforce: 'pre',
    resolveId(source, importer) {
      if (!source.endsWith(TEXT)) return null
      return `\0text:${resolve(dirname(importer), source.slice(0, -TEXT.length))}.js`
    },
    async load(id) {
      const path = id.endsWith('.csv') ? id : RESOLVED.exec(id)?.[1]
      if (path === undefined) return null
      this.addWatchFile(path)
      const text = path.endsWith('.client.ts') ? await bundled(path) : readFileSync(path, 'utf8')
      return { code: `export default ${JSON.stringify(text)}`, moduleType: 'js' }
    },
  }
}

async function bundled(input) {
  const { output } = await build({
    input,
    write: false,
    platform: 'browser',
    transform: { target: 'es2022' },
    output: { format: 'iife', comments: false, minify: { compress: true, mangle: true, codegen: true } },
  })
  return output[0].code
}
