declare const __MATDECL_VERSION__: string
declare const __MATDECL_COMMIT__: string | null

/** The version of the package, put in by the build. */
export const VERSION: string = __MATDECL_VERSION__

/** The commit it was built from; null when it was built outside a checkout. */
export const COMMIT: string | null = __MATDECL_COMMIT__

/** What the tool calls itself to the service. */
export const USER_AGENT = `matdecl/${VERSION}`
