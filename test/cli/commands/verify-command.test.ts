import { createHash } from 'node:crypto'
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CliResult, cli, TOKEN } from '../../support/cli.ts'
import { testService } from '../../support/service.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

test('names that Windows does not allow are said, and are no problem', () =>
  withFolder(async (folder) => {
    const entries = ['a?.xml', 'ok.xml', 'x/b*.xml'].map((name) => ({ name, data: '<a/>' }))
    await writeFile(join(folder, 'x.zip'), zip(entries))
    const { code, stderr } = await cli(['verify', 'x.zip'], { cwd: folder })
    expect(code).toBe(0)
    expect(stderr).toBe(
      'x.zip: "a?.xml" (and 1 more entry) cannot be extracted on Windows: name contains ?, which Windows does not allow in names\n',
    )
    const json = await cli(['verify', 'x.zip', '--json'], { cwd: folder })
    expect(json.json().archives).toMatchObject([{ entries: 3, notOnWindows: 2 }])
    await writeFile(join(folder, 'y.zip'), zip([{ name: 'ok.xml', data: '<a/>' }]))
    const ordinary = await cli(['verify', 'y.zip', '--json'], { cwd: folder })
    expect(ordinary.stdout + ordinary.stderr).not.toMatch(/windows/i)
  }))

const ENTRIES = [
  { name: 'a.xml', data: '<a/>' },
  { name: 'sub/b.xml', data: '<b>2</b>' },
]

interface Evidence {
  readonly folder: string
  /** Runs `matdecl verify` in the directory. */
  readonly verify: (...argv: string[]) => Promise<CliResult>
}

/** A directory with a downloaded `x.zip` and its manifest. */
async function withEvidence(body: (evidence: Evidence) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await using service = await testService({ body: zip(ENTRIES) })
    const argv = ['--base-url', service.url, '--supplier', '123456789', '-o', 'x.zip', '--manifest']
    expect((await cli(argv, { cwd: folder })).code).toBe(0)
    await body({ folder, verify: (...rest) => cli(['verify', ...rest], { cwd: folder }) })
  })
}

const MANIFEST = ['--manifest', 'x.zip.manifest.json']

test('of an archive without entries nothing is verified, which is said without a tick, also with --quiet', () =>
  withFolder(async (cwd) => {
    await writeFile(join(cwd, 'empty.zip'), zip([]))
    await writeFile(join(cwd, 'good.zip'), zip([{ name: 'a.xml', data: 'x' }]))
    const nothing = 'empty.zip: nothing to verify: it has no entries\n'
    expect(await cli(['verify', 'empty.zip'], { cwd })).toMatchObject({ code: 0, stdout: `- ${nothing}` })
    await writeFile(join(cwd, 'folder.zip'), zip([{ name: 'd/', data: '' }]))
    expect((await cli(['verify', 'folder.zip'], { cwd })).stdout).toBe(
      '- folder.zip: nothing to verify: it has no entry with content\n',
    )
    const beside = await cli(['verify', 'empty.zip', 'good.zip'], { cwd })
    expect(beside.stdout).toMatch(/^- empty\.zip: nothing to verify.*\nok good\.zip: 1 entry/)
    const quiet = await cli(['verify', 'empty.zip', 'good.zip', '-q'], { cwd })
    expect(quiet).toMatchObject({ code: 0, stdout: '', stderr: `matdecl: warning: ${nothing}` })
    const { json } = await cli(['verify', 'empty.zip', '--json'], { cwd })
    expect(json()).toMatchObject({ status: 'ok', archives: [{ path: 'empty.zip', entries: 0 }] })
  }))

