import { spawn } from 'node:child_process'
import { mkdir, readdir, watch, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, deflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { ended, start } from '../support/binary.ts'
import { builtPath } from '../support/built.ts'
import { posixDescribe } from '../support/programs.ts'
import { withFolder } from '../support/world.ts'
import { type ZipEntry, zip } from '../support/zip.ts'

const MIB = 1024 ** 2

/** An entry that takes seconds to extract: a gibibyte of zeros, with a wrong CRC-32. */
function slowEntry(): ZipEntry {
  const segment = deflateRawSync(Buffer.alloc(MIB), { finishFlush: constants.Z_FULL_FLUSH })
  const packed = Buffer.concat([...Array<Buffer>(1_024).fill(segment), deflateRawSync(Buffer.alloc(0))])
  return {
    name: 'slow.xml',
    data: '',
    method: 8,
    packed,
    central: { bytes: 1_024 * MIB },
    local: { bytes: 1_024 * MIB },
  }
}

function manyFiles(): ZipEntry[] {
  return Array.from({ length: 500 }, (_, index) => ({
    name: `d-${index % 7}/part-${index}.xml`,
    data: 'x'.repeat(100),
  }))
}

posixDescribe('matdecl extract', () => {
  it.each<[string, NodeJS.Signals, number, string[]]>([
    ['Ctrl-C', 'SIGINT', 130, []],
    ['Ctrl-C, into an existing directory', 'SIGINT', 130, ['--overwrite']],
    ['SIGTERM', 'SIGTERM', 143, []],
    ['SIGHUP', 'SIGHUP', 129, []],
  ])(
    'leaves nothing behind after %s',
    async (_title, signal, code, options) => {
      await withFolder(async (folder) => {
        await writeFile(join(folder, 'a.zip'), zip([...manyFiles(), slowEntry()]))
        if (options.length > 0) await mkdir(join(folder, 'out'))
        const before = (await readdir(folder)).toSorted()
        const isChanged = watch(folder)[Symbol.asyncIterator]().next()
        const child = start(['extract', 'a.zip', 'out', '--max-ratio', '5000', ...options], { cwd: folder })
        child.stdin!.end()
        const end = ended(child)
        await isChanged
        child.kill(signal)
        const { code: exitCode, signal: diedBy, stdout } = await end
        expect(diedBy === signal || exitCode === code, `${exitCode} ${diedBy}`).toBe(true)
        expect(stdout).toBe('')
        expect((await readdir(folder)).toSorted()).toEqual(before)
        if (options.length > 0) expect(await readdir(join(folder, 'out'))).toEqual([])
      })
    },
    40_000,
  )

  it('exits with 9 and leaves nothing when a worker thread exceeds the file size limit', async () => {
    await withFolder(async (folder) => {
      await writeFile(
        join(folder, 'a.zip'),
        zip([...manyFiles(), { name: 'large', data: Buffer.alloc(MIB, 'abcde') }]),
      )
      const command = `ulimit -f 200; exec "$0" "$@"`
      const child = spawn(
        'sh',
        ['-c', command, process.execPath, builtPath('bin', 'matdecl.js'), 'extract', 'a.zip', 'out'],
        {
          cwd: folder,
          env: { PATH: process.env.PATH },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
      const { code, stdout, stderr } = await ended(child)
      expect(code, stderr).toBe(9)
      expect(stderr).toContain('EFBIG')
      expect(stdout).toBe('')
      expect(await readdir(folder)).toEqual(['a.zip'])
    })
  })
})
