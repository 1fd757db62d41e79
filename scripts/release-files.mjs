/** The files and directories of the repository that release archives contain, with all that README.md links and names. */
export const RELEASE_FILES = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'man/matdecl.1',
  'completions',
  'docs',
  'examples',
]
