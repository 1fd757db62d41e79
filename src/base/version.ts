declare const __MATDECL_VERSION__: string
declare const __MATDECL_COMMIT__: string | null

/** The version of the package, set by the build. */
export const VERSION: string = __MATDECL_VERSION__

/** The commit of the build; null outside a checkout. */
export const COMMIT: string | null = __MATDECL_COMMIT__

/** The `User-Agent` of all requests. */
export const USER_AGENT = `matdecl/${VERSION}`
