// A tour with the sandbox: download, verify, list, extract, report. Prints the folder with the results.
import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const bin = join(dirname(fileURLToPath(import.meta.url)), '..', 'bin', 'matdecl.js')
const folder = mkdtempSync(join(tmpdir(), 'matdecl-demo-'))

const steps = [
  {
    title: 'Download everything from one supplier of the sandbox, list and extract it, and write a manifest',
    args: ['download', '--sandbox', '--supplier', '100200300', '-o', 'demo.zip', '-l', '-x', '--manifest'],
  },
  { title: 'Verify the archive', args: ['verify', 'demo.zip'] },
  { title: 'Report what each part declares, as CSV', args: ['report', 'demo.zip', '-o', 'demo.csv'] },
  { title: 'The same as an HTML page', args: ['report', 'demo.zip', '-o', 'demo.html', '--quiet'] },
]

for (const step of steps) {
  process.stdout.write(`\n${step.title}\n$ matdecl ${step.args.join(' ')}\n`)
  const { MATDECL_TOKEN: _, ...env } = process.env
  const run = spawnSync(process.execPath, [bin, ...step.args], { cwd: folder, stdio: 'inherit', env })
  if (run.status !== 0) {
    process.stdout.write(`\ndemo: failed with exit code ${run.status}\n`)
    process.exit(run.status ?? 1)
  }
}

process.stdout.write(`
The results are in ${folder}

The same against a real service:
  export MATDECL_TOKEN=…            # or token-file in the config file: matdecl config init
  matdecl download --base-url https://api.example.com --supplier 123456789 -o demo.zip -l -x --manifest
`)
