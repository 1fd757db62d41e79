import { fields, type JsonSchemaRow } from './json-field.ts'

/** What the commands about the tool itself give. */
export const TOOL_RESULTS: readonly JsonSchemaRow[] = [
  {
    schema: 'matdecl.migrate/1',
    from: '`matdecl migrate --json`',
    fields: fields([
      ['commands[].supplier?', 'text', 'the one supplier of this command'],
      ['commands[].argv[]', 'text', 'the command, word by word'],
      ['commands[].command', 'text', 'the same as a line for a shell'],
      ['commands[].url', 'text', 'the v2 address it asks'],
      ['config[]', 'text', 'lines for the settings file'],
      ['notes[].aspect', 'text', 'what is different'],
      ['notes[].v1', 'text', 'how it was'],
      ['notes[].v2', 'text', 'how it is'],
      ['notes[].note', 'text', 'what became of it here'],
      ['warnings[]', 'text', 'what to look at'],
    ]),
  },
  {
    schema: 'matdecl.doctor/1',
    from: '`matdecl doctor --json`',
    fields: fields([
      ['checks[].name', 'text', 'such as `dns`'],
      ['checks[].status', 'text', '`pass`, `fail` or `skip`'],
      ['checks[].message', 'text', 'what was found'],
      ['checks[].seconds', 'number', 'how long it took to look'],
      ['checks[].fix?', 'text', 'what to do'],
      ['checks[].code?', 'text', 'the name of the exit code a failed check stands for'],
    ]),
  },
  {
    schema: 'matdecl.config/1',
    from: '`matdecl config show --json`; `config path` gives `config` and `state`, `config init` gives `path` alone',
    fields: fields([
      ['path?', 'text or null', 'the settings file that was read, or written'],
      ['profile?', 'text or null', 'the profile in force'],
      ['settings.*.value?', 'any', 'by long option name; bytes, seconds, null where it is not set'],
      ['settings.*.source?', 'text', '`flag`, `environment`, `profile`, `file` or `default`'],
      ['settings.*.where?', 'text', 'the flag, the variable, or file, line and key'],
      ['secrets.*.value?', 'text or null', '`****`, or null where there is none'],
      ['secrets.*.source?', 'text', 'as for settings'],
      ['secrets.*.where?', 'text', 'as for settings'],
      ['config.path?', 'text', 'where the settings file is looked for'],
      ['config.exists?', 'true or false', 'whether it is there'],
      ['state.path?', 'text', 'where the state is kept'],
      ['state.exists?', 'true or false', 'whether it is there'],
    ]),
  },
  {
    schema: 'matdecl.state/1',
    from: '`matdecl state show --json`; `state reset` gives `forgotten` alone',
    fields: fields([
      ['runs[].id?', 'text', 'what `state reset` takes'],
      ['runs[].request.*?', 'any', 'what it asks for'],
      ['runs[].lastRun?', 'time', "the service's date at the start of the last complete run"],
      ['runs[].parts?', 'integer', 'parts in it; 0 where it asks for all'],
      ['runs[].file?', 'text', 'the file it is remembered in'],
      ['forgotten?', 'integer', 'how many runs were forgotten'],
    ]),
  },
  {
    schema: 'matdecl.completion/1',
    from: '`matdecl completion SHELL --json`',
    fields: fields([
      ['shell', 'text', 'the shell'],
      ['script', 'text', 'its completion script'],
    ]),
  },
  {
    schema: 'matdecl.sandbox/1',
    from: '`matdecl sandbox --json`, one line when it listens',
    fields: fields([
      ['url', 'text', 'the address, for `--base-url`'],
      ['token', 'text', 'the token it accepts'],
      ['suppliers[].id', 'text', 'a supplier it has'],
      ['suppliers[].name', 'text', 'its name'],
      ['suppliers[].parts', 'integer', 'how many parts it has'],
      ['suppliers[].examples[]', 'text', 'some of their numbers'],
    ]),
  },
  {
    schema: 'matdecl.version/1',
    from: '`matdecl --version --json`',
    fields: fields([
      ['version', 'text', 'of matdecl'],
      ['node', 'text', 'of Node'],
      ['platform', 'text', 'such as `linux-x64`'],
      ['commit', 'text or null', 'that it was built from; null when it was built outside a checkout'],
    ]),
  },
]