describe('verify --manifest', () => {
  test('passes for the archive as it was downloaded, and names the manifest by its hash', async () => {
    await withEvidence(async ({ folder, verify }) => {
      const text = await readFile(join(folder, 'x.zip.manifest.json'), 'utf8')
      expect(text).toMatch(/^\{"archive":.*\}$/)
      expect(text).not.toContain(TOKEN)
      const plain = await verify('x.zip', ...MANIFEST)
      expect(plain).toMatchObject({ code: 0, stderr: '' })
      expect(plain.stdout).toContain('matches x.zip.manifest.json')
      const sha256 = createHash('sha256').update(text).digest('hex')
      const manifest = { path: 'x.zip.manifest.json', sha256, tool: expect.stringMatching(/^matdecl /) }
      expect((await verify('x.zip', ...MANIFEST, '--json')).json()).toMatchObject({
        status: 'ok',
        archives: [{ path: 'x.zip', status: 'ok', entries: 2, manifest }],
      })
      // The hash is of the content, however it is formatted.
      await writeFile(join(folder, 'pretty.json'), `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`)
      const again = await verify('x.zip', '--manifest', 'pretty.json', '--json')
      expect(again.json()).toMatchObject({ archives: [{ manifest: { path: 'pretty.json', sha256 } }] })
      expect((await readdir(folder)).toSorted()).toEqual(['pretty.json', 'x.zip', 'x.zip.manifest.json'])
    })
  })

  test('lists everything that was added, is missing or has changed, and exits 8', async () => {
    await withEvidence(async ({ folder, verify }) => {
      const other = [
        { name: 'sub/b.xml', data: '<b>3</b>' },
        { name: 'c.xml', data: '' },
      ]
      await writeFile(join(folder, 'y.zip'), zip(other))
      const plain = await verify('y.zip', ...MANIFEST)
      expect(plain.code).toBe(8)
      expect(plain.stdout).toContain('y.zip: does not match its manifest')
      expect(plain.stderr).toContain('y.zip: does not match x.zip.manifest.json: 5 differences')
      for (const line of ['the archive: changed, its size is', '"c.xml": added', '"a.xml": missing']) {
        expect(plain.stderr).toContain(`  ${line}`)
      }
      const result = await verify('y.zip', ...MANIFEST, '--json')
      expect(result.code).toBe(8)
      const [archive] = result.json().archives as [{ manifest?: unknown }]
      expect(archive.manifest).toBe(undefined)
      expect(result.json()).toMatchObject({
        status: 'failed',
        error: { code: 'archive', exitCode: 8 },
        archives: [
          {
            status: 'failed',
            differences: [
              { kind: 'changed', field: 'bytes' },
              { kind: 'changed', field: 'sha256' },
              { kind: 'changed', entry: 'sub/b.xml', field: 'crc32' },
              { kind: 'added', entry: 'c.xml' },
              { kind: 'missing', entry: 'a.xml' },
            ],
          },
        ],
      })
    })
  })

  test('finds what no check of the archive alone can: the same entries in another file', async () => {
    await withEvidence(async ({ folder, verify }) => {
      await writeFile(join(folder, 'x.zip'), zip(ENTRIES.map((entry) => ({ ...entry, dosTime: 0x5a210000 }))))
      expect((await verify('x.zip')).code).toBe(0)
      const result = await verify('x.zip', ...MANIFEST)
      expect(result.code).toBe(8)
      expect(result.stderr).toMatch(
        /manifest.json: the archive: changed, its SHA-256 is [0-9a-f]{64} and was/,
      )
    })
  })

  test('lists the first twenty of many differences, and all of them in JSON', async () => {
    await withEvidence(async ({ folder, verify }) => {
      const many = Array.from({ length: 50 }, (_, index) => ({ name: `${index}.xml`, data: '' }))
      await writeFile(join(folder, 'y.zip'), zip(many))
      expect((await verify('y.zip', ...MANIFEST)).stderr).toContain('  and 34 more differences\n')
      const [archive] = (await verify('y.zip', ...MANIFEST, '--json')).json().archives as [
        { differences: unknown[] },
      ]
      expect(archive.differences.length).toBe(54)
    })
  })

  test.each([
    ['that is not there', undefined, 'm.json does not exist'],
    ['that is not JSON', '{"schema":', 'm.json is not JSON: line 1'],
    ['of another schema', '{"schema":"matdecl.list/1"}', 'm.json is not a manifest of a download: schema'],
    ['that is not text', Buffer.from([0xff, 0xfe, 0xfd]), 'm.json is not text'],
  ])('a manifest %s is exit 2, before the archive is read', async (_title, content, says) => {
    await withFolder(async (folder) => {
      if (content !== undefined) await writeFile(join(folder, 'm.json'), content)
      const result = await cli(['verify', 'x.zip', '--manifest', 'm.json', '--json'], { cwd: folder })
      expect(result.code).toBe(2)
      expect(result.stderr).toContain(says)
      expect(result.json()).not.toHaveProperty('archives')
    })
  })

  test('a manifest with wrong fields, with two entries of one name or larger than the limit is exit 2', async () => {
    await withEvidence(async ({ folder, verify }) => {
      const manifest = JSON.parse(await readFile(join(folder, 'x.zip.manifest.json'), 'utf8')) as {
        archive: { entries: unknown[]; bytes: unknown }
        run: { checksum?: string }
      }
      const { archive } = manifest
      const refused = async (content: string, says: string): Promise<void> => {
        await writeFile(join(folder, 'm.json'), content)
        const result = await verify('x.zip', '--manifest', 'm.json')
        expect(result).toMatchObject({ code: 2, stdout: '' })
        expect(result.stderr).toContain(says)
      }
      const twice = { ...archive, entries: [archive.entries[0], archive.entries[0]] }
      await refused(JSON.stringify({ ...manifest, archive: twice }), 'has two entries of the same name')
      await refused(JSON.stringify({ ...manifest, archive: { ...archive, bytes: '1' } }), 'archive.bytes')
      await refused(' '.repeat(64 * 1024 * 1024 + 1), 'is larger than')
      const empty = { ...manifest, archive: null }
      await writeFile(join(folder, 'm.json'), JSON.stringify(empty))
      const changed = await verify('x.zip', '--manifest', 'm.json')
      expect(changed).toMatchObject({ code: 8, stdout: '' })
      expect(changed.stderr).toContain('m.json was changed after the download wrote it')
      const { checksum: _, ...run } = manifest.run
      await writeFile(join(folder, 'm.json'), JSON.stringify({ ...empty, run }))
      const result = await verify('x.zip', '--manifest', 'm.json')
      expect(result.code).toBe(8)
      expect(result.stdout).toContain('does not match its manifest')
      expect(result.stderr).toContain('it describes a download without an archive')
    })
  })

  test('takes one archive', async () => {
    await withEvidence(async ({ folder, verify }) => {
      await copyFile(join(folder, 'x.zip'), join(folder, 'y.zip'))
      const result = await verify('x.zip', 'y.zip', ...MANIFEST)
      expect(result).toMatchObject({ code: 2, stdout: '' })
      expect(result.stderr).toContain('--manifest takes one archive, but 2 were given')
    })
  })

  test('is not taken from the environment: that of a download would be read', async () => {
    await withEvidence(async ({ folder }) => {
      const env = { MATDECL_MANIFEST: 'nothing.json' }
      expect((await cli(['verify', 'x.zip'], { cwd: folder, env })).code).toBe(0)
    })
  })

  test('a damaged archive is reported as damaged', async () => {
    await withEvidence(async ({ folder, verify }) => {
      const bytes = await readFile(join(folder, 'x.zip'))
      await writeFile(join(folder, 'x.zip'), bytes.subarray(0, -1))
      const result = await verify('x.zip', ...MANIFEST)
      expect(result.code).toBe(8)
      expect(result.stdout).toContain('x.zip: not safe to use')
    })
  })
})

test('archives are verified to the end, also when nobody reads what is printed', () =>
  withFolder(async (folder) => {
    await writeFile(join(folder, 'good.zip'), zip([{ name: 'a', data: 'a' }]))
    await writeFile(join(folder, 'bad.zip'), 'no archive')
    const { code, stderr } = await cli(['verify', 'good.zip', 'bad.zip'], { cwd: folder, isReaderGone: true })
    expect(code).toBe(8)
    expect(stderr).toContain('bad.zip: is not a ZIP archive')
    expect((await cli(['doctor', '--config', 'no.toml'], { cwd: folder, isReaderGone: true })).code).toBe(3)
  }))
