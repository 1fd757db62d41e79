import { spawnSync } from 'node:child_process'
import { mkdirSync, realpathSync } from 'node:fs'
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import {
  createSelector,
  type Extracted,
  type ExtractOptions,
  extractArchive,
} from '../../src/archive/extract-archive.ts'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { type Failure, isFailure } from '../../src/base/failure.ts'
import { SILENT } from '../../src/base/notice.ts'
import type { Disk } from '../../src/base/world.ts'
import { markOf, ownIdentity } from '../../src/fs/process-identity.ts'
import { posixTest } from '../support/programs.ts'
import { snapshot } from '../support/snapshot.ts'
import { testWorld, windowsWorld, withFolder } from '../support/world.ts'
import { extraField, u32, type ZipEntry, zip } from '../support/zip.ts'

const PLAIN: ExtractOptions = {
  limits: DEFAULT_ARCHIVE_LIMITS,
  overwrite: false,
  include: [],
  exclude: [],
  flat: false,
  reporter: SILENT,
}

const ENTRIES: readonly ZipEntry[] = [
  { name: 'a.xml', data: '<a/>' },
  { name: 'sub/' },
  { name: 'sub/b.xml', data: '<b/>' },
  { name: 'sub/deep/c.txt', data: 'c' },
  { name: 'empty/' },
]
const TREE = ['a.xml', 'empty/', 'sub/', 'sub/b.xml', 'sub/deep/', 'sub/deep/c.txt']

/** Enough files that worker threads write them. */
function manyEntries(): ZipEntry[] {
  return Array.from({ length: 700 }, (_, index) => ({
    name: `folder-${index % 40}/part-${index}.xml`,
    data: `<r n="${index}"/>`.repeat(1 + (index % 50)),
  }))
}

interface Place {
  readonly folder: string
  readonly archive: string
  readonly target: string
  readonly extract: (
    options?: Partial<ExtractOptions>,
    world?: ReturnType<typeof testWorld>,
  ) => Promise<Extracted>
}

async function inPlace(entries: readonly ZipEntry[], body: (place: Place) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const archive = join(folder, 'a.zip')
    const target = join(folder, 'out')
    await writeFile(archive, zip(entries))
    await body({
      folder,
      archive,
      target,
      extract: (options = {}, world = testWorld()) =>
        extractArchive(world, archive, target, { ...PLAIN, ...options }),
    })
  })
}

async function paths(folder: string): Promise<string[]> {
  return (await snapshot(folder)).map(({ path }) => path)
}

