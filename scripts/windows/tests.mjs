// The tests that run in wine, and the files among them that are skipped there.

/** Folders and files of tests. */
export const TESTED = [
  'test/base',
  'test/request',
  'test/compliance',
  'test/declaration',
  'test/diff',
  'test/parts',
  'test/fs',
  'test/archive',
  'test/doctor',
  'test/cli/settings',
]

/** Files that cannot pass there, each with the reason. */
export const SKIPPED = {
  'test/fs/held-directory.test.ts': 'is about permission bits, other users and links',
  'test/archive/mutations.test.ts': 'takes too long there, and some of its names are none of Windows',
  'test/archive/real-writers.test.ts': 'some of its names are none of Windows',
  'test/archive/other-readers.test.ts': 'asks other programs',
  'test/request/curl.test.ts': 'asks a shell of Unix',
}
