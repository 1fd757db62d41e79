/** What a shell completes a value with where the value's type does not say it. */
export type Offer =
  | {
      readonly kind: 'words'
      readonly words: readonly string[]
      /** The value is a list of these words, separated by commas. */
      readonly isList?: boolean
    }
  /** Files with one of these extensions (any file when the list is empty), and the directories that lead to them. */
  | { readonly kind: 'files'; readonly endings: readonly string[] }
  | { readonly kind: 'folders' }
  /** The names of the profiles in the config file. */
  | { readonly kind: 'profiles' }
