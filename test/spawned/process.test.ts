import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ended, runBinary, start } from '../support/binary.ts'
import { builtPath } from '../support/built.ts'
import { TOKEN, tree } from '../support/cli.ts'
import { idsXml } from '../support/declarations.ts'
import { needs, posixTest } from '../support/programs.ts'
import { testService } from '../support/service.ts'
import { IS_SOAK, soakTest, sweep } from '../support/soak.ts'
import { toolCommand } from '../support/tool-command.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const ARCHIVE = zip([{ name: 'a.xml', data: idsXml('A') }])
const MANY = zip(Array.from({ length: 5000 }, (_, index) => ({ name: `entry-${index}.xml`, data: 'x' })))
const execute = promisify(execFile)

/** Resolves when the reader has received all of the text. */
function taken(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()))
}

// Nearly fills a non-blocking pipe, passes it to a program and reads once it is full; prints the exit code and the bytes received.
const FULL_PIPE = `
import array, fcntl, os, subprocess, sys, termios
out, into = os.pipe()
fcntl.fcntl(into, fcntl.F_SETFL, os.O_NONBLOCK)
room = fcntl.fcntl(into, fcntl.F_GETPIPE_SZ) if hasattr(fcntl, 'F_GETPIPE_SZ') else 65536
os.write(into, b'x' * (room - 4096))
child = subprocess.Popen(sys.argv[1:], stdout=into)
os.close(into)
waiting = array.array('i', [0])
while waiting[0] < room and child.poll() is None:
    fcntl.ioctl(out, termios.FIONREAD, waiting)
got = 0
while piece := os.read(out, 65536):
    got += len(piece)
print(child.wait(), got - room + 4096, end='')
`

/** A shell line with `matdecl` for the built binary. */
function shell(line: string, cwd: string): Promise<{ stdout: string; stderr: string }> {
  const { program, args } = toolCommand()
  const matdecl = [program, ...args].map((word) => `"${word}"`).join(' ')
  return execute('sh', ['-c', `matdecl() { ${matdecl} "$@"; }\n${line}`], {
    cwd,
    env: { PATH: process.env.PATH, MATDECL_TOKEN: TOKEN },
  })
}

describe('signals', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    '%s ends the run with %i and a hint to resume, without an archive or temporary file',
    async (signal, code) => {
      await withFolder(async (folder) => {
        let isAsked = (_response: ServerResponse): void => undefined
        const asked = new Promise<ServerResponse>((resolve) => {
          isAsked = resolve
        })
        await using service = await testService(async (_, __, response) => {
          response.writeHead(200, { 'Content-Type': 'application/zip', 'Content-Length': ARCHIVE.length })
          response.write(ARCHIVE.subarray(0, 20))
          isAsked(response)
          return undefined
        })
        const child = start(['--base-url', service.url, '--part', 'A', '-o', 'out.zip'], {
          cwd: folder,
          env: { MATDECL_TOKEN: TOKEN },
        })
        const end = ended(child)
        const response = await asked
        child.kill(signal)
        // After Ctrl-C a response that has begun and cannot be continued later would be finished first.
        if (signal === 'SIGINT') response.destroy()
        const result = await end
        expect(result).toMatchObject({ code, signal: null, stdout: '' })
        expect(result.stderr).toContain(
          `stopped by ${signal === 'SIGINT' ? 'Ctrl-C' : signal}\n  hint: run the same command again`,
        )
        expect(await tree(folder)).toEqual([])
        expect(service.requests).toHaveLength(1)
      })
    },
  )

  test('waiting for standard input is interrupted too', async () => {
    await withFolder(async (folder) => {
      const child = start(['--parts-file', '-', '--log-format', 'json', '-vv'], {
        cwd: folder,
        env: { MATDECL_TOKEN: TOKEN, MATDECL_BASE_URL: 'http://127.0.0.1:1' },
      })
      const end = ended(child)
      await taken(child.stdin!, 'PART\n'.repeat(100_000))
      child.kill('SIGINT')
      expect(await end).toMatchObject({ code: 130, stdout: '' })
    })
  })

  test('SIGTERM ends a run whose output nobody reads', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'many.zip'), MANY)
      const child = start(['list', '--json', 'many.zip'], { cwd: folder })
      const end = once(child, 'exit')
      // What arrived is not read: the pipe is full.
      await once(child.stdout!, 'readable')
      child.kill('SIGTERM')
      expect(await end).toEqual([143, null])
    })
  })

  test('a second SIGINT ends the process at once', async () => {
    await withFolder(async (folder) => {
      const script = join(folder, 'deaf.mjs')
      // A run that ignores the interrupt, started by the real entry.
      await writeFile(
        script,
        `setInterval(() => {}, 1000)
        process.once('SIGINT', () => process.stdout.write('SIGINT'))
        await import(${JSON.stringify(builtPath('dist', 'main.js'))})`,
      )
      const child = spawn(process.execPath, [script, 'sandbox', '--port', '0'], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const end = ended(child)
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')])
      const received = new Promise<void>((resolve) =>
        child.stdout.on('data', (chunk) => {
          if (String(chunk).includes('SIGINT')) resolve()
        }),
      )
      child.kill('SIGINT')
      await received
      child.kill('SIGINT')
      expect((await end).code).toBe(130)
    })
  })
})

