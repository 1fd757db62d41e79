// What is inside a bundle: the licenses of its packages, and a list of them in CycloneDX.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
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

/** One text with name, version and license of every package. A package without the text of its license is an error. */
export function licenceText(root, folders) {
  const parts = folders.map((folder) => {
    const { name, version, license } = packageOf(root, folder)
    const own = readdirSync(join(root, folder)).find((file) => /^licen[cs]e(?:[.-].*)?$/i.test(file))
    // The license of a package that comes without it, from its repository.
    const path = own === undefined ? join(root, 'scripts/licenses', `${name}.txt`) : join(root, folder, own)
    if (!existsSync(path)) throw new Error(`${name} has no license text: add ${path}`)
    return `${name} ${version} (${license ?? 'see below'})\n\n${readFileSync(path, 'utf8').trim()}`
  })
  const line = '-'.repeat(72)
  return `matdecl contains the following packages, each under its own license.\n\n${line}\n\n${[...new Set(parts)].join(`\n\n${line}\n\n`)}\n`
}

/**
 * What is inside, as CycloneDX JSON: the packages as npm describes them, and the Node of an executable. It has neither time nor serial
 * number, so that a release depends on its content alone.
 */
export function sbomText(root, folders, nodeVersion) {
  const { status, stdout, stderr } = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`)
  const { serialNumber: _, metadata, components, dependencies, ...sbom } = JSON.parse(stdout)
  const { timestamp: __, component, ...others } = metadata
  const inside = new Set(
    folders.map((folder) => packageOf(root, folder)).map(({ name, version }) => `${name}@${version}`),
  )
  const own = component['bom-ref']
  const packages = components
    .filter((each) => inside.has(each['bom-ref']))
    // For npm they are development dependencies, for they are not installed beside the bundle.
    .map((each) => ({ ...each, properties: [] }))
  if (packages.length < inside.size) throw new Error('npm sbom lists fewer packages than are in the bundle')
  return `${JSON.stringify(
    {
      ...sbom,
      metadata: {
        ...others,
        component: { ...component, type: 'application', name: packageOf(root, '.').name },
      },
      components: [...packages, ...(nodeVersion === undefined ? [] : [nodeComponent(nodeVersion)])],
      dependencies: dependencies
        .filter(({ ref }) => ref === own || inside.has(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => inside.has(each)) })),
    },
    undefined,
    2,
  )}\n`
}

function nodeComponent(version) {
  return {
    'bom-ref': `node@${version}`,
    type: 'platform',
    name: 'node',
    version,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    purl: `pkg:github/nodejs/node@v${version}`,
  }
}

function packageOf(root, folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}
