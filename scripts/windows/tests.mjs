// The tests that run in wine: all, except these files and folders.

const MODES = 'is about permission bits or links of Unix too'
const SOURCE = 'is about the text of the project, which is the same on every system'
const WORDS = 'expects the words, quotes or paths of Unix'

/** What cannot pass there, each with the reason. */
export const SKIPPED = {
  'test/archive/mutations.test.ts': 'takes too long there, and some of its names are none of Windows',
  'test/archive/real-writers.test.ts': 'some of its names are none of Windows',
  'test/archive/other-readers.test.ts': 'asks other programs',
  'test/cli/commands/config-command.test.ts': MODES,
  'test/cli/commands/diff-command.test.ts': WORDS,
  'test/cli/commands/doctor-command.test.ts': MODES,
  'test/cli/commands/download-access.test.ts': WORDS,
  'test/cli/commands/download-exit.test.ts': MODES,
  'test/cli/commands/download-many.test.ts': WORDS,
  'test/cli/commands/download-messages.test.ts': WORDS,
  'test/cli/commands/download-output.test.ts': 'some of its names are none of Windows',
  'test/cli/commands/download-stopped-late.test.ts': MODES,
  'test/cli/commands/download-v1.test.ts': WORDS,
  'test/cli/commands/login-command.test.ts': MODES,
  'test/cli/commands/report-command.test.ts': MODES,
  'test/cli/golden': WORDS,
  'test/cli/wildcards.test.ts': 'makes files whose names are none of Windows',
  'test/documents.test.ts': SOURCE,
  'test/download/collect-archive.test.ts': MODES,
  'test/download/fetch-archive-disk.test.ts': MODES,
  'test/download/output-path.test.ts': WORDS,
  'test/floating-promises.test.ts': 'runs the type checker, which does not end there',
  'test/layers.test.ts': SOURCE,
  'test/migrate/migrate.test.ts': MODES,
  'test/report/requests.test.ts': 'some of its names are none of Windows',
  'test/report/sources/report-sources.test.ts':
    'removes files that are open, which wine does when they are closed',
  'test/request/curl.test.ts': 'asks a shell of Unix',
  'test/run-program.test.ts':
    'starts programs of Unix, and changes the working directory, which a thread cannot',
  'test/scripts': 'compares files that are made on Linux',
  'test/spawned': 'starts programs through pipes, which wine does not have for those of Unix',
  'test/terminal/progress.test.ts': 'expects the characters of a terminal that wine does not have',
  'test/terminal/progress-screen.test.ts': 'expects the characters of a terminal that wine does not have',
}
