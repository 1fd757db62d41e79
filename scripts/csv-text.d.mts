/** A plugin for Rolldown and Vite: `import text from './table.csv'`. */
export function csvText(): {
  readonly name: string
  load(id: string): { readonly code: string; readonly moduleType: 'js' } | null
}
