import type { OptionRow } from '../../reference/option-row.ts'
import type { CommandName } from './command-name.ts'

const SANDBOX = { group: 'Sandbox', commands: ['sandbox'] } as const

/** How the mock service behaves. Not in the config file: it is for trying things. */
export const SANDBOX_OPTIONS = [
  {
    ...SANDBOX,
    key: 'port',
    name: 'port',
    placeholder: 'N',
    type: { kind: 'integer', min: 0, max: 65_535, default: 0 },
    from: ['flag', 'env'],
    help: 'port to listen on; 0 for any free port',
  },
  {
    ...SANDBOX,
    key: 'sandboxToken',
    name: 'token',
    placeholder: 'T',
    type: { kind: 'text' },
    from: ['flag'],
    help: 'token to accept (default: random)',
  },
  {
    ...SANDBOX,
    key: 'catalog',
    name: 'catalog',
    placeholder: 'FILE',
    type: { kind: 'file' },
    from: ['flag', 'env'],
    help: 'suppliers and parts to serve (JSON)',
  },
  {
    ...SANDBOX,
    key: 'parts',
    name: 'parts',
    conflicts: ['catalog'],
    placeholder: 'N',
    type: { kind: 'integer', min: 1, max: 100_000 },
    from: ['flag', 'env'],
    help: 'number of parts in the generated catalog',
  },
  {
    ...SANDBOX,
    key: 'latency',
    name: 'latency',
    placeholder: 'MS',
    type: { kind: 'integer', min: 0, max: 600_000, default: 0 },
    from: ['flag', 'env'],
    help: 'milliseconds to wait before each response',
  },
  {
    ...SANDBOX,
    key: 'sandboxRate',
    name: 'rate',
    placeholder: 'N',
    type: { kind: 'integer', min: 1, max: 100_000_000 },
    from: ['flag'],
    help: 'requests allowed per minute',
  },
  {
    ...SANDBOX,
    key: 'quota',
    name: 'quota',
    placeholder: 'N',
    type: { kind: 'integer', min: 0, max: 100_000_000 },
    from: ['flag', 'env'],
    help: 'requests allowed per year',
  },
  {
    ...SANDBOX,
    key: 'fail',
    name: 'fail',
    placeholder: 'SPEC',
    type: { kind: 'text' },
    repeatable: true,
    from: ['flag', 'env'],
    help: 'faults to inject, such as 503x2, 429:retry-after=2, truncate@0.5, stall@1000, reset, html; repeatable',
  },
] as const satisfies readonly OptionRow<CommandName>[]
