/** A plugin for Rolldown and Vite: `import text from './table.csv'`, `'./page.css?text'`, and a script of a page as one bundle. */
export function textFiles(): {
  readonly name: string
  readonly enforce: 'pre'
  resolveId(source: string, importer: string | undefined): string | null
  load(id: string): Promise<{ readonly code: string; readonly moduleType: 'js' } | null>
}