describe('extractArchive', () => {
  it('unpacks files and directories and leaves nothing beside the target', async () => {
    await inPlace(ENTRIES, async ({ folder, target, extract }) => {
      expect(await extract()).toMatchObject({ files: 3, bytes: 9 })
      expect(await paths(target)).toEqual(TREE)
      expect(await readFile(join(target, 'sub/deep/c.txt'), 'utf8')).toBe('c')
      expect((await readdir(folder)).toSorted()).toEqual(['a.zip', 'out'])
    })
  })

  it('writes the same with worker threads, many directories among it', async () => {
    await inPlace(manyEntries(), async ({ folder, target, extract }) => {
      const told: number[] = []
      const reporter = { ...SILENT, progress: ({ bytes }: { bytes?: number }) => told.push(bytes ?? 0) }
      const { files, bytes } = await extract({ reporter })
      expect(files).toBe(700)
      expect(told.at(-1)).toBe(bytes)
      for (const { name, data } of manyEntries())
        expect(await readFile(join(target, String(name)), 'utf8')).toBe(data)
      expect((await readdir(folder)).toSorted()).toEqual(['a.zip', 'out'])
    })
  })

  it('makes the directories above the target', async () => {
    await inPlace(ENTRIES, async ({ folder, archive }) => {
      await extractArchive(testWorld({ cwd: folder }), archive, 'x/y/out', PLAIN)
      expect(await paths(join(folder, 'x/y/out'))).toEqual(TREE)
      expect(await readdir(join(folder, 'x/y'))).toEqual(['out'])
    })
  })

  posixTest.each([
    [4096, true],
    [4095, false],
  ])('with a path of %i bytes, counted with its end, is too long: %s', async (bytes, isTooLong) => {
    const name = `${`${'ü'.repeat(120)}/`.repeat(8)}a`
    await inPlace([{ name, data: 'x' }], async ({ folder, archive }) => {
      const length = bytes - Buffer.byteLength(name) - 1 - folder.length - 1
      const deep = Array.from({ length }, (_, at) => (at % 200 === 99 && at < length - 1 ? '/' : 'd')).join(
        '',
      )
      const failure = await extractArchive(testWorld(), archive, join(folder, deep), PLAIN).then(
        () => undefined,
        (error: Failure) => error,
      )
      expect(failure?.message.includes(`the path of "${name}" in it would be too long`) ?? false).toBe(
        isTooLong,
      )
      if (isTooLong) {
        expect(failure?.kind).toBe('io')
        expect(await readdir(folder)).toEqual(['a.zip'])
      }
    })
  })

  it('extracts on Windows, which has no permission bits, and into an existing directory', async () => {
    await inPlace(ENTRIES, async ({ folder, target, extract }) => {
      expect(await extract({}, windowsWorld())).toMatchObject({ files: 3, bytes: 9 })
      await writeFile(join(target, 'a.xml'), 'old')
      await extract({ overwrite: true }, windowsWorld())
      expect(await paths(target)).toEqual(TREE)
      expect(await readFile(join(target, 'a.xml'), 'utf8')).toBe('<a/>')
      expect((await readdir(folder)).toSorted()).toEqual(['a.zip', 'out'])
    })
  })

  posixTest.each(['a?b.xml', 'x/a*.xml', 'q"/c', 'a<b', 'a>b', 'a|b'])(
    'refuses %s on Windows before anything is written, and extracts it elsewhere',
    async (name) => {
      await inPlace(
        [
          { name: 'ok.xml', data: '' },
          { name, data: 'x' },
        ],
        async ({ folder, target, extract }) => {
          await expect(extract({}, windowsWorld())).rejects.toMatchObject({
            kind: 'archive',
            message: expect.stringContaining(`"${name}": name contains `),
            details: { entry: name, options: ['exclude'], rule: 'name' },
          })
          expect(await readdir(folder)).toEqual(['a.zip'])
          expect((await extract({ include: ['ok.xml'] }, windowsWorld())).files).toBe(1)
          await extract({ overwrite: true })
          expect(await readFile(join(target, name), 'utf8')).toBe('x')
        },
      )
    },
  )

  posixTest('sets modes by the umask, not by the archive, and restores the times of entries', async () => {
    const unixTime = extraField(0x5455, Buffer.concat([Buffer.from([1]), u32(1_700_000_000)]))
    const entries: ZipEntry[] = [
      { name: 'run.sh', data: 'x', mode: 0o104777 },
      { name: 'unix', data: 'x', extra: unixTime },
      {
        name: 'future',
        data: 'x',
        extra: extraField(0x5455, Buffer.concat([Buffer.from([1]), u32(2_100_000_000)])),
      },
      { name: 'none', data: 'x', dosTime: 0 },
    ]
    await inPlace(entries, async ({ target, archive, extract }) => {
      await extract()
      const umask = process.umask()
      expect((await stat(join(target, 'run.sh'))).mode & 0o7777).toBe(0o666 & ~umask)
      expect((await stat(target)).mode & 0o7777).toBe(0o777 & ~umask)
      expect((await stat(join(target, 'run.sh'))).mtimeMs).toBe(Date.UTC(2026, 2, 4, 5, 6, 8))
      expect((await stat(join(target, 'unix'))).mtimeMs).toBe(1_700_000_000_000)
      for (const name of ['future', 'none']) {
        const { mtimeMs } = await stat(join(target, name))
        expect(mtimeMs).toBeGreaterThanOrEqual((await stat(archive)).mtimeMs)
        expect(mtimeMs).toBeLessThan(2_100_000_000_000)
      }
    })
  })

  posixTest('keeps the owner able to read and write under any umask', async () => {
    await inPlace(ENTRIES, async ({ target, extract }) => {
      const before = process.umask(0o777)
      try {
        await extract()
      } finally {
        process.umask(before)
      }
      expect(await paths(target)).toEqual(TREE)
      expect((await stat(target)).mode & 0o777).toBe(0o700)
      expect((await stat(join(target, 'sub'))).mode & 0o777).toBe(0o700)
      expect((await stat(join(target, 'a.xml'))).mode & 0o777).toBe(0o600)
    })
  })

  it('unpacks a large entry in pieces', async () => {
    const data = Buffer.alloc(7_000_001)
    for (let at = 0; at < data.length; at += 5) data[at] = (at * 31) % 251
    await inPlace(
      [
        { name: 'large', data },
        { name: 'stored', data, method: 0 },
        { name: 'small', data: 'x' },
      ],
      async ({ target, extract }) => {
        await extract()
        expect((await readFile(join(target, 'large'))).equals(data)).toBe(true)
        expect((await readFile(join(target, 'stored'))).equals(data)).toBe(true)
      },
    )
  })

  it('removes what a killed run left more than a day ago, and nothing else', async () => {
    await inPlace(ENTRIES, async ({ folder, extract }) => {
      const world = testWorld({ nowMs: Date.now() })
      const old = new Date(Date.now() - 25 * 3_600_000)
      for (const name of ['.matdecl-unpack-old', '.matdecl-unpack-new', '.matdecl-unpacked']) {
        await mkdir(join(folder, name), { mode: 0o700 })
        await mkdir(join(folder, name, 'new', 'a', 'b'), { recursive: true })
        for (const path of ['x', 'a/x', 'a/b/x']) await writeFile(join(folder, name, 'new', path), 'x')
        if (name !== '.matdecl-unpack-new') await utimes(join(folder, name), old, old)
      }
      await writeFile(join(folder, '.matdecl-unpack-file'), 'x')
      await utimes(join(folder, '.matdecl-unpack-file'), old, old)
      await extract({}, world)
      expect((await readdir(folder)).toSorted()).toEqual(
        ['.matdecl-unpack-file', '.matdecl-unpack-new', '.matdecl-unpacked', 'a.zip', 'out'].toSorted(),
      )
    })
  })

  it.skipIf(process.geteuid?.() !== 0)('leaves what another user has there, as root too', async () => {
    await inPlace(ENTRIES, async ({ folder, extract }) => {
      const name = '.matdecl-unpack-old'
      await mkdir(join(folder, name), { mode: 0o700 })
      await mkdir(join(folder, name, 'new'))
      await writeFile(join(folder, name, 'new', 'x'), 'x')
      const old = new Date(Date.now() - 25 * 3_600_000)
      await utimes(join(folder, name), old, old)
      await chown(join(folder, name), 65_534, 65_534)
      await extract({}, testWorld({ nowMs: Date.now() }))
      expect(await readdir(join(folder, name, 'new'))).toEqual(['x'])
    })
  })

  it('removes at once what a killed run of this machine left, but not what has something else in it', async () => {
    await inPlace(ENTRIES, async ({ folder, extract }) => {
      const gone = spawnSync(process.execPath, ['-e', '']).pid
      const { disk, host } = testWorld()
      const own = await ownIdentity(disk, host)
      const mark = markOf({ ...own, pid: gone })
      const left = `.matdecl-unpack-${mark}.aaaaaaaa`
      const stay = [
        `.matdecl-unpack-${markOf({ ...own, pid: process.ppid, startTick: undefined })}.bbbbbbbb`,
        `.matdecl-unpack-${markOf({ ...own, pid: gone, host: 'elsewhere' })}.cccccccc`,
        `.matdecl-unpack-${mark}.dddddddd`,
      ]
      for (const name of [left, ...stay]) {
        await mkdir(join(folder, name), { mode: 0o700 })
        await mkdir(join(folder, name, 'new'))
      }
      await mkdir(join(folder, stay[2]!, 'mine'))
      await extract({}, testWorld({ nowMs: Date.now() }))
      expect((await readdir(folder)).toSorted()).toEqual([...stay, 'a.zip', 'out'].toSorted())
    })
  })
})

