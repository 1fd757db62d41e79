/** What shells complete a value with where its type does not say it. */
export type Offer =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Files with one of these endings (any, when there is none), and folders on the way to them. */
  | { readonly kind: 'files'; readonly endings: readonly string[] }
  | { readonly kind: 'folders' }
  /** The names of the profiles in the settings file. */
  | { readonly kind: 'profiles' }
