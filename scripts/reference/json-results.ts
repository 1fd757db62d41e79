import type * as z from 'zod'
import { extractResult, listResult, verifyResult } from '../../src/archive/archive-results.ts'
import { failedResult } from '../../src/base/failed-result.ts'
import { diffResult } from '../../src/diff/diff-result.ts'
import { downloadResult, manifest, planResult, syncResult } from '../../src/download/download-result.ts'
import { partsResult } from '../../src/parts/parts-result.ts'
import { checkResult } from '../../src/report/check-result.ts'
import { reportResult } from '../../src/report/report-result.ts'
import { fieldsOf, type JsonSchemaRow, jsonSchemaOf } from './json-field.ts'
import {
  completionResult,
  configResult,
  doctorResult,
  loginResult,
  logoutResult,
  migrateResult,
  sandboxResult,
  versionResult,
} from './tool-results.ts'

const SOURCES: readonly (readonly [zod: z.ZodType, schema: string, from: string])[] = [
  [downloadResult, 'matdecl.download/1', '`matdecl download --json`'],
  [planResult, 'matdecl.plan/1', '`--dry-run --json` of `matdecl download` and `matdecl sync`'],
  [
    manifest,
    'matdecl.manifest/1',
    'the file of `matdecl download --manifest`; only `run` differs between two runs with the same responses',
  ],
  [syncResult, 'matdecl.sync/1', '`matdecl sync --json`'],
  [checkResult, 'matdecl.check/1', '`matdecl check --json`'],
  [partsResult, 'matdecl.parts/1', '`matdecl parts --json`'],
  [listResult, 'matdecl.list/1', '`matdecl list --json`'],
  [verifyResult, 'matdecl.verify/1', '`matdecl verify --json`'],
  [extractResult, 'matdecl.extract/1', '`matdecl extract --json`'],
  [reportResult, 'matdecl.report/1', '`matdecl report --json`, and its `.json` files'],
  [diffResult, 'matdecl.diff/1', '`matdecl diff --json`, and its `.json` files'],
  [migrateResult, 'matdecl.migrate/1', '`matdecl migrate --json`'],
  [doctorResult, 'matdecl.doctor/1', '`matdecl doctor --json`'],
  [loginResult, 'matdecl.login/1', '`matdecl login --json`'],
  [logoutResult, 'matdecl.logout/1', '`matdecl logout --json`'],
  [
    configResult,
    'matdecl.config/1',
    '`matdecl config show --json`; `config path` has `config`, `library` and `state`',
  ],
  [completionResult, 'matdecl.completion/1', '`matdecl completion SHELL --json`'],
  [sandboxResult, 'matdecl.sandbox/1', '`matdecl sandbox --json`, one line when it listens'],
  [versionResult, 'matdecl.version/1', '`matdecl --version --json`'],
]

/** Every JSON result, in the order of the documents. */
export const JSON_RESULTS: readonly JsonSchemaRow[] = SOURCES.map(([zod, schema, from]) => ({
  schema,
  from,
  zod,
  fields: fieldsOf(zod),
}))

/** The JSON Schema of every result, by the name in its `schema` field. */
export function resultsSchema(): string {
  const results = JSON_RESULTS.map(({ schema, zod }) => [schema, jsonSchemaOf(zod)] as const)
  const named = [...results, ['failed', jsonSchemaOf(failedResult)] as const]
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'matdecl results',
    description: 'What matdecl prints with --json, and its manifests. A later version may have more fields.',
    anyOf: named.map(([name]) => ({ $ref: `#/$defs/${name.replaceAll('/', '~1')}` })),
    $defs: Object.fromEntries(named.map(([name, { $schema: _, ...own }]) => [name, own])),
  }
  return `${JSON.stringify(schema, undefined, 2)}\n`
}