describe('extractArchive with a choice of entries', () => {
  it.each([
    ['a glob for the last component', { include: ['*.xml'] }, ['a.xml', 'sub/', 'sub/b.xml']],
    [
      'a glob for the whole name',
      { include: ['sub/**'] },
      ['sub/', 'sub/b.xml', 'sub/deep/', 'sub/deep/c.txt'],
    ],
    ['a directory', { include: ['sub/deep/'] }, ['sub/', 'sub/deep/', 'sub/deep/c.txt']],
    ['one of several globs', { include: ['c.*', 'a.*'] }, ['a.xml', 'sub/', 'sub/deep/', 'sub/deep/c.txt']],
    ['what is left out', { exclude: ['*.xml', 'empty'] }, ['sub/', 'sub/deep/', 'sub/deep/c.txt']],
    ['both', { include: ['*.xml'], exclude: ['sub/*'] }, ['a.xml']],
    ['no directories', { flat: true }, ['a.xml', 'b.xml', 'c.txt']],
  ])('takes %s', async (_title, options, expected) => {
    await inPlace(ENTRIES, async ({ target, extract }) => {
      await extract(options)
      expect(await paths(target)).toEqual(expected)
    })
  })

  it('is a usage error when no entry is left', async () => {
    await inPlace(ENTRIES, async ({ folder, extract }) => {
      await expect(extract({ include: ['*.pdf'] })).rejects.toMatchObject({ kind: 'usage' })
      expect(await readdir(folder)).toEqual(['a.zip'])
    })
  })

  it('makes an empty directory of an archive without entries', async () => {
    await inPlace([], async ({ target, extract }) => {
      expect(await extract({ include: ['*.xml'] })).toMatchObject({ files: 0, bytes: 0 })
      expect(await readdir(target)).toEqual([])
    })
  })

  it('refuses names that meet when their directories are gone, by case too', async () => {
    await inPlace(
      [
        { name: 'a/x.xml', data: '1' },
        { name: 'b/X.xml', data: '2' },
      ],
      async ({ folder, extract }) => {
        await expect(extract({ flat: true })).rejects.toMatchObject({
          kind: 'archive',
          message: expect.stringContaining(
            '"a/x.xml" and "b/X.xml" would be the same file without their directories',
          ),
        })
        expect(await readdir(folder)).toEqual(['a.zip'])
        await extract({ flat: true, exclude: ['b/*'] })
      },
    )
  })

  it('still refuses an archive for a bad name that is left out', async () => {
    await inPlace([...ENTRIES, { name: '../x', data: 'x' }], async ({ folder, extract }) => {
      await expect(extract({ include: ['a.xml'] })).rejects.toMatchObject({ kind: 'archive' })
      expect(await readdir(folder)).toEqual(['a.zip'])
    })
  })
})

