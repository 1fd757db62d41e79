/** The options about output. */
export interface OutputChoice {
  readonly json: boolean
  readonly quiet: boolean
  readonly verbose: number
  readonly logFormat: 'text' | 'json'
  readonly noProgress: boolean
  readonly color: 'auto' | 'always' | 'never'
  readonly noColor: boolean
  readonly noInput: boolean
  readonly noPager: boolean
  /** The command of the pager; undefined for the usual one. */
  readonly pager?: string | undefined
}
