import { ARCHIVES_RESULTS } from './json-results-archives.ts'
import { DOWNLOAD_RESULTS } from './json-results-download.ts'
import { TOOL_RESULTS } from './json-results-tool.ts'

/** Every JSON result there is, in the order of the documents. */
export const JSON_RESULTS = [...DOWNLOAD_RESULTS, ...ARCHIVES_RESULTS, ...TOOL_RESULTS]
