import * as disk from 'node:fs/promises'
import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CliResult, cli, TOKEN, tree } from '../../support/cli.ts'
import { idsXml } from '../../support/declarations.ts'
import { testService } from '../../support/service.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const ARCHIVE = zip([
  { name: 'a.xml', data: idsXml('A') },
  { name: 'sub/b.xml', data: '<MainDeclaration/>' },
])
const NOW = Date.parse('2026-03-04T05:06:07Z')

interface Run {
  readonly result: CliResult
  readonly folder: string
  readonly requests: number
}

async function saved(
  argv: readonly string[],
  look: (run: Run) => Promise<void>,
  prepare?: (folder: string) => Promise<unknown>,
): Promise<void> {
  await withFolder(async (folder) => {
    await prepare?.(folder)
    await using service = await testService({ body: ARCHIVE })
    const result = await cli(['download', '--base-url', service.url, '--part', 'A', ...argv], {
      cwd: folder,
      nowMs: NOW,
    })
    await look({ result, folder, requests: service.requests.length })
  })
}

describe('the name of the archive', () => {
  test.each<[string[], string]>([
    [[], 'parts_1752A_2026-03-04T050607Z.zip'],
    [['--supplier', '123456789', '--format', '1752B'], '123456789_1752B_2026-03-04T050607Z.zip'],
    [['-o', 'x.zip'], 'x.zip'],
    [['-o', './deep/er/x.zip'], 'deep/er/x.zip'],
    [['-o', 'new/'], 'new/parts_1752A_2026-03-04T050607Z.zip'],
    [['-o', 'there'], 'there/parts_1752A_2026-03-04T050607Z.zip'],
    [['-o', '.'], 'parts_1752A_2026-03-04T050607Z.zip'],
    [
      ['--format-class', 'D', '--start-date', '2026-01-31', '-o', '{class}_{start}_{supplier}.zip'],
      'D_2026-01-31_parts.zip',
    ],
    [['-o', 'no extension'], 'no extension'],
    [['-o', 'ünï\ncode.zip'], 'ünï\ncode.zip'],
  ])('%j gives %s', async (argv, name) => {
    await saved(
      argv,
      async ({ result, folder }) => {
        expect(result.code, result.stderr).toBe(0)
        expect((await readFile(join(folder, name))).equals(ARCHIVE)).toBe(true)
        expect(
          (await tree(folder)).filter((file) => file.includes('.parts') || file.includes('.lock')),
        ).toEqual([])
      },
      (folder) => mkdir(join(folder, 'there')),
    )
  })

  test('is what standard output says, once', async () => {
    await saved(['-o', 'x.zip'], async ({ result }) => expect(result.stdout).toBe('x.zip\n'))
    await saved(['-o', 'x\u001b[31m.zip'], async ({ result }) =>
      expect(result.stdout).toBe('x\\u001b[31m.zip\n'),
    )
    await saved(['-o', 'x.zip', '--quiet'], async ({ result }) =>
      expect(result).toMatchObject({ stdout: '', stderr: '' }),
    )
  })

  test('has the mode of any new file', async () => {
    await saved(['-o', 'x.zip'], async ({ folder }) =>
      expect((await stat(join(folder, 'x.zip'))).mode & 0o777).toBe(0o644),
    )
  })

  test.each(['x'.repeat(300), 'x'.repeat(252), ''])('%j is none', async (name) => {
    await saved([`--output=${name}`], async ({ result, folder, requests }) => {
      expect(result.code).toBe(2)
      expect(requests).toBe(0)
      expect(await tree(folder)).toEqual([])
    })
  })
})