describe('a name that the resolver does not answer for', () => {
  // In a network of its own, with a name server that answers nothing, and writes down what it is asked. The resolver asks it for both
  // kinds of address, twice in ten seconds by itself.
  const NETWORK = `
echo nameserver 127.0.0.9 > resolv.conf && echo hosts: dns > nsswitch.conf
mount --bind resolv.conf /etc/resolv.conf && mount --bind nsswitch.conf /etc/nsswitch.conf && ip link set lo up
exec 3<&0
"$1" -e "process.stdin.on('end', process.exit).resume()
require('dgram').createSocket('udp4').on('message', (query) => fs.appendFileSync('queries', query.toString('hex', 0, 2) + ' '))
  .bind(53, '127.0.0.9', () => fs.writeFileSync('bound', ''))" <&3 &
until test -e bound; do sleep 0.1; done
shift
exec "$@"`

  function startThere(folder: string, ...given: readonly string[]) {
    const { program, args } = toolCommand()
    const argv = [program, ...args, '--base-url', 'https://api.example.com', ...given, '-vv']
    return spawn('unshare', ['-rmn', 'sh', '-c', NETWORK, 'sh', process.execPath, ...argv], {
      cwd: folder,
      env: { PATH: process.env.PATH, MATDECL_TOKEN: TOKEN, HOME: folder },
    })
  }

  const networkTest = test.runIf(IS_SOAK && process.platform === 'linux' && needs('unshare', 'ip'))

  networkTest.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends the process by its default action, and no request counts as sent',
    (signal) =>
      withFolder(async (folder) => {
        const child = startThere(folder, '--part', 'A')
        const isSent = new Promise<void>((resolve) => {
          child.stderr.on('data', (chunk) => String(chunk).includes('> GET') && resolve())
        })
        const end = ended(child)
        await isSent
        child.kill(signal)
        const { code, signal: endedBy, stderr } = await end
        child.stdin.end()
        expect([code, endedBy], stderr).toEqual([null, signal])
        expect(stderr).toContain('stopped by')
        expect(stderr).not.toContain('allowance')
      }),
  )

  networkTest('a run that was killed there has sent nothing, and the next one warns of no allowance', () =>
    withFolder(async (folder) => {
      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        const child = startThere(folder, '--part', 'A', '-o', 'out.zip')
        const isSent = new Promise<void>((resolve) => {
          child.stderr.on('data', (chunk) => String(chunk).includes('> GET') && resolve())
        })
        const end = ended(child)
        await isSent
        child.kill(signal)
        const { stderr } = await end
        child.stdin.end()
        expect(stderr).not.toContain('allowance')
        const left = (await tree(folder)).filter((path) => path.endsWith('.note'))
        expect(left).toHaveLength(signal === 'SIGKILL' ? 1 : 0)
      }
    }),
  )

  networkTest('--timeout ends the process by its exit code, when the one lookup of the run is over', () =>
    withFolder(async (folder) => {
      const parts = ['A', 'B', 'C', 'D'].flatMap((part) => ['--part', part])
      const limits = ['--batch-size', '1', '--connect-timeout', '1s', '--timeout', '4s']
      const child = startThere(folder, ...parts, ...limits)
      const { code, stderr } = await ended(child)
      child.stdin.end()
      expect(code, stderr).toBe(7)
      expect(stderr).toContain('error: the run took longer than 4.0 s (--timeout)')
      expect(stderr).not.toContain('allowance')
      // Of both kinds of address one question, asked each second of the limit.
      const queries = (await readFile(join(folder, 'queries'), 'utf8')).trim().split(' ')
      expect([queries.length, new Set(queries).size]).toEqual([8, 2])
    }),
  )
})