describe('extractArchive to a target that is there', () => {
  const made: readonly (readonly [string, (target: string) => Promise<unknown>])[] = [
    ['a directory', (target) => mkdir(target)],
    ['a file', (target) => writeFile(target, 'mine')],
    ['a link to nowhere', (target) => symlink('absent', target)],
  ]
  posixTest.each(made)('is an io failure for %s', async (title, make) => {
    await inPlace(ENTRIES, async ({ folder, target, extract }) => {
      await make(target)
      const before = await snapshot(folder)
      // Overwriting helps for a directory alone.
      const [problem, options] =
        title === 'a directory' ? ['exists', ['overwrite']] : ['exists and is not a directory']
      const failure = await extract().catch((error: unknown) => error)
      expect(failure).toMatchObject({ kind: 'io', message: `${target} ${problem}` })
      expect(isFailure(failure) && failure.details.options).toEqual(options)
      expect(await snapshot(folder)).toEqual(before)
    })
  })

  posixTest.each(made.slice(1))('is an io failure for %s with --overwrite too', async (_title, make) => {
    await inPlace(ENTRIES, async ({ folder, target, extract }) => {
      await make(target)
      const before = await snapshot(folder)
      await expect(extract({ overwrite: true })).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringContaining('not a directory'),
      })
      expect(await snapshot(folder)).toEqual(before)
    })
  })

  it('detects a target that another program creates in the meantime', async () => {
    await inPlace(ENTRIES, async ({ folder, target, extract }) => {
      let isMade = false
      const reporter = {
        ...SILENT,
        progress: () => {
          if (!isMade) mkdirSync(join(target, 'theirs'), { recursive: true })
          isMade = true
        },
      }
      await expect(extract({ reporter })).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringContaining('created by another program in the meantime'),
      })
      expect(await paths(folder)).toEqual(['a.zip', 'out/', 'out/theirs/'])
    })
  })
})

