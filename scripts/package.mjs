// Release archives and their checksums, in build/release/.
//   npm run package                   every target
//   npm run package -- linux-x64 …    only these
import { TARGETS } from './executable.mjs'
import { packageTargets } from './release-archives.mjs'

const asked = process.argv.slice(2)
const unknown = asked.find((target) => TARGETS[target] === undefined)
if (unknown === undefined) {
  const paths = await packageTargets(asked.length > 0 ? asked : Object.keys(TARGETS))
  for (const path of paths) process.stdout.write(`${path}\n`)
} else {
  process.stderr.write(
    `package: unknown target '${unknown}': expected one of ${Object.keys(TARGETS).join(', ')}\n`,
  )
  process.exitCode = 2
}
