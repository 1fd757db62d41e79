import { spawnSync } from 'node:child_process'
import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  checkJobDirectory,
  findUnfinishedJob,
  type JobSearch,
  jobDirectory,
  jobName,
  removeJobDirectory,
} from '../../src/download/job.ts'
import { lockPath } from '../../src/fs/lock.ts'
import { type Answer, checkedLine } from '../../src/library/answers.ts'
import { testWorld, withFolder } from '../support/world.ts'

const SEARCH = { baseUrl: 'https://a.example', api: 'v2', format: '1752A', supplier: '123456789' } as const
const JOB: JobSearch = { search: SEARCH, hasParts: true, start: undefined }
const NAME = jobName(JOB)

describe('the path of a job directory', () => {
  test('is beside the output', () => expect(jobDirectory('/a/out.zip')).toBe('/a/out.zip.parts'))

  test('a name without room for it is a mistake', () => {
    expect(() => jobDirectory(`/a/${'x'.repeat(250)}`)).toThrow(expect.objectContaining({ kind: 'usage' }))
  })
})

describe('the name of a job in it', () => {
  test('is that of the search, whatever the order of its criteria and whatever is not given', () => {
    const { supplier, ...rest } = SEARCH
    expect(NAME).toMatch(/^[0-9a-f]{16}$/)
    expect(jobName({ ...JOB, search: { supplier, formatClass: undefined, query: [], ...rest } })).toBe(NAME)
  })

  test.each<[string, JobSearch]>([
    ['supplier', { ...JOB, search: { ...SEARCH, supplier: '1' } }],
    ['format', { ...JOB, search: { ...SEARCH, format: '1752B' } }],
    ['class', { ...JOB, search: { ...SEARCH, formatClass: 'D' } }],
    ['parameter', { ...JOB, search: { ...SEARCH, query: [['x', '1']] } }],
    ['service', { ...JOB, search: { ...SEARCH, baseUrl: 'https://b.example' } }],
    ['API', { ...JOB, search: { ...SEARCH, api: 'v1' } }],
    ['start date', { ...JOB, start: '2026-01-02' }],
    ['period', { ...JOB, start: '7d' }],
    ['kind: everything', { ...JOB, hasParts: false }],
  ])('is another one for another %s', (_, other) => expect(jobName(other)).not.toBe(NAME))
})

describe('a job directory', () => {
  test.each([
    ['nothing', async () => undefined],
    ['an empty directory', (path: string) => mkdir(path)],
    ['a directory of jobs', (path: string) => mkdir(join(path, NAME), { recursive: true })],
  ])('may be %s', (_, prepare) =>
    withFolder(async (folder) => {
      const path = join(folder, 'out.zip.parts')
      await prepare(path)
      await expect(checkJobDirectory(testWorld(), path)).resolves.toBeUndefined()
    }),
  )

  test.each<[string, (path: string, aside: string) => Promise<unknown>, RegExp]>([
    [
      'a link',
      (path, aside) => mkdir(aside).then(() => symlink(aside, path)),
      /cannot be the job directory: it is a symbolic link$/,
    ],
    ['a file', (path) => writeFile(path, 'x'), /it is not a directory$/],
    [
      'a directory of other things',
      (path) => mkdir(path).then(() => writeFile(join(path, 'photo.jpg'), '')),
      /it is not a job directory$/,
    ],
    [
      'a directory of jobs and other things',
      (path) => mkdir(join(path, NAME), { recursive: true }).then(() => writeFile(join(path, 'x'), '')),
      /it is not a job directory$/,
    ],
  ])('is refused and not changed when it is %s', (_, prepare, why) =>
    withFolder(async (folder) => {
      const path = join(folder, 'out.zip.parts')
      await prepare(path, join(folder, 'aside'))
      const before = await readdir(folder, { recursive: true })
      await expect(checkJobDirectory(testWorld(), path)).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringMatching(why),
        details: { file: path },
      })
      expect(await readdir(folder, { recursive: true })).toEqual(before)
    }),
  )

  test('of another user is refused, as root too', () =>
    withFolder(async (folder) => {
      const { host } = testWorld()
      const world = testWorld({ host: { ...host, uid: (host.uid ?? 0) + 1 } })
      const path = join(folder, 'out.zip.parts')
      await mkdir(path)
      await expect(checkJobDirectory(world, path)).rejects.toMatchObject({
        kind: 'io',
        message: expect.stringMatching(/belongs to another user$/),
      })
    }))

  test('is removed when no search has a job in it', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'out.zip.parts')
      await mkdir(join(path, NAME), { recursive: true })
      await removeJobDirectory(testWorld().disk, path)
      expect(await readdir(path)).toEqual([NAME])
      await mkdir(join(folder, 'x.zip.parts'))
      await removeJobDirectory(testWorld().disk, join(folder, 'x.zip.parts'))
      await removeJobDirectory(testWorld().disk, join(folder, 'gone.parts'))
      expect(await readdir(folder)).toEqual(['out.zip.parts'])
    }))
})