describe('an existing output file', () => {
  test('--overwrite replaces a file', async () => {
    await saved(
      ['-o', 'x.zip', '--overwrite'],
      async ({ result, folder }) => {
        expect(result.code).toBe(0)
        expect((await readFile(join(folder, 'x.zip'))).equals(ARCHIVE)).toBe(true)
        expect(await tree(folder)).toEqual(['x.zip'])
      },
      (folder) => writeFile(join(folder, 'x.zip'), 'old'),
    )
  })

  test('--overwrite replaces what a link leads to, and the link stays', async () => {
    await saved(
      ['-o', 'x.zip', '--manifest', '--overwrite'],
      async ({ result, folder }) => {
        expect(result.code).toBe(0)
        expect(await readFile(join(folder, 'there', 'target'))).toEqual(ARCHIVE)
        expect(await readlink(join(folder, 'x.zip'))).toBe('there/target')
        expect(await tree(folder)).toEqual(['there', 'there/target', 'x.zip', 'x.zip.manifest.json'])
      },
      async (folder) => {
        await mkdir(join(folder, 'there'))
        await writeFile(join(folder, 'there', 'target'), 'mine')
        await symlink('there/target', join(folder, 'x.zip'))
      },
    )
  })

  test('a link that points nowhere counts as taken', async () => {
    await saved(
      ['-o', 'x.zip'],
      async ({ result, requests }) => expect([result.code, requests]).toEqual([9, 0]),
      (folder) => symlink('nowhere', join(folder, 'x.zip')),
    )
  })

  test('the same command run twice sends no second request and changes no byte', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const argv = ['download', '--base-url', service.url, '--part', 'A', '-o', 'x.zip']
      expect((await cli(argv, { cwd: folder })).code).toBe(0)
      const before = await stat(join(folder, 'x.zip'))
      expect((await cli(argv, { cwd: folder })).code).toBe(9)
      expect((await stat(join(folder, 'x.zip'))).mtimeMs).toBe(before.mtimeMs)
      expect(service.requests).toHaveLength(1)
    })
  })
})

