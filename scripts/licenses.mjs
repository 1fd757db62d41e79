// The licences of the packages whose code is inside a bundle, found by what the bundler says it took.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The names of the packages that the bundles were made from, by esbuild's metafiles. */
export function packagesIn(metafiles) {
  const names = new Set()
  for (const { inputs } of metafiles) {
    for (const path of Object.keys(inputs)) {
      const match = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)
      if (match !== null) names.add(path.slice(0, match[0].length - 1))
    }
  }
  return [...names].sort()
}

/** One text: every package with its version, its licence and the licence's words. A package without any licence is an error. */
export function licenceText(root, folders) {
  const parts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e(?:[.-].*)?$/i.test(one))
    if (license === undefined && file === undefined) throw new Error(`${name} has no licence`)
    const words =
      file === undefined
        ? `(the package carries no text of its licence; it says: ${license})`
        : readFileSync(join(root, folder, file), 'utf8').trim()
    return `${name} ${version} (${license ?? 'see below'})\n\n${words}`
  })
  const line = '-'.repeat(72)
  return `matdecl contains the following packages, each under its own licence.\n\n${line}\n\n${parts.join(`\n\n${line}\n\n`)}\n`
}
