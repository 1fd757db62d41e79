/** The files and directories of the repository that release archives contain, with every document that README.md links. */
export const RELEASE_FILES: readonly string[]
