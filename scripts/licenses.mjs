// The licences of the packages inside a bundle, by esbuild's metafile.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folders of the packages in some bundles. */
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

/** One text with name, version and licence of every package. A package without a licence is an error. */
export function licenceText(root, folders) {
  const parts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e(?:[.-].*)?$/i.test(one))
    if (license === undefined && file === undefined) throw new Error(`${name} has no licence`)
    const words =
      file === undefined
        ? `(the package has no licence file; its package.json says: ${license})`
        : readFileSync(join(root, folder, file), 'utf8').trim()
    return `${name} ${version} (${license ?? 'see below'})\n\n${words}`
  })
  const line = '-'.repeat(72)
  return `matdecl contains the following packages, each under its own licence.\n\n${line}\n\n${parts.join(`\n\n${line}\n\n`)}\n`
}
