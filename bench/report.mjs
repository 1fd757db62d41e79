// Rows about `report`: class C files of several writers, against Python's iterparse, ten times fewer of them, and a first report.
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { classCArchive, largeDeclaration } from './make-declarations.mjs'
import { medians, memoryRow, NODE, run, scaled, TOOL, timeRow, version } from './measure.mjs'

const MOST_MEBIBYTES = 300

export const ROWS = {
  report,
  'report-large': reportLarge,
  'report-scale': reportScale,
}

// Once with the same category names in all files, once with names of their own.
async function report(folder) {
  return [
    ...(await reportOn(folder, 'report', { reach: 0.9 })),
    ...(await reportOn(folder, 'report, own names', { ownNames: true, reach: 1.3 })),
  ]
}

async function reportOn(folder, name, { ownNames = false, reach }) {
  const archive = join(folder, 'class-c.zip')
  await classCArchive(archive, scaled(1_000), { ownNames })
  const script = join(folder, 'peer.py')
  writeFileSync(script, PEER)
  const [ours, peer] = await medians([
    [NODE, TOOL, 'report', archive, '-o', join(folder, 'report.csv'), '--overwrite', '-q'],
    ['python3', script, archive, join(folder, 'peer.csv')],
  ])
  return [
    timeRow(name, ours, peer, `ElementTree.iterparse of ${version('python3')}`, reach),
    memoryRow(`${name} memory`, ours.mebibytes, MOST_MEBIBYTES),
  ]
}

// A single file is not held in memory: its peak is that of its largest product, read twice.
async function reportLarge(folder) {
  const file = join(folder, 'large.xml')
  largeDeclaration(file, scaled(4_000))
  const command = [NODE, TOOL, 'report', file, '-o', join(folder, 'large.csv'), '--overwrite', '-q']
  const { mebibytes } = await run(command)
  const megabytes = Math.round(statSync(file).size / 1e6)
  return [memoryRow(`report memory, one file of ${megabytes} MB`, mebibytes, MOST_MEBIBYTES)]
}

// Ten times the declarations, in ten times the archives.
async function reportScale(folder) {
  const [all, tenth] = await Promise.all([
    nightlyArchives(join(folder, 'all'), scaled(200)),
    nightlyArchives(join(folder, 'tenth'), scaled(20)),
  ])
  const [ours, peer] = await medians(
    [all, tenth].map((source) => [
      ...[NODE, TOOL, 'report', source, '-o', `${source}.parquet`, '--overwrite', '-q'],
    ]),
  )
  return [
    timeRow('report-scale', ours, peer, 'the same with a tenth of the files', 10.5),
    memoryRow('report-scale memory', ours.mebibytes, 1.2 * peer.mebibytes),
  ]
}

/** Archives of as many declarations each, all of different parts. */
async function nightlyArchives(folder, archives, declarations = 100) {
  mkdirSync(folder)
  for (let number = 0; number < archives; number += 1) {
    const path = join(folder, `${String(number).padStart(4, '0')}.zip`)
    await classCArchive(path, declarations, { first: number * declarations })
  }
  return folder
}

// The same work, as a simple script would do it: every entry streamed, its CRC-32 checked by zipfile, elements cleared as they end.
const PEER = `
import csv, sys, zipfile
from xml.etree.ElementTree import iterparse
NS = '{http://webstds.ipc.org/175x/2.0}'
with zipfile.ZipFile(sys.argv[1]) as archive, open(sys.argv[2], 'w', newline='') as out:
    rows = csv.writer(out)
    rows.writerow(['part', 'name', 'supplier', 'date', 'rohs', 'svhc_count', 'svhc', 'mass', 'source'])
    for entry in archive.namelist():
        parts, supplier, date, mass = [], '', '', ''
        rohs, over, identity = 'not declared', [], ''
        with archive.open(entry) as data:
            for _, element in iterparse(data):
                tag = element.tag
                if tag == NS + 'SubstanceCategory':
                    threshold = element.find(NS + 'Threshold')
                    if threshold is not None and threshold.get('overThreshold') == 'true':
                        over.append(element.get('name'))
                elif tag == NS + 'SubstanceCategoryList':
                    identity = element.find(NS + 'SubstanceCategoryListID').get('identity')
                    if identity.startswith('EUROHS'):
                        rohs = 'not compliant' if over else 'compliant'
                    if identity.startswith('EUREACH'):
                        svhc = over
                    over = []
                    element.clear()
                elif tag == NS + 'ProductID':
                    parts.append((element.get('itemNumber'), element.get('itemName')))
                    mass = element.find(NS + 'Amount').get('value')
                elif tag == NS + 'SupplyCompany':
                    supplier = element.get('name')
                elif tag == NS + 'Response':
                    date = element.get('date')
        for number, name in parts:
            rows.writerow([number, name, supplier, date, rohs, len(svhc), '; '.join(svhc), mass, entry])
`
