import type { CommandDefinition } from '../command.ts'

export const reportCommand: CommandDefinition = {
  name: 'report',
  summary: 'report what each part declares',
  operands: [
    { name: 'SOURCE', required: false, many: true, offers: { kind: 'files', endings: ['.zip', '.xml'] } },
  ],
  description:
    'One row per part number: RoHS status, exemptions, SVHCs, the lists they refer to, mass and declared share. Reads archives, directories, XML files and - (standard input). Prints a table on a terminal and CSV to a pipe; --json prints one object, and -o writes a file in the format of its extension. A part without a declaration is never compliant; an XML file that cannot be read is a row with the reason. Each statement comes from the newest declaration that makes it. --parts-file limits the report to the parts on a list, and adds a row for each missing one.',
  examples: [
    { line: 'matdecl report bom.zip', does: 'print a table, or CSV to a pipe' },
    {
      line: 'matdecl report bom.zip --parts-file bom.csv -o bom.html',
      does: 'write an HTML page to search, sort and print',
    },
    {
      line: 'matdecl report bom.zip --parts-file bom.csv --fail-on not-compliant,missing',
      does: 'gate a release: exit 13 when a part matches',
    },
    {
      line: 'aws s3 cp s3://bucket/bom.zip - | matdecl report - -o bom.ndjson',
      does: 'read an archive from standard input',
    },
    {
      line: 'matdecl report bom.zip --substances -o substances.xlsx',
      does: 'write the substances of each part',
    },
  ],
  common: [
    'parts-file',
    'parts-column',
    'overwrite',
    'output',
    'substances',
    'all-parts',
    'history',
    'fail-on',
    'requests',
    'junit',
    'waivers',
  ],
  run: async (context) => (await import('../report/print-report.ts')).printReport(context),
}
