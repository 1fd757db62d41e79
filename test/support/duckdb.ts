/** A row of an answer: lists are arrays, dates `YYYY-MM-DD`, and BIGINT, as of `count(*)`, is a text. */
export type DuckRow = Readonly<Record<string, unknown>>

const library = await import('@duckdb/node-api').catch((error: unknown) => {
  if (process.env.CI === 'true') throw error
  return undefined
})

/** False on a platform that DuckDB has no binary for. */
export const hasDuckdb = library !== undefined

/** Answers SQL statements, in which file names are relative to `folder`; resolves with the rows of the last one. */
export async function askDuckdb(folder: string, sql: string): Promise<readonly DuckRow[]> {
  const instance = await library!.DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    await connection.run(`SET file_search_path = '${folder.replaceAll("'", "''")}'`)
    const reader = await connection.runAndReadAll(sql)
    return reader.getRowObjectsJson()
  } finally {
    instance.closeSync()
  }
}
