import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildAll } from '../../scripts/build.mjs'
import { licenceText, sbomText } from '../../scripts/bundled-packages.mjs'
import { builtPath } from '../support/built.ts'
import { soakTest } from '../support/soak.ts'
import { withFolder } from '../support/world.ts'

// Importing it reads every property of `process`: it opens standard input, and takes 4 ms.
test('no file of the build imports node:process', () => {
  const files = readdirSync(builtPath('dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  )
  expect(files.length).toBeGreaterThan(20)
  const importing = files.filter((name) =>
    /(?:from|import|require)\s*\(?\s*['"`](?:node:)?process['"`]/.test(
      readFileSync(builtPath('dist', name), 'utf8'),
    ),
  )
  expect(importing).toEqual([])
})

describe('the packages inside the bundle', () => {
  /** Their directories, and their names and versions. */
  const inside = async (): Promise<{ folders: string[]; titles: string[] }> => {
    const folders = await withFolder((folder) => buildAll(join(folder, 'dist')))
    const titles = folders.map((folder) => {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      return `${name} ${version}`
    })
    expect(titles.length).toBeGreaterThan(30)
    return { folders, titles: [...new Set(titles)].sort() }
  }

  soakTest('each have the text of their license beside it', async () => {
    const { titles } = await inside()
    const [, ...sections] = readFileSync(builtPath('dist', 'THIRD-PARTY-LICENSES'), 'utf8').split(/^-{72}$/m)
    expect(sections.map((section) => section.trim().split(' (')[0]).sort()).toEqual(titles)
    const grants =
      /Permission (?:is hereby granted|to use)|Redistribution and use|Licensed under the Apache|Apache License/
    expect(sections.filter((section) => !grants.test(section))).toEqual([])
  })

  test('are refused without such a text', async () => {
    await withFolder(async (root) => {
      await mkdir(join(root, 'node_modules/bare'), { recursive: true })
      const manifest = { name: 'bare', version: '1.0.0', license: 'MIT' }
      await writeFile(join(root, 'node_modules/bare/package.json'), JSON.stringify(manifest))
      expect(() => licenceText(root, ['node_modules/bare'])).toThrow(
        /^bare has no license text: add .*bare\.txt$/,
      )
    })
  })

  soakTest('are those of the CycloneDX list, with versions, hashes and licenses', async () => {
    const { folders, titles } = await inside()
    const sbom = JSON.parse(sbomText(resolve('.'), folders, '24.0.1')) as Sbom
    const [node, ...packages] = sbom.components.toReversed()
    expect(packages.map(({ name, version }) => `${name} ${version}`).sort()).toEqual(titles)
    for (const { name, purl, hashes, licenses } of packages) {
      expect(purl, name).toMatch(/^pkg:npm\//)
      expect([hashes?.length, licenses?.length], name).toEqual([1, 1])
    }
    expect(node).toMatchObject({ type: 'platform', name: 'node', version: '24.0.1' })
    expect(sbom.metadata.component).toMatchObject({ type: 'application', name: 'matdecl' })
    expect(JSON.stringify(sbom)).not.toMatch(/timestamp|serialNumber|development/)
    const refs = new Set(sbom.components.map((each) => each['bom-ref']))
    for (const { dependsOn } of sbom.dependencies) {
      expect(dependsOn.filter((ref) => !refs.has(ref))).toEqual([])
    }
  })
})

interface Sbom {
  readonly metadata: { readonly component: unknown }
  readonly components: readonly {
    readonly 'bom-ref': string
    readonly name: string
    readonly version: string
    readonly purl: string
    readonly hashes?: readonly unknown[]
    readonly licenses?: readonly unknown[]
  }[]
  readonly dependencies: readonly { readonly dependsOn: readonly string[] }[]
}
