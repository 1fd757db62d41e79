// A tour with the sandbox: download, verify, list, extract, report, gate. Prints the directory with the results.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const bin = join(dirname(fileURLToPath(import.meta.url)), '..', 'bin', 'matdecl.js')
const folder = mkdtempSync(join(tmpdir(), 'matdecl-demo-'))

// A product with an accepted finding.
const PRODUCT = `level,part number,quantity
0,DEVICE,1
1,BOARD,2
2,HA-6A,4
2,HA-BETTER,1
1,HA-7A,1
1,HA-LEAD,2
1,HA-REQUEST,1
`
const WAIVERS = `part,rule,reason,owner,until
HA-LEAD,not-compliant,last time buy,J. Doe,2099-12-31
`
writeFileSync(join(folder, 'product.csv'), PRODUCT)
writeFileSync(join(folder, 'waivers.csv'), WAIVERS)

const product = ['special.zip', '--parts-file', 'product.csv', '--waivers', 'waivers.csv']
const gate = ['--fail-on', 'not-compliant,exemption-expires:2026-12-31']

const steps = [
  {
    title: 'Download everything from one supplier of the sandbox, list and extract it, and write a manifest',
    args: ['download', '--sandbox', '--supplier', '100200300', '-o', 'demo.zip', '-l', '-x', '--manifest'],
  },
  { title: 'Verify the archive', args: ['verify', 'demo.zip'] },
  { title: 'Report what each part declares, as CSV', args: ['report', 'demo.zip', '-o', 'demo.csv'] },
  { title: 'The same as an HTML page', args: ['report', 'demo.zip', '-o', 'demo.html', '--quiet'] },
  {
    title: 'Download the supplier whose parts need attention',
    args: ['download', '--sandbox', '--supplier', '800900100', '-o', 'special.zip', '-q'],
  },
  {
    title: 'The status of a product, what nominally ends in 2026, and a waiver: exit code 13, the gate',
    args: ['report', ...product, ...gate, '-o', 'product.html'],
    exit: 13,
  },
]

for (const { title, args, exit = 0 } of steps) {
  process.stdout.write(`\n${title}\n$ matdecl ${args.join(' ')}\n`)
  const { MATDECL_TOKEN: _, ...env } = process.env
  const run = spawnSync(process.execPath, [bin, ...args], { cwd: folder, stdio: 'inherit', env })
  if (run.status !== exit) {
    process.stdout.write(`\ndemo: failed with exit code ${run.status}\n`)
    process.exit(run.status || 1)
  }
}

process.stdout.write(`
The results are in ${folder}

The same against a real service:
  matdecl login                     # asks for its address and your token
  matdecl download --supplier 123456789 -o demo.zip -l -x --manifest
`)
