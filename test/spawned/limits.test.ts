import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ended, start } from '../support/binary.ts'
import { TOKEN } from '../support/cli.ts'
import { posixDescribe } from '../support/programs.ts'
import { testService, twoRequests } from '../support/service.ts'
import { sweep } from '../support/soak.ts'
import { toolCommand } from '../support/tool-command.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const ARCHIVE = zip([{ name: 'a.xml', data: '<MainDeclaration/>' }])

/** Runs the built program under a limit of the shell: its exit code and standard error. */
function under(
  limit: string,
  argv: readonly string[],
  cwd: string,
): Promise<{ code: number; stderr: string }> {
  const { program, args } = toolCommand()
  const env = { PATH: process.env.PATH, MATDECL_TOKEN: TOKEN }
  const line = ['-c', `${limit}; exec "$@"`, 'sh', program, ...args, ...argv]
  return new Promise((resolve) => {
    execFile('sh', line, { cwd, env }, (error, _, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stderr }),
    )
  })
}

posixDescribe('a limit of the environment', () => {
  test.each(['777', '277'])(
    'of permissions, umask %s: what is written belongs to its user all the same',
    (umask) =>
      withFolder(async (folder) => {
        const argv = ['sync', '--sandbox', '--part', 'P-1', '--library', 'lib']
        const { code, stderr } = await under(`umask ${umask}`, argv, folder)
        expect(code, stderr).toBe(0)
        const library = join(folder, 'lib')
        const names = ['.', ...(await readdir(library, { recursive: true }))]
        const modes = await Promise.all(
          names.map(async (name) => (await stat(join(library, name))).mode & 0o600),
        )
        expect(new Set(modes)).toEqual(new Set([0o600]))
      }),
  )

  test.each([24, 36, 30, 40, 48, 64].slice(0, sweep(2, 6)))(
    'of %i open files: works, or ends before anything is sent',
    (files) =>
      withFolder(async (folder) => {
        await using service = await testService({ body: ARCHIVE })
        const argv = [
          '--base-url',
          service.url,
          '--part',
          'A',
          '-x',
          '-o',
          'a.zip',
          '--start-date',
          '2020-01-01',
        ]
        const { code, stderr } = await under(`ulimit -n ${files}`, argv, folder)
        if (code === 0) {
          expect(service.requests).toHaveLength(1)
          expect(await readdir(folder)).toEqual(['a', 'a.zip'])
        } else {
          // Node 22 has more files open itself.
          expect(files).toBeLessThan(36)
          expect(code, stderr).toBe(9)
          expect(stderr).toMatch(/too many open files/)
          expect(stderr).toMatch(/ulimit -n/)
          expect(stderr).not.toMatch(/internal error|bug/)
          expect(service.requests).toHaveLength(0)
          expect(await readdir(folder)).toEqual([])
        }
      }),
  )

  test.each([35, 38, 42, 45, 48, 52].slice(0, sweep(1, 6)))(
    'of %i open files lowers what is in flight, and every request is paid once',
    (files) =>
      withFolder(async (folder) => {
        await using service = await testService({ body: ARCHIVE })
        const parts = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].flatMap((part) => ['--part', part])
        const argv = ['--base-url', service.url, ...parts, '--batch-size', '1', '--concurrency', '8']
        const { code, stderr } = await under(
          `ulimit -n ${files}`,
          [...argv, '--rate', '6000', '-o', 'a.zip'],
          folder,
        )
        // None of the parts is in the archive.
        expect([0, 12], stderr).toContain(code)
        expect(service.requests).toHaveLength(8)
        expect(await readdir(folder)).toEqual(['a.zip'])
      }),
  )

  test.skipIf(process.platform !== 'linux')(
    'of the address space is not reported as a bug, and nothing is sent',
    () =>
      withFolder(async (folder) => {
        await using service = await testService({ body: ARCHIVE })
        const argv = ['--base-url', service.url, '--part', 'A', '-o', 'a.zip']
        const { code, stderr } = await under('ulimit -v 4000000', argv, folder)
        expect(code, stderr).toBe(9)
        expect(stderr).toMatch(/out of (address space|memory)/)
        expect(stderr).toMatch(/ulimit -v/)
        expect(service.all).toHaveLength(0)
        expect(await readdir(folder)).toEqual([])
      }),
  )

  test('of the size of files is named', () =>
    withFolder(async (folder) => {
      const big = zip([{ name: 'big.xml', data: Buffer.alloc(3_000_000, 'x'), method: 0 }])
      await using service = await testService({ body: big })
      const argv = ['--base-url', service.url, '--part', 'A', '-o', 'a.zip', '--retries', '0']
      const { code, stderr } = await under('ulimit -f 1000', argv, folder)
      expect(code, stderr).toBe(9)
      expect(stderr).toMatch(/too large for this file system or the limit of this process \(EFBIG\)/)
      expect(stderr).toMatch(/ulimit -f/)
      expect(await readdir(folder)).not.toContain('a.zip')
    }))
})

describe('SIGINT while the run waits', () => {
  test.each([
    ['after a refusal', { status: 429 }, /retrying in/],
    ['as the service requests', { status: 503, headers: { 'Retry-After': '200' } }, /retrying in/],
  ] as const)('%s ends it at once', async (_, reply, waiting) => {
    await withFolder(async (folder) => {
      await using service = await testService(reply)
      const argv = twoRequests(service.url, 'a.zip')
      const child = start(argv, { cwd: folder, env: { MATDECL_TOKEN: TOKEN } })
      child.stderr!.on('data', (text) => {
        if (waiting.test(String(text))) child.kill('SIGINT')
      })
      expect(await ended(child)).toMatchObject({ code: 130, stdout: '' })
    })
  })
})