/** A record of an answer for these parts. */
const answerFor = (...parts: string[]): Answer => ({
  id: parts.join(),
  run: 'run',
  search: SEARCH,
  parts,
  listed: true,
  at: 0,
  status: 204,
  attempts: 1,
  seconds: 0,
  bytes: 0,
  found: [],
  others: 0,
  entries: [],
  tool: 'test',
})

/** The job of a search that a run has left, with these answers. */
async function leaveJob(folder: string, output: string, answers: readonly Answer[], at = 0): Promise<void> {
  const own = join(folder, `${output}.parts`, NAME, '.matdecl')
  await mkdir(join(own, 'incoming'), { recursive: true })
  const records = join(own, 'answers.jsonl')
  await writeFile(records, answers.map((answer) => checkedLine({ v: 1, ...answer })).join(''))
  await utimes(records, at, at)
}

describe('an unfinished job', () => {
  const all = (): boolean => true

  test('is found by its search, whatever the name of the output; the latest first', () =>
    withFolder(async (folder) => {
      await leaveJob(folder, 'a.zip', [answerFor('A')], 1_000)
      await leaveJob(folder, 'b.zip', [answerFor('B')], 3_000)
      await leaveJob(folder, 'c.zip', [answerFor('C')], 2_000)
      await mkdir(join(folder, 'd.zip.parts'))
      await writeFile(join(folder, 'e.zip.parts'), 'x')
      await symlink(join(folder, 'gone'), join(folder, 'f.zip.parts'))
      const find = (name: string, isUseful: (answers: readonly Answer[]) => boolean) =>
        findUnfinishedJob(testWorld(), folder, name, isUseful)
      expect(await find(NAME, all)).toBe(join(folder, 'b.zip'))
      expect(await find(NAME, (answers) => answers[0]?.parts[0] === 'A')).toBe(join(folder, 'a.zip'))
      expect(await find(NAME, () => false)).toBeUndefined()
      expect(await find(jobName({ ...JOB, start: '7d' }), all)).toBeUndefined()
      expect(await findUnfinishedJob(testWorld(), join(folder, 'none'), NAME, all)).toBeUndefined()
    }))

  test('of another user is not taken', () =>
    withFolder(async (folder) => {
      await leaveJob(folder, 'a.zip', [answerFor('A')])
      const { host } = testWorld()
      const world = testWorld({ host: { ...host, uid: (host.uid ?? 0) + 1 } })
      expect(await findUnfinishedJob(world, folder, NAME, all)).toBeUndefined()
    }))

  test('that a killed run left empty is removed with its lock; those with records, of a running process, or without a lock are not', () =>
    withFolder(async (folder) => {
      const gone = spawnSync(process.execPath, ['-e', '']).pid
      const leave = async (output: string, pid: number | undefined, file?: string): Promise<void> => {
        const own = join(folder, `${output}.parts`, jobName({ ...JOB, start: '7d' }), '.matdecl')
        await mkdir(join(own, 'incoming'), { recursive: true })
        if (file !== undefined) await writeFile(join(own, file), '')
        if (pid === undefined) return
        const owner = { pid, host: 'test-host', startedAt: '2026-03-04T05:06:07.000Z', run: 'earlier' }
        await writeFile(lockPath(join(folder, output)), JSON.stringify(owner))
      }
      await leave('killed.zip', gone)
      await leave('running.zip', process.ppid)
      await leave('stopped.zip', gone, 'answers.jsonl')
      await leave('of-the-user', undefined)
      await writeFile(join(folder, 'file.parts'), '')
      expect(await findUnfinishedJob(testWorld(), folder, NAME, all)).toBeUndefined()
      expect((await readdir(folder)).toSorted()).toEqual(
        [
          '.running.zip.lock',
          'file.parts',
          'of-the-user.parts',
          'running.zip.parts',
          'stopped.zip.parts',
        ].toSorted(),
      )
      const [stopped] = await readdir(join(folder, 'stopped.zip.parts'))
      expect(await readdir(join(folder, 'stopped.zip.parts', stopped!, '.matdecl'))).toEqual([
        'answers.jsonl',
      ])
    }))
})
