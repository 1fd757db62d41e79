import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type CliResult, cli, TOKEN } from '../../support/cli.ts'
import { failingDisk } from '../../support/failing-disk.ts'
import { obtainedIn } from '../../support/jobs.ts'
import { type TestService, testService } from '../../support/service.ts'
import { sweep } from '../../support/soak.ts'
import { testWorld, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const PARTS = ['A', 'B', 'C', 'D', 'E', 'F']
const OLD = 'the file of the last run'
const CODES = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE']

// The process that the failing run claims to be: gone when the next one looks at its lock.
let gonePid = 0

beforeAll(async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  gonePid = child.pid!
})

describe('whichever call to the disk fails', () => {
  test('no harm is done, and the same command then ends well without paying twice', {
    timeout: 300_000,
  }, async () => {
    await using service = await testService(({ target }) => ({ body: archiveOf(partsIn(target)) }))
    const { calls, whole } = await withFolder(async (folder) => {
      await writeFile(join(folder, 'out.zip'), OLD)
      const { calls: good, result } = await downloadFailing(service, folder, -1)
      expect(result).toMatchObject({ code: 0 })
      return { calls: good, whole: await readFile(join(folder, 'out.zip')) }
    })
    expect(calls.length).toBeGreaterThan(80)

    for (let index = 0; index < calls.length; index += sweep(31, 1)) {
      const what = `${calls[index]} (call ${index}) failed with ${CODES[index % CODES.length]}`
      await withFolder(async (folder) => {
        await writeFile(join(folder, 'out.zip'), OLD)
        const { result } = await downloadFailing(service, folder, index)
        const bytes = await readFile(join(folder, 'out.zip'))
        expect([0, 9], `${what}: ${result.stderr}`).toContain(result.code)
        expect(result.stderr, what).not.toContain(TOKEN)
        if (result.code === 0)
          expect(bytes.equals(whole), `${what}, and the run says that all is well`).toBe(true)
        else expect(bytes.equals(whole) || bytes.toString() === OLD, what).toBe(true)

        const isOver = result.code === 0 && !result.stderr.includes('could not be removed')
        const missing = isOver ? PARTS : await notObtained(folder)
        const before = service.requests.length
        const again = await cli(askFor(service), { cwd: folder })
        expect(again, `${what}, then ${again.stderr}`).toMatchObject({ code: 0 })
        expect(
          service.requests
            .slice(before)
            .flatMap(({ target }) => partsIn(target))
            .sort(),
          what,
        ).toEqual(missing)
        expect((await readFile(join(folder, 'out.zip'))).equals(whole), what).toBe(true)
        expect(await readdir(folder), `${what}: something is left`).toEqual(['out.zip'])
      })
    }
  })
})

async function downloadFailing(
  service: TestService,
  folder: string,
  failingIndex: number,
): Promise<{ readonly calls: readonly string[]; readonly result: CliResult }> {
  const calls: string[] = []
  const disk = failingDisk((call, _, path) => {
    if (!path.startsWith(folder)) return undefined
    calls.push(`${call} ${path.slice(folder.length + 1)}`)
    return calls.length - 1 === failingIndex ? CODES[failingIndex % CODES.length] : undefined
  })
  const { host } = testWorld()
  const result = await cli(askFor(service), { cwd: folder, disk, host: { ...host, pid: gonePid } })
  return { calls, result }
}

function askFor(service: TestService): string[] {
  const parts = PARTS.flatMap((part) => ['--part', part])
  return [
    '--base-url',
    service.url,
    ...parts,
    '--batch-size',
    '2',
    '--concurrency',
    '1',
    '-o',
    'out.zip',
    '--overwrite',
  ]
}

/** The parts that a next run has to request, by what the job directory holds. */
async function notObtained(folder: string): Promise<string[]> {
  const obtained = await obtainedIn(join(folder, 'out.zip.parts'))
  return PARTS.filter((part) => !obtained.has(part))
}

const partsIn = (target: string): string[] => new URL(target, 'http://x').searchParams.getAll('partNumbers[]')

function archiveOf(parts: readonly string[]): Buffer {
  return zip(
    parts.map((part) => ({
      name: `${part}.xml`,
      data: `<MainDeclaration><Product><ProductID itemNumber="${part}"/></Product></MainDeclaration>`,
    })),
  )
}
