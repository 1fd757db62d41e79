/** The names of the commands; each has its definition in `cli/commands`. */
export type CommandName =
  | 'download'
  | 'list'
  | 'verify'
  | 'extract'
  | 'report'
  | 'diff'
  | 'state'
  | 'migrate'
  | 'doctor'
  | 'config'
  | 'completion'
  | 'sandbox'
