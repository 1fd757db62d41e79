// Reference tables are CSV files beside the code; a bundle has their text inside.
import { readFileSync } from 'node:fs'

/** A plugin for Rolldown and Vite: `import text from './table.csv'`. */
export function csvText() {
  return {
    name: 'csv-text',
    load(id) {
      if (!id.endsWith('.csv')) return null
      this.addWatchFile(id)
      return { code: `export default ${JSON.stringify(readFileSync(id, 'utf8'))}`, moduleType: 'js' }
    },
  }
}
