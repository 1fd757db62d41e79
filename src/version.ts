declare const __MATDECL_VERSION__: string

/** The version of the package, put in by the build. */
export const VERSION: string = __MATDECL_VERSION__

/** What the tool calls itself to the service. */
export const USER_AGENT = `matdecl/${VERSION}`
