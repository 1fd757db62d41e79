// The tests that run in wine, and those of them that are skipped there.

/** Folders and files of tests. */
export const TESTED = [
  'test/base',
  'test/fs',
  'test/archive',
  'test/doctor',
  'test/cli/settings',
  'test/cli/wildcards.test.ts',
]

/** Files that cannot pass there, each with the reason. */
export const SKIPPED = {}