describe('extractArchive into an existing directory', () => {
  posixTest('replaces files of the same name and leaves the others alone', async () => {
    await inPlace(ENTRIES, async ({ folder, target, extract }) => {
      await mkdir(join(target, 'sub'), { recursive: true })
      await writeFile(join(target, 'a.xml'), 'old')
      await writeFile(join(target, 'sub/mine'), 'mine')
      await chmod(join(target, 'sub'), 0o750)
      await extract({ overwrite: true })
      expect(await paths(target)).toEqual([...TREE, 'sub/mine'].toSorted())
      expect(await readFile(join(target, 'a.xml'), 'utf8')).toBe('<a/>')
      expect(await readFile(join(target, 'sub/mine'), 'utf8')).toBe('mine')
      expect((await stat(join(target, 'sub'))).mode & 0o777).toBe(0o750)
      expect((await readdir(folder)).toSorted()).toEqual(['a.zip', 'out'])
    })
  })

  posixTest('fills the directory that a link leads to', async () => {
    await inPlace(ENTRIES, async ({ folder, target, extract }) => {
      await mkdir(join(folder, 'real'))
      await symlink('real', target)
      await extract({ overwrite: true })
      expect(await readlink(target)).toBe('real')
      expect(await paths(join(folder, 'real'))).toEqual(TREE)
    })
  })

  posixTest('fills it from within where no directory may be made beside it', async () => {
    await inPlace(ENTRIES, async ({ folder, target, extract }) => {
      await mkdir(target)
      let refused = 0
      const { disk } = testWorld()
      const mkdirUnlessBeside = (async (path: string, mode?: number) => {
        if (!basename(path).startsWith('.matdecl-') || realpathSync(dirname(path)) !== folder)
          return disk.mkdir(path, mode)
        refused += 1
        throw Object.assign(new Error('made to fail'), { code: 'EACCES' })
      }) as Disk['mkdir']
      await extract({ overwrite: true }, testWorld({ disk: { ...disk, mkdir: mkdirUnlessBeside } }))
      expect(refused).toBe(1)
      expect(await paths(target)).toEqual(TREE)
    })
  })

  it('creates a missing directory', async () => {
    await inPlace(ENTRIES, async ({ target, extract }) => {
      await extract({ overwrite: true })
      expect(await paths(target)).toEqual(TREE)
    })
  })

  it('replaces a link in the place of a file, and never what it leads to', async () => {
    await inPlace(ENTRIES, async ({ folder, target, extract }) => {
      await mkdir(target)
      await writeFile(join(folder, 'outside'), 'mine')
      await symlink('../outside', join(target, 'a.xml'))
      await extract({ overwrite: true })
      expect(await readFile(join(folder, 'outside'), 'utf8')).toBe('mine')
      expect((await lstat(join(target, 'a.xml'))).isFile()).toBe(true)
      expect(await readFile(join(target, 'a.xml'), 'utf8')).toBe('<a/>')
    })
  })

  posixTest.each<[string, (target: string, folder: string) => Promise<unknown>, string]>([
    [
      'a link in the place of a directory',
      (target, folder) => symlink(folder, join(target, 'sub')),
      'a file or a link is in the way of a directory',
    ],
    [
      'a file in the place of a directory',
      (target) => writeFile(join(target, 'sub'), 'mine'),
      'a file or a link is in the way of a directory',
    ],
    [
      'a file in the place of an empty directory',
      (target) => writeFile(join(target, 'empty'), 'mine'),
      'a file or a link is in the way of a directory',
    ],
    [
      'a directory in the place of a file',
      (target) => mkdir(join(target, 'sub/b.xml'), { recursive: true }),
      'a directory is in the way of a file',
    ],
  ])('refuses %s before anything is changed', async (_title, make, words) => {
    await inPlace(ENTRIES, async ({ folder, target, extract }) => {
      await mkdir(target)
      await writeFile(join(target, 'a.xml'), 'old')
      await make(target, folder)
      const before = await snapshot(folder === target ? folder : target)
      await expect(extract({ overwrite: true })).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringContaining(words),
      })
      expect(await snapshot(target)).toEqual(before)
      expect((await readdir(folder)).toSorted()).toEqual(['a.zip', 'out'])
    })
  })
})

