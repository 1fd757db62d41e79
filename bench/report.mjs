// Row `report`: 1,000 class C files of several writers in one archive, to CSV, against the same with Python's iterparse.
// `node bench/report.mjs`; the build in dist/ is what is measured.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { classCArchive, largeDeclaration } from './make-declarations.mjs'

const TOOL = fileURLToPath(new URL('../bin/matdecl.js', import.meta.url))
const RUNS = 5
const FILES = 1_000
const LARGE_PRODUCTS = 4_000
const REACH = 0.6
const MAX_MEBIBYTES = 300

/** The rows of this file, by id. */
export const ROWS = { report, 'report-large': reportLarge }

async function report(folder) {
  const archive = join(folder, 'class-c.zip')
  classCArchive(archive, FILES)
  const output = join(folder, 'report.csv')
  const ours = ['report', archive, '-o', output, '--overwrite', '-q']
  const script = join(folder, 'peer.py')
  writeFileSync(script, PEER)
  const times = { ours: [], peer: [] }
  // In turn, so that a busy minute of the machine falls on both.
  for (let round = 0; round < RUNS; round += 1) {
    times.ours.push(await seconds(folder, process.execPath, [TOOL, ...ours]))
    times.peer.push(await seconds(folder, 'python3', [script, archive, join(folder, 'peer.csv')]))
  }
  const [own, peer] = [median(times.ours), median(times.peer)]
  const mebibytes = peakMebibytes(folder, [process.execPath, TOOL, ...ours])
  return [
    {
      id: 'report',
      ours: own,
      peer,
      against: `ElementTree.iterparse of ${version()}`,
      ratio: own / peer,
      reach: REACH,
      isReached: own / peer <= REACH,
    },
    {
      id: 'report-rss',
      ours: mebibytes,
      peer: MAX_MEBIBYTES,
      against: 'MiB at most',
      ratio: mebibytes / MAX_MEBIBYTES,
      reach: 1,
      isReached: mebibytes <= MAX_MEBIBYTES,
    },
  ]
}

// A single file must not be held in memory: its peak is that of its largest product, read twice.
async function reportLarge(folder) {
  const file = join(folder, 'large.xml')
  largeDeclaration(file, LARGE_PRODUCTS)
  const ours = [process.execPath, TOOL, 'report', file, '-o', join(folder, 'large.csv'), '--overwrite', '-q']
  const mebibytes = peakMebibytes(folder, ours)
  const megabytes = Math.round(statSync(file).size / 1e6)
  return [
    {
      id: 'report-large-rss',
      ours: mebibytes,
      peer: MAX_MEBIBYTES,
      against: `MiB at most for one file of ${megabytes} MB`,
      ratio: mebibytes / MAX_MEBIBYTES,
      reach: 1,
      isReached: mebibytes <= MAX_MEBIBYTES,
    },
  ]
}

async function seconds(folder, program, args) {
  const started = performance.now()
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${program} ended with ${code}`)
  return (performance.now() - started) / 1000
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

function peakMebibytes(folder, command) {
  const measure =
    'import resource,subprocess,sys\nsubprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL,check=True)\nprint(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)'
  return Math.round(Number(spawnSync('python3', ['-c', measure, ...command], { cwd: folder }).stdout) / 1024)
}

function version() {
  return spawnSync('python3', ['--version']).stdout.toString().trim()
}

// The same work, as a script of an evening would do it: every entry streamed, its CRC-32 checked by zipfile, elements cleared as they end.
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'matdecl-bench-'))
  try {
    const results = [...(await report(folder)), ...(await reportLarge(folder))]
    for (const { id, ours, peer, ratio, reach, against, isReached } of results) {
      const figures = `${ours.toFixed(2)} against ${peer.toFixed(2)} (${against}): ${ratio.toFixed(2)}, reach ${reach}`
      process.stdout.write(`${isReached ? 'ok  ' : 'MISS'} ${id.padEnd(10)} ${figures}\n`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
