import { spawnSync } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { draftBeside } from '../../src/fs/draft-path.ts'
import { testWorld, withFolder } from '../support/world.ts'

test('a draft has a hidden name beside its file, the same throughout a process', () =>
  withFolder(async (folder) => {
    const world = testWorld()
    const path = await draftBeside(world, join(folder, 'r.csv'))
    expect(path.startsWith(join(folder, `.r.csv.${world.host.pid}.`))).toBe(true)
    expect(await draftBeside(world, join(folder, 'r.csv'))).toBe(path)
  }))

test('drafts of killed runs are removed; those that may be in use or belong to another file stay', () =>
  withFolder(async (folder) => {
    const world = testWorld()
    const ours = basename(await draftBeside(world, join(folder, 'r.csv')))
    const gone = ours.replace(String(world.host.pid), String(spawnSync(process.execPath, ['-e', '']).pid))
    const stay = [
      ours,
      ours.replace(String(world.host.pid), String(process.ppid)),
      gone.replace(/[0-9a-f]{8}\.draft$/, '00000000.draft'),
      gone.replace('.r.csv.', '.s.csv.'),
      '.r.csv.draft',
      'r.csv',
    ]
    for (const name of [gone, ...stay]) await writeFile(join(folder, name), '')
    await draftBeside(world, join(folder, 'r.csv'))
    expect((await readdir(folder)).toSorted()).toEqual(stay.toSorted())
  }))
