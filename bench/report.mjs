// Row `report` of the benchmark: 1,000 class C files of 128 kB in one archive, to CSV, against the same with Python's iterparse.
// `node bench/report.mjs`; the build in dist/ is what is measured.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TOOL = fileURLToPath(new URL('../bin/matdecl.js', import.meta.url))
const RUNS = 5
const FILES = 1_000
const REACH = 0.6
const MOST_MEBIBYTES = 250

/** The rows of this file, by id; each resolves with what is printed of it. */
export const ROWS = { report }

async function report(folder) {
  const archive = makeArchive(folder)
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
      peer: MOST_MEBIBYTES,
      against: 'MiB at most',
      ratio: mebibytes / MOST_MEBIBYTES,
      reach: 1,
      isReached: mebibytes <= MOST_MEBIBYTES,
    },
  ]
}

// Made by a seeded script: three lists of 241, 10 and 159 categories, names as long as real ones, one file in ten with something over.
function makeArchive(folder) {
  const archive = join(folder, 'class-c.zip')
  const script = join(folder, 'make.py')
  writeFileSync(script, MAKE)
  const made = spawnSync('python3', [script, archive, String(FILES)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (made.status !== 0) throw new Error('the archive could not be made')
  return archive
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

const MAKE = `
import random, sys, zipfile
random.seed(1752)
SYLLABLES = 'meth eth prop but phen chlor brom fluor ox amid ester acid sodium lead cobalt chromium phthal benz tri di hexa'.split()
def name():
    return ' '.join(''.join(random.choice(SYLLABLES) for _ in range(random.randint(2, 4))) for _ in range(random.randint(2, 6))).capitalize()
LISTS = [('EUREACH-0624', 'IPC', [name() for _ in range(241)], '0.1% by weight (1 000 ppm) of any article'),
         ('EUROHS-1907', 'IPC', [name() for _ in range(10)], '0.1% by weight (1 000 ppm) of homogenous materials'),
         ('IEC_62474 D19.00', 'IEC_62474', [name() for _ in range(159)], '0.1 mass% of article')]
LEGAL = 'Supplier certifies that it gathered the provided information and such information is true and correct. ' * 15
def declaration(n):
    out = ['<?xml version="1.0" encoding="UTF-8"?>\\n<MainDeclaration xmlns="http://webstds.ipc.org/175x/2.0" version="2.0">\\n  <BusinessInfo mode="Distribute">\\n    <Response date="2024-09-27" fieldLock="false">\\n      <SupplyCompany name="Example Parts">\\n        <CompanyID identity="123456789" authority="DUNS"/>\\n      </SupplyCompany>\\n    </Response>\\n    <Declaration legalType="Standard" supplierAcceptance="true" legalDef="%s" uncertaintyStatement=""/>\\n  </BusinessInfo>\\n  <Product comment="" unitType="Each" numberOfInstances="1">\\n    <ProductID itemName="Part %d" itemNumber="PN-%06d" requesterItemNumber="">\\n      <Amount value="%d.5" UOM="mg"/>\\n    </ProductID>\\n    <MaterialInfo>\\n' % (LEGAL, n, n, n)]
    for identity, authority, names, threshold in LISTS:
        out.append('      <SubstanceCategoryList>\\n        <SubstanceCategoryListID identity="%s" authority="%s"/>\\n' % (identity, authority))
        over = random.randrange(len(names)) if n % 10 == 0 else -1
        for i, text in enumerate(names):
            out.append('        <SubstanceCategory name="%s" reportableApplication="All">\\n          <Threshold overThreshold="%s" threshold="%s"/>\\n          <SubstanceCategoryID identity="%05d" authority="IPC"/>\\n        </SubstanceCategory>\\n' % (text, 'true' if i == over else 'false', threshold, i + 1))
        out.append('      </SubstanceCategoryList>\\n')
    out.append('    </MaterialInfo>\\n  </Product>\\n</MainDeclaration>\\n')
    return ''.join(out)
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as archive:
    for n in range(int(sys.argv[2])):
        archive.writestr('declaration-%06d.xml' % n, declaration(n))
`

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
    for (const { id, ours, peer, ratio, reach, against, isReached } of await report(folder)) {
      const figures = `${ours.toFixed(2)} against ${peer.toFixed(2)} (${against}): ${ratio.toFixed(2)}, reach ${reach}`
      process.stdout.write(`${isReached ? 'ok  ' : 'MISS'} ${id.padEnd(10)} ${figures}\n`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
