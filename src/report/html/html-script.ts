import { SCRIPT_DOWNLOAD } from './html-script-download.ts'
import { SCRIPT_FILTERS } from './html-script-filters.ts'
import { SCRIPT_ROWS } from './html-script-rows.ts'
import { SCRIPT_TABLE } from './html-script-table.ts'

/** The script of the report page, which runs after that of the frame: rows, then how they look, then what is shown of them. */
export const SCRIPT = [SCRIPT_ROWS, SCRIPT_TABLE, SCRIPT_DOWNLOAD, SCRIPT_FILTERS].join('')
