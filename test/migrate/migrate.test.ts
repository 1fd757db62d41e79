import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { type MigrateOptions, migrateRequest } from '../../src/migrate/migrate.ts'
import { testWorld, withFolder } from '../support/world.ts'

const KEY = 'k3y-that-must-not-show'
const REQUEST = JSON.stringify({ apikey: KEY, format: 'XML', supplier: '123456789' })

/** The failure of a migration, checked not to contain the key. */
async function failureOf(run: Promise<unknown>): Promise<Failure> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Failure)) throw new Error('it did not fail')
  const texts = [error.message, error.hint, error.stack, String(error.cause), JSON.stringify(error.details)]
  expect(texts.join('\n')).not.toContain(KEY)
  return error
}

describe('migrateRequest', () => {
  it('reads a file or standard input', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'old.json'), `\ufeff${REQUEST}\r\n`)
      const world = testWorld({ cwd: folder, stdinText: REQUEST })
      const inputs: readonly MigrateOptions[] = [{ file: 'old.json' }, { file: '-' }]
      for (const input of inputs) {
        const { downloads } = await migrateRequest(world, input)
        expect(downloads.map(({ criteria }) => criteria)).toMatchObject([
          { format: '1752A', supplier: '123456789' },
        ])
      }
      const piped = await migrateRequest(testWorld({ cwd: folder, stdinText: REQUEST }), {
        standard: '1752B',
      })
      expect(piped.downloads[0]?.criteria.format).toBe('1752B')
      expect(await readdir(folder)).toEqual(['old.json'])
    })
  })

  it('warns about a key that others can read', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'old.json')
      await writeFile(path, REQUEST)
      await chmod(path, 0o644)
      const open = await migrateRequest(testWorld({ cwd: folder }), { file: 'old.json' })
      expect(open.warnings[0]?.message).toMatch(/^old\.json contains an API key that others.*chmod 600/)
      await chmod(path, 0o600)
      const closed = await migrateRequest(testWorld({ cwd: folder }), { file: 'old.json' })
      expect(JSON.stringify(closed.warnings)).not.toContain('chmod')
    })
  })

  it('does not wait for input on a terminal', async () => {
    const world = testWorld()
    Object.assign(world.stdin, { isTTY: true })
    expect(await failureOf(migrateRequest(world, {}))).toMatchObject({
      kind: 'usage',
      message: 'no request given',
    })
  })

  it.each([
    ['nowhere.json', 'usage', 'nowhere.json does not exist'],
    ['folder', 'usage', 'folder is a directory'],
    ['latin.json', 'usage', 'latin.json is not UTF-8 text'],
    ['large.json', 'usage', 'large.json is larger than 16 MiB'],
    ['empty.json', 'usage', 'empty.json is empty'],
    ['odd.json', 'usage', 'odd.json is not valid JSON: invalid symbol in line 1, column 12'],
  ])('reports the problem with %s', async (file, kind, message) => {
    await withFolder(async (folder) => {
      await mkdir(join(folder, 'folder'))
      await writeFile(join(folder, 'latin.json'), Buffer.from(`{"apikey": "${KEY}\xe9"}`, 'latin1'))
      await writeFile(join(folder, 'large.json'), Buffer.alloc((16 << 20) + 1, 0x20))
      await writeFile(join(folder, 'empty.json'), '')
      await writeFile(join(folder, 'odd.json'), `{"apikey": ${KEY}}`)
      const failure = await failureOf(migrateRequest(testWorld({ cwd: folder }), { file }))
      expect([failure.kind, failure.message]).toEqual([kind, message])
    })
  })

  it('reports a disk failure as io', async () => {
    const world = testWorld({ stdinText: '' })
    const disk = {
      ...world.disk,
      stat: () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })),
    }
    const failure = await failureOf(migrateRequest({ ...world, disk }, { file: 'old.json' }))
    expect([failure.kind, failure.message]).toEqual([
      'io',
      'old.json cannot be read: permission denied (EACCES)',
    ])
  })

  it('fails with all reasons if there is no v2 equivalent', async () => {
    const blank = testWorld({ stdinText: JSON.stringify({ apikey: KEY, format: 'XML' }) })
    expect(await failureOf(migrateRequest(blank, {}))).toMatchObject({
      kind: 'usage',
      exitCode: 2,
      message: 'supplier and partNumbers are both blank, which v2 does not allow',
    })
    const worse = testWorld({ stdinText: JSON.stringify({ apikey: KEY, format: 'PDF', startdate: 'x' }) })
    const failure = await failureOf(migrateRequest(worse, {}))
    expect(failure.message).toBe('3 problems in the request')
    expect(failure.details.problems).toHaveLength(3)
  })
})
