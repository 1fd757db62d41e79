/** The config keys of secrets: they have no flag, and so no row in the option table. */
export const SECRET_KEYS = [
  'token',
  'token-file',
  'token-command',
  'api-key',
  'api-key-file',
  'api-key-command',
] as const

/** The environment variables of secrets. */
export const SECRET_VARIABLES = [
  'MATDECL_TOKEN',
  'MATDECL_TOKEN_FILE',
  'MATDECL_API_KEY',
  'MATDECL_API_KEY_FILE',
] as const
