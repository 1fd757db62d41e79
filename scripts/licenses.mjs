// The licenses of the packages inside a bundle.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The directories of the packages that some modules of a bundle come from. */
export function packagesIn(root, modules) {
  const names = new Set()
  for (const path of modules) {
    const match = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(
      relative(root, path).replaceAll('\\', '/'),
    )
    if (match !== null) names.add(match[0].slice(0, -1))
  }
  return [...names].sort()
}

/** One text with name, version and license of every package. A package without a license is an error. */
export function licenceText(root, folders) {
  const parts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e(?:[.-].*)?$/i.test(one))
    if (license === undefined && file === undefined) throw new Error(`${name} has no license`)
    const words =
      file === undefined
        ? `(the package has no license file; its package.json says: ${license})`
        : readFileSync(join(root, folder, file), 'utf8').trim()
    return `${name} ${version} (${license ?? 'see below'})\n\n${words}`
  })
  const line = '-'.repeat(72)
  return `matdecl contains the following packages, each under its own license.\n\n${line}\n\n${parts.join(`\n\n${line}\n\n`)}\n`
}
