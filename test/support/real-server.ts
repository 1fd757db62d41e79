import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../src/base/world.ts'
import { pathOf } from './programs.ts'
import { createFakeClock } from './world.ts'

/** A server program with a configuration of its own, killed when disposed. */
export interface RealServer extends AsyncDisposable {
  readonly port: number
}

interface Program {
  readonly name: 'nginx' | 'haproxy' | 'squid' | 'tinyproxy' | 'php' | 'python3' | 'apache2' | 'gunicorn'
  /** The directory of its files. */
  readonly folder: string
  readonly config: (port: number) => string
}

const ARGUMENTS: Readonly<
  Record<Program['name'], (config: string, folder: string, port: number) => readonly string[]>
> = {
  nginx: (config, folder) => ['-c', config, '-p', folder, '-e', 'stderr'],
  haproxy: (config) => ['-db', '-f', config],
  squid: (config) => ['-N', '-f', config],
  tinyproxy: (config) => ['-d', '-c', config],
  apache2: (config) => ['-X', '-f', config],
  // The configuration is a Python module with an application.
  gunicorn: (_, folder, port) => [
    '--bind',
    `127.0.0.1:${port}`,
    '--pythonpath',
    folder,
    'gunicorn_conf:application',
  ],
  // Both serve the directory; the configuration of PHP is a script that gets every request.
  php: (config, _, port) => ['-S', `127.0.0.1:${port}`, config],
  python3: (_, folder, port) => ['-m', 'http.server', String(port), '--bind', '127.0.0.1', '-d', folder],
}

/** Starts a program in the foreground; resolves when its port accepts connections. */
export async function startRealServer({ name, folder, config }: Program): Promise<RealServer> {
  const port = await freePort()
  const path = join(folder, name === 'gunicorn' ? 'gunicorn_conf.py' : `${name}.conf`)
  await writeFile(path, config(port))
  const child = spawn(pathOf(name)!, ARGUMENTS[name](path, folder, port), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (text) => (said += text))
  child.stderr.on('data', (text) => (said += text))
  child.on('error', (error) => (said += error.message))
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`)
    await wait(20)
  }
  return { port, [Symbol.asyncDispose]: () => end(child) }
}

/** A configuration of nginx: one process, its files in the directory, `server` in an `http` block. */
export function nginxConfig(folder: string, http: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  return `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
http { access_log off; ${temporary.join(' ')} ${http} }
`
}

/** A clock that is `times` faster than real time. */
export function fastClock(times: number): Clock {
  const { every } = createFakeClock()
  const startMs = Date.now()
  const monotonicMs = (): number => performance.now() * times
  return {
    monotonicMs,
    nowMs: () => startMs + monotonicMs(),
    every,
    sleep: (ms, signal) => wait(ms / times, undefined, { signal }),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true) ?? socket.destroy())
    socket.once('error', () => resolve(false))
  })
}