describe('a run under nohup', () => {
  posixTest('does not end with its terminal, but with the other signals', () =>
    withFolder(async (folder) => {
      const child = start(['sandbox', '--port', '0'], { cwd: folder, env: { _: '/usr/bin/nohup' } })
      await Promise.race([once(child.stdout!, 'data'), once(child.stderr!, 'data')])
      const end = ended(child)
      child.kill('SIGHUP')
      child.kill('SIGTERM')
      expect(await end).toMatchObject({ code: 143, stderr: expect.not.stringContaining('SIGHUP') })
    }),
  )
})

describe('a run that stops without a result', () => {
  // A file that is never opened, as a promise that nobody settles. It is held, so that what waits for it is not collected as garbage,
  // of which Node warns wherever a file is still open.
  const script = (name: string) => `
    import disk from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    const { open } = disk
    const held = (globalThis.held = [])
    disk.open = (path, ...rest) =>
      String(path).endsWith(${JSON.stringify(name)}) ? new Promise((resolve) => held.push(resolve)) : open(path, ...rest)
    syncBuiltinESMExports()
    await import(${JSON.stringify(builtPath('dist', 'main.js'))})`

  test.each([
    ['.note', 'a service', 1],
    ['answers.jsonl', 'a service', 0],
    ['answers.jsonl', 'the sandbox', 0],
  ])('at a %s says so, also as JSON, with %s', async (name, whom, notices) => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      await writeFile(join(folder, 'stuck.mjs'), script(name))
      const to = whom === 'the sandbox' ? ['--sandbox'] : ['--base-url', service.url]
      const args = [...to, '--part', 'A1', '-o', join(folder, 'out.zip'), '--json']
      const child = spawn(process.execPath, [join(folder, 'stuck.mjs'), ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, MATDECL_TOKEN: TOKEN },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const { code, stdout, stderr } = await ended(child)
      expect(code).toBe(1)
      const lines = stderr.trimEnd().split('\n')
      expect(lines.slice(notices)).toEqual([
        'matdecl: error: the run ended without a result',
        expect.stringMatching(/^ {2}hint: this is a bug: please report it/),
      ])
      expect(JSON.parse(stdout)).toMatchObject({
        schema: 'matdecl.download/1',
        status: 'failed',
        error: { code: 'internal', exitCode: 1, message: 'the run ended without a result' },
      })
      expect(service.requests).toEqual([])
    })
  })
})

describe('pipes', () => {
  test('a closed pipe ends the tool silently', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'many.zip'), MANY)
      const { stdout, stderr } = await shell(
        '{ matdecl list many.zip; echo $? > code; } | head -1; cat code',
        folder,
      )
      expect(stderr).toBe('')
      expect(stdout.trim().split('\n').at(-1)).toBe('0')
    })
  })

  test('piped JSON is complete, however long', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'many.zip'), MANY)
      const { stdout } = await runBinary(['list', '--json', 'many.zip'], { cwd: folder })
      expect(stdout.length).toBeGreaterThan(500_000)
      const { archives } = JSON.parse(stdout) as { archives: { entries: unknown[] }[] }
      expect(archives[0]!.entries).toHaveLength(5000)
    })
  })

  test('a full disk behind standard output is an error', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'many.zip'), MANY)
      const { stdout, stderr } = await shell('matdecl list many.zip > /dev/full; echo "$?"', folder)
      expect(stdout.trim()).toBe('9')
      expect(stderr).toContain('ENOSPC')
    })
  })

  test.each(['--version', '--help', 'completion zsh', 'list --help'].slice(0, sweep(2, 4)))(
    'matdecl %s prints the same to a file, a pipe and a stopping reader, and reports a full disk',
    async (line) => {
      await withFolder(async (folder) => {
        const { stdout } = await shell(
          `matdecl ${line} > file; matdecl ${line} | cat > pipe
           { matdecl ${line}; echo "$?" >&2; } 2> stopped | true; cat stopped
           { matdecl ${line}; echo "$?" >&2; } 2> stopped | head -1 > /dev/null; cat stopped
           matdecl ${line} > /dev/full 2> said; echo "$?"`,
          folder,
        )
        const [file, pipe, said] = await Promise.all(
          ['file', 'pipe', 'said'].map((name) => readFile(join(folder, name), 'utf8')),
        )
        expect(file).not.toBe('')
        expect(pipe).toBe(file)
        expect(stdout.trim().split(/\s+/)).toEqual(['0', '0', '9'])
        expect(said!.match(/ENOSPC/g)).toHaveLength(1)
      })
    },
  )

  test('the version as JSON names the commit of the checkout it was built in', async () => {
    await withFolder(async (folder) => {
      const { stdout } = await runBinary(['--version', '--json'], { cwd: folder })
      const root = join(import.meta.dirname, '..', '..')
      const commit = existsSync(join(root, '.git'))
        ? (await execute('git', ['rev-parse', 'HEAD'], { cwd: root })).stdout.trim()
        : null
      expect(JSON.parse(stdout)).toMatchObject({ schema: 'matdecl.version/1', commit })
    })
  })

  test.skipIf(!needs('python3'))('output waits for a full pipe', async () => {
    await withFolder(async (folder) => {
      const { program, args } = toolCommand()
      const script = join(folder, 'pipe.py')
      await writeFile(script, FULL_PIPE)
      const { stdout } = await execute('python3', [script, program, ...args, 'completion', 'zsh'])
      const whole = await runBinary(['completion', 'zsh'], { cwd: folder })
      expect(stdout).toBe(`0 ${Buffer.byteLength(whole.stdout)}`)
    })
  })

  test('closed standard streams cause no failure', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const { stdout } = await shell(
        `matdecl --base-url ${service.url} --part A -o out.zip >&- 2>&- <&-; echo "$?"; ls -A`,
        folder,
      )
      expect(stdout.trim().split('\n')).toEqual(['0', 'out.zip'])
    })
  })

  test('standard output contains only the archive', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      await shell(`matdecl --base-url ${service.url} --part A -o - > out.zip 2> err.txt`, folder)
      expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE)).toBe(true)
    })
  })
})