describe('extractArchive when it is stopped', () => {
  it.each([
    ['in this thread', ENTRIES],
    ['on worker threads', manyEntries()],
  ])('leaves nothing, %s', async (_title, entries) => {
    for (const overwrite of [false, true]) {
      await inPlace(entries, async ({ folder, target, extract }) => {
        if (overwrite) await mkdir(target)
        const world = testWorld()
        const reason = new Error('stopped')
        const before = await snapshot(folder)
        await expect(
          extract({ overwrite, reporter: { ...SILENT, progress: () => world.stop(reason) } }, world),
        ).rejects.toBe(reason)
        expect(await snapshot(folder)).toEqual(before)
      })
    }
  })

  it('removes the directories that it made above the target', async () => {
    await inPlace(ENTRIES, async ({ folder, archive }) => {
      const world = testWorld({ cwd: folder })
      const reporter = { ...SILENT, progress: () => world.stop(new Error('stopped')) }
      await expect(extractArchive(world, archive, 'x/y/out', { ...PLAIN, reporter })).rejects.toThrow(
        'stopped',
      )
      expect(await readdir(folder)).toEqual(['a.zip'])
    })
  })
})

const NAMES = ['a.xml', '.b.xml', 'd/c.xml', 'd/e/f.txt', 'd/', 'dd/g.XML']

const selected = (include: readonly string[], exclude: readonly string[] = []): string[] => {
  const whyLeftOut = createSelector({ include, exclude })
  return NAMES.filter((name) => whyLeftOut({ name, isDirectory: name.endsWith('/') }) === undefined)
}

describe('createSelector', () => {
  test.each([
    [[], [], NAMES],
    [['*.xml'], [], ['a.xml', '.b.xml', 'd/c.xml']],
    [['d/*'], [], ['d/c.xml']],
    [['d/**'], [], ['d/c.xml', 'd/e/f.txt', 'd/']],
    [['d/'], [], ['d/c.xml', 'd/e/f.txt', 'd/']],
    [['/d/c.xml', './a.xml', './c.xml'], [], ['a.xml', 'd/c.xml']],
    [['*.{txt,XML}'], [], ['d/e/f.txt', 'dd/g.XML']],
    [['*.xml', '*.txt'], ['d/**'], ['a.xml', '.b.xml']],
    [[], ['*'], []],
  ])('include %j, exclude %j selects %j', (include, exclude, names) => {
    expect(selected(include, exclude)).toEqual(names)
  })

  test('compares names in one Unicode form', () => {
    const whyLeftOut = createSelector({ include: ['Erklärung*'.normalize('NFC')], exclude: [] })
    for (const form of ['NFC', 'NFD'])
      expect(whyLeftOut({ name: 'Erklärung.xml'.normalize(form), isDirectory: false })).toBeUndefined()
    expect(selected(['d/*'.normalize('NFD')])).toEqual(['d/c.xml'])
  })

  test.each([
    ['include', ' ', /^an include glob is blank$/],
    ['exclude', '', /^an exclude glob is blank$/],
    ['exclude', '*'.repeat(10_001), /longer than 10,000 characters/],
  ])('an %s glob that cannot be used is a usage error', (option, glob, message) => {
    const selection = { include: [], exclude: [], [option]: [glob] }
    expect(() => createSelector(selection)).toThrowError(
      expect.objectContaining({
        kind: 'usage',
        message: expect.stringMatching(message),
        details: expect.objectContaining({ options: [option] }),
      }),
    )
  })
})
