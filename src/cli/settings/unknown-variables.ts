import { cleanText, nearest } from '../../base/clean-text.ts'
import type { Notice } from '../../base/notice.ts'
import type { World } from '../../base/world.ts'
import { canBeSetIn, variableOf } from '../option-row.ts'
import { OPTIONS } from '../options.ts'
import { SECRET_VARIABLES } from './config-file.ts'

const PREFIX = 'MATDECL_'

/** A warning for each variable of the tool that is no option: a misspelled one must not leave a default in effect silently. */
export function unknownVariables(env: World['env']): Notice[] {
  const variables = OPTIONS.filter((row) => canBeSetIn(row, 'env')).map(variableOf)
  const known = [...new Set(variables), ...SECRET_VARIABLES]
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name) && env[name] !== '')
    .map((name) => {
      const near = nearest(
        name.slice(PREFIX.length),
        known.map((one) => one.slice(PREFIX.length)),
      )
      return {
        level: 'warning',
        event: 'settings.unknown-variable',
        message: `unknown environment variable ${cleanText(name, 80)}${near === undefined ? '' : `; did you mean ${PREFIX}${near}?`}`,
      }
    })
}