describe('what else is written', () => {
  test('-x unpacks into the name without .zip', async () => {
    await saved(['-o', 'd/x.zip', '-x'], async ({ result, folder }) => {
      expect(result.code).toBe(0)
      expect(await tree(folder)).toEqual(['d', 'd/x', 'd/x.zip', 'd/x/a.xml', 'd/x/sub', 'd/x/sub/b.xml'])
    })
  })

  test('-x DIR unpacks there', async () => {
    await saved(['-o', 'x.zip', '-x', 'new/out', '--json'], async ({ result, folder }) => {
      expect(await tree(join(folder, 'new/out'))).toEqual(['a.xml', 'sub', 'sub/b.xml'])
      expect(result.json()).toMatchObject({ extracted: { path: 'new/out', files: 2, bytes: 52 } })
    })
  })

  test('-l lists after the path, and in the JSON', async () => {
    await saved(['-o', 'x.zip', '-l'], async ({ result }) => {
      expect(result.stdout).toMatch(/^x\.zip\n.*size.*\n.*a\.xml\n.*sub\/b\.xml\n2 entries/)
    })
    await saved(['-o', 'x.zip', '-l', '--json'], async ({ result }) => {
      expect(result.json()).toMatchObject({
        entries: [{ name: 'a.xml', bytes: 34, crc32: expect.stringMatching(/^[0-9a-f]{8}$/) }, {}],
      })
    })
  })

  test('--manifest is the evidence, and differs between two runs only under `run`', async () => {
    const manifests: Record<string, unknown>[] = []
    for (const argv of [['--manifest'], ['--manifest', 'm.json']]) {
      await saved(
        ['--part', 'B', '-o', 'x.zip', ...argv, '--missing', 'none.txt'],
        async ({ folder, result }) => {
          const name = argv[1] ?? 'x.zip.manifest.json'
          expect(result.stderr).toContain(`manifest written to ${name}\n`)
          expect(result.stderr).toContain('missing parts written to none.txt\n')
          const text = await readFile(join(folder, name), 'utf8')
          expect(text).not.toContain(TOKEN)
          manifests.push(JSON.parse(text) as Record<string, unknown>)
        },
      )
    }
    expect(manifests[0]).toMatchObject({
      schema: 'matdecl.manifest/1',
      tool: expect.stringMatching(/^matdecl \d/),
      request: { format: '1752A', parts: ['A', 'B'] },
      archive: {
        name: 'x.zip',
        bytes: ARCHIVE.length,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        entries: [{ name: 'a.xml', bytes: 34, crc32: expect.any(String) }, {}],
      },
      missingParts: ['B'],
      requests: [{ status: 200, bytes: ARCHIVE.length }],
      run: { startedAt: '2026-03-04T05:06:07.000Z', requests: [{ attempts: 1 }] },
    })
    const [first, second] = manifests.map(({ run: _, request, ...rest }) => ({
      ...rest,
      request: { ...(request as object), baseUrl: '' },
    }))
    expect(first).toEqual(second)
  })

  test('--missing writes a list that can be requested next', async () => {
    await withFolder(async (folder) => {
      const body = zip([{ name: 'a.xml', data: '<P><ProductID itemNumber="B"/></P>' }])
      await using service = await testService({ body })
      const argv = [
        '--base-url',
        service.url,
        '--part',
        ' A',
        '--part',
        'B',
        '--part',
        'b',
        '-o',
        'x.zip',
        '--missing',
        'm.txt',
        '--json',
      ]
      const result = await cli(argv, { cwd: folder })
      expect(result.json()).toMatchObject({
        foundParts: 1,
        missingParts: [' A', 'b'],
        nearParts: [{ asked: 'b', near: 'B' }],
      })
      expect(await readFile(join(folder, 'm.txt'), 'utf8')).toContain('b\n')
    })
  })

  test.each([
    [['--part', 'A'], 'm.txt: none\n'],
    [['--supplier', '123456789'], 'm.txt: none, as no parts were requested\n'],
    [['--part', 'B'], 'm.txt\n'],
  ])('%j says whether the list of missing parts has any', async (argv, words) => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const to = ['--base-url', service.url, '-o', 'x.zip', '--missing', 'm.txt']
      const result = await cli([...argv, ...to], { cwd: folder })
      expect(result.stderr).toContain(`missing parts written to ${words}`)
    })
  })

  test('a part without a newer declaration is missing too, which the summary explains', async () => {
    await saved(['--part', 'B', '--start-date', '2026-01-31', '-o', 'x.zip'], async ({ result }) => {
      expect(result.stderr).toContain('without a newer declaration')
    })
    await saved(['--part', 'B', '-o', 'x.zip'], async ({ result }) => {
      expect(result.stderr).toContain("missing: 'B'")
      expect(result.stderr).not.toContain('without a newer declaration')
    })
  })

  test('--missing as a table is a list as well', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: zip([]) })
      const argv = ['--base-url', service.url, '--part', 'A,B', '--part', '"C"', '--missing', 'm.csv']
      expect((await cli(argv, { cwd: folder })).code).toBe(12)
      const again = await cli(['--base-url', service.url, '--parts-file', 'm.csv', '--dry-run', '--json'], {
        cwd: folder,
      })
      expect(again.json()).toMatchObject({ parts: 2, requests: [{ parts: ['A,B', '"C"'] }] })
    })
  })

  test.each([
    ['m.txt', "'MPN', 'TBD', which look like", ['A-1']],
    ['m.csv', "'TBD', which looks like", ['MPN', 'A-1']],
  ])('--missing %s warns of parts that the list is read without', async (list, skipped, left) => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: zip([]) })
      const argv = ['--base-url', service.url, '--missing', list]
      const parts = ['--part', 'MPN', '--part', 'TBD', '--part', 'A-1']
      const { stderr } = await cli([...argv, ...parts], { cwd: folder })
      expect(stderr).toContain(`as a --parts-file, ${list} is read without ${skipped} no part number`)
      const again = await cli(['--base-url', service.url, '--parts-file', list, '-n', '--json'], {
        cwd: folder,
      })
      expect(again.json()).toMatchObject({ requests: [{ parts: left }] })
      const none = await cli([...argv, '--part', 'TBD', '--overwrite'], { cwd: folder })
      expect(none.stderr).toContain(`${list} is read without 'TBD', which looks like no part number`)
      const usual = await cli([...argv, '--part', 'A-1', '--overwrite'], { cwd: folder })
      expect(usual.stderr).not.toContain('is read without')
    })
  })

  test('a supplier alone has no missing parts, and a rate limit resets in seconds', async () => {
    await withFolder(async (folder) => {
      const headers = { 'X-RateLimit-Limit': '100', 'X-RateLimit-Remaining': '99', 'X-RateLimit-Reset': '30' }
      await using service = await testService({ body: ARCHIVE, headers })
      const argv = ['--base-url', service.url, '--supplier', '123456789', '-o', 'x.zip', '--json']
      expect((await cli(argv, { cwd: folder })).json()).toMatchObject({
        foundParts: 0,
        missingParts: [],
        unknownParts: [],
        rateLimit: { limit: 100, remaining: 99, resetSeconds: 30 },
      })
    })
  })

  test('the summary page of a run that fails says so', async () => {
    await withFolder(async (folder) => {
      const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'summary.md') }
      const parts = ['--part', 'EXC188R60004KA', '--part', 'NOPE']
      const argv = ['download', '--sandbox', ...parts, '--fail-if-missing', '-o', 'x.zip', '--manifest']
      expect((await cli(argv, { cwd: folder, env })).code).toBe(12)
      const page = await readFile(join(folder, 'summary.md'), 'utf8')
      expect(page).toContain('| status | failed |\n| reason | 1 requested part not found')
      // What the sandbox says is marked in the evidence too.
      expect(page).toContain('| note | made-up data: ')
      const manifest: unknown = JSON.parse(await readFile(join(folder, 'x.zip.manifest.json'), 'utf8'))
      expect(manifest).toMatchObject({ sandbox: true })
    })
  })

  test('the summary page of a run that fails before it has an archive has the reason', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ status: 403 })
      const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'summary.md') }
      const argv = ['--base-url', service.url, '--part', 'A', '-o', 'x.zip']
      expect((await cli(argv, { cwd: folder, env: { ...env, MATDECL_TOKEN: TOKEN } })).code).toBe(4)
      const page = await readFile(join(folder, 'summary.md'), 'utf8')
      expect(page).toContain('| status | failed |\n| reason | 127.0.0.1:')
      expect(page).not.toContain('| archive |')
      expect(page).not.toContain(TOKEN)
    })
  })

  test('a summary page that cannot be written is a warning', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'no', 'such', 'file') }
      const argv = ['--base-url', service.url, '--part', 'A', '-o', 'x.zip']
      const result = await cli(argv, { cwd: folder, env: { ...env, MATDECL_TOKEN: TOKEN } })
      expect(result).toMatchObject({ code: 0, stdout: 'x.zip\n' })
      expect(result.stderr).toContain('warning: the step summary was not written')
      expect(await tree(folder)).toEqual(['x.zip'])
    })
  })

  test('--report writes what the parts declare, and the missing ones', async () => {
    await withFolder(async (folder) => {
      const argv = [
        'download',
        '--sandbox',
        '--part',
        'EXC188R60004KA',
        '--part',
        'NOPE',
        '-o',
        'x.zip',
        '--report',
        'r.csv',
        '--json',
      ]
      const result = await cli(argv, { cwd: folder })
      expect(result.json()).toMatchObject({
        status: 'ok',
        report: { path: 'r.csv', bytes: expect.any(Number) },
      })
      const rows = (await readFile(join(folder, 'r.csv'), 'utf8')).trim().split(/\r?\n/)
      expect(rows).toHaveLength(3)
      expect(rows[1]).toMatch(/^EXC188R60004KA,.*,not compliant,.*,declared,.*,x\.zip!/)
      expect(rows[2]).toMatch(/^NOPE,.*,missing,/)
      expect(await tree(folder)).toEqual(['r.csv', 'x.zip'])
    })
  })

  test('--report in no known format is refused before anything is sent', async () => {
    await saved(['-o', 'x.zip', '--report', 'r.doc'], async ({ result, requests }) => {
      expect([result.code, requests]).toEqual([2, 0])
      expect(result.stderr).toContain('.xlsx')
    })
  })
})

describe('folders', () => {
  test('those made for a run that failed are taken back', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ status: 401 })
      const result = await cli(['--base-url', service.url, '--part', 'A', '-o', 'new/deep/x.zip'], {
        cwd: folder,
      })
      expect(result.code).toBe(4)
      expect(await readdir(folder)).toEqual([])
    })
  })

  test.each(['EACCES', 'EROFS'])(
    'one that can not be written (%s) is found before anything is sent',
    async (code) => {
      await withFolder(async (folder) => {
        await using service = await testService({ body: ARCHIVE })
        const open = (): Promise<never> => Promise.reject(Object.assign(new Error(code), { code }))
        const result = await cli(['--base-url', service.url, '--part', 'A', '-o', 'x.zip'], {
          cwd: folder,
          disk: { ...disk, open },
        })
        expect([result.code, service.all.length]).toEqual([9, 0])
        expect(result.stderr).toContain(folder)
        expect(await readdir(folder)).toEqual([])
      })
    },
  )
})