describe('a bare environment', () => {
  test('the token alone is sufficient', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const result = await runBinary(['--base-url', service.url, '--part', 'A', '-o', 'out.zip'], {
        cwd: folder,
        env: { MATDECL_TOKEN: TOKEN, HOME: '' },
      })
      expect(result).toMatchObject({ code: 0, stdout: 'out.zip\n' })
      expect(await tree(folder)).toEqual(['out.zip'])
    })
  })

  test('without a token the error names the missing variable', async () => {
    const result = await runBinary(['--base-url', 'https://api.example.com', '--part', 'A'], {
      env: { HOME: '' },
    })
    expect(result).toMatchObject({ code: 3, stdout: '' })
    expect(result.stderr).toContain('MATDECL_TOKEN')
  })

  test.each([
    'download --base-url http://127.0.0.1:1 --part A -o out.zip',
    'download --base-url http://127.0.0.1:1 --parts-file parts.txt',
    'list a.zip',
    'verify a.zip',
    'report a.zip',
    'migrate request.json',
  ])('a removed working directory is reported: %s', async (command) => {
    await withFolder(async (folder) => {
      const gone = join(folder, 'gone')
      await mkdir(gone)
      const { stdout, stderr } = await shell(`cd gone; rmdir ../gone; matdecl ${command}; echo "$?"`, folder)
      expect(stdout.trim().split('\n').at(-1)).toBe('9')
      expect(stderr).toContain('no longer exists')
      await rm(gone, { force: true, recursive: true })
    })
  })

  test('no child process has the token', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      await writeFile(
        join(folder, 'config.toml'),
        `token-command = ["${process.execPath}", "-e", "console.log(process.env.MATDECL_API_KEY ?? 'clean-token')"]\n`,
      )
      const result = await runBinary(
        ['--config', 'config.toml', '--base-url', service.url, '--part', 'A', '-o', 'o.zip'],
        {
          cwd: folder,
          env: { MATDECL_API_KEY: TOKEN },
        },
      )
      expect(result.code).toBe(0)
      expect(service.requests[0]!.rawHeaders).toContain('Bearer clean-token')
    })
  })
})

soakTest('with very few file descriptors it works or exits with 9', async () => {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'many.zip'), MANY)
    for (const limit of [26, 30, 34, 40]) {
      const { stdout, stderr } = await shell(
        `ulimit -n ${limit}; matdecl verify many.zip -q; echo "$?"`,
        folder,
      )
      expect(['0', '9'], stderr).toContain(stdout.trim())
      expect(stderr).not.toMatch(/^\s+at /m)
    }
  })
})
