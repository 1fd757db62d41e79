import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { cli } from '../support/cli.ts'
import { needs } from '../support/programs.ts'
import { nginxConfig, startRealServer } from '../support/real-server.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const SIZES = { small: 300, medium: 140_000, large: 3_000_000 } as const
const ARCHIVES = new Map(
  Object.entries(SIZES).map(([name, bytes]) => [
    name,
    zip([{ name: `${name}.xml`, data: Buffer.alloc(bytes, `<${name}>`), method: 0 }]),
  ]),
)
/** What happens to the first request of a part; later ones are answered. */
const FATES = { right: 1, slow: 1, refused: 2, cut: 2 } as const
type Fate = keyof typeof FATES

interface Style {
  readonly isChunked?: boolean
  readonly closes?: boolean
  readonly resumes?: boolean
  readonly continues?: boolean
  readonly compresses?: boolean
  /** Where the archives are, in place of the origin itself. */
  readonly store?: string
}

interface Origin extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** How many requests for a part came. */
  readonly count: (part: string) => number
}

/** A service whose parts are named by the fate of their first request and the size of their archive: `cut-medium`. */
async function startOrigin(style: Style = {}): Promise<Origin> {
  const counts = new Map<string, number>()
  const server = createServer({ keepAliveTimeout: 20_000 }, (request, response) => {
    const part = /partNumbers(?:\[\]|%5B%5D)=([a-z-]+)/.exec(request.url ?? '')?.[1] ?? ''
    const number = (counts.get(part) ?? 0) + 1
    counts.set(part, number)
    const [fate, size] = part.split('-') as [Fate, string]
    void answer(request, response, number === 1 ? fate : 'right', ARCHIVES.get(size)!, style)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    count: (part) => counts.get(part) ?? 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  fate: Fate,
  archive: Buffer,
  { isChunked, closes, resumes, continues, compresses, store }: Style,
): Promise<void> {
  if (closes === true) response.shouldKeepAlive = false
  if (continues === true) response.writeContinue()
  if (store !== undefined) {
    response.writeHead(302, { Location: `${store}${request.url}` }).end()
    return
  }
  if (fate === 'refused') {
    response.writeHead(503, { 'Content-Type': 'application/json' }).end('{"message":"busy"}')
    return
  }
  const from = resumes === true ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0
  const body = compresses === true ? gzipSync(archive) : archive.subarray(from)
  if (fate === 'slow') await wait(100)
  response.writeHead(from > 0 ? 206 : 200, {
    'Content-Type': 'application/zip',
    ...(isChunked === true ? {} : { 'Content-Length': body.length }),
    ...(compresses === true ? { 'Content-Encoding': 'gzip' } : {}),
    ...(resumes === true ? { ETag: '"a"', 'Accept-Ranges': 'bytes' } : {}),
    ...(from > 0 ? { 'Content-Range': `bytes ${from}-${archive.length - 1}/${archive.length}` } : {}),
  })
  if (fate === 'cut') {
    response.write(body.subarray(0, body.length / 2), () => setTimeout(() => response.destroy(), 20))
    return
  }
  const pieces = fate === 'slow' ? 5 : 1
  for (let piece = 0; piece < pieces; piece += 1) {
    response.write(body.subarray((body.length * piece) / pieces, (body.length * (piece + 1)) / pieces))
    if (fate === 'slow') await wait(20)
  }
  response.end()
}

interface Row {
  readonly name: string
  readonly programs?: readonly string[]
  readonly style?: Style
  /** The servers in front of the origin, the outermost last; the tool talks to that. */
  readonly front?: (folder: string, origin: Origin) => Promise<AsyncDisposable & { readonly port: number }>
}

const nginx =
  (rules: string, http = '') =>
  (folder: string, origin: { readonly port: number }) =>
    startRealServer({
      name: 'nginx',
      folder,
      config: (port) =>
        nginxConfig(
          folder,
          `${http} upstream origin { server 127.0.0.1:${origin.port}; keepalive 4; }
           server { listen 127.0.0.1:${port}; location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; ${rules} } }`,
        ),
    })

const haproxy = (rules: string) => (folder: string, origin: Origin) =>
  startRealServer({
    name: 'haproxy',
    folder,
    config: (port) => `
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  ${rules}
listen all
  bind 127.0.0.1:${port}
  server origin 127.0.0.1:${origin.port}
`,
  })

const apache = (rules: string) => (folder: string, origin: Origin) =>
  startRealServer({
    name: 'apache2',
    folder,
    config: (port) => `
ServerRoot ${folder}
ServerName 127.0.0.1
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
${rules}
ProxyPass / http://127.0.0.1:${origin.port}/
`,
  })

const squid = (folder: string, origin: Origin) =>
  startRealServer({
    name: 'squid',
    folder,
    config: (port) => `
http_port 127.0.0.1:${port} accel defaultsite=127.0.0.1
cache_peer 127.0.0.1 parent ${origin.port} 0 no-query originserver no-digest
http_access allow all
cache deny all
cache_log /dev/null
access_log none
pid_filename none
pinger_enable off
coredump_dir /
shutdown_lifetime 0 seconds
`,
  })

// Relays the status, the length and the bytes of the origin, and ends where it ends.
const gunicorn = (folder: string, origin: Origin) =>
  startRealServer({
    name: 'gunicorn',
    folder,
    config: () => `
import http.client
def application(environ, start_response):
    origin = http.client.HTTPConnection('127.0.0.1', ${origin.port})
    origin.request('GET', environ['RAW_URI'])
    response = origin.getresponse()
    headers = [(name, value) for name, value in response.getheaders() if name.lower() in ('content-type', 'content-length')]
    start_response('%d %s' % (response.status, response.reason), headers)
    def body():
        while True:
            piece = response.read1(16384)
            if not piece:
                return
            yield piece
    return body()
`,
  })

const php = (folder: string, origin: Origin) =>
  startRealServer({
    name: 'php',
    folder,
    config: () => `<?php
$context = stream_context_create(['http' => ['ignore_errors' => true, 'protocol_version' => 1.1, 'header' => 'Connection: close']]);
$origin = fopen('http://127.0.0.1:${origin.port}' . $_SERVER['REQUEST_URI'], 'rb', false, $context);
foreach ($http_response_header as $line) {
  if (preg_match('#^(HTTP/|Content-(Type|Length):)#i', $line)) header($line);
}
while (!feof($origin)) { echo fread($origin, 8192); flush(); }
`,
  })

const ROWS: readonly Row[] = [
  { name: 'Node' },
  { name: 'Node, in chunks', style: { isChunked: true } },
  { name: 'Node, closing each connection', style: { closes: true } },
  { name: 'Node, in chunks, closing each connection', style: { isChunked: true, closes: true } },
  { name: 'Node, which resumes', style: { resumes: true } },
  { name: 'Node, with a 100 (Continue)', style: { continues: true } },
  { name: 'Node, compressing', style: { compresses: true } },
  { name: 'nginx', programs: ['nginx'], front: nginx('') },
  { name: 'nginx, unbuffered', programs: ['nginx'], front: nginx('proxy_buffering off;') },
  { name: 'nginx, one request a connection', programs: ['nginx'], front: nginx('', 'keepalive_requests 1;') },
  {
    name: 'nginx, compressing',
    programs: ['nginx'],
    front: nginx(
      'gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1; proxy_set_header Accept-Encoding "";',
    ),
  },
  {
    name: 'nginx before a service in chunks',
    programs: ['nginx'],
    style: { isChunked: true },
    front: nginx(''),
  },
  {
    name: 'nginx before a service that resumes',
    programs: ['nginx'],
    style: { resumes: true },
    front: nginx(''),
  },
  { name: 'Apache', programs: ['apache2'], front: apache('') },
  { name: 'Apache without keep-alive', programs: ['apache2'], front: apache('KeepAlive Off') },
  { name: 'haproxy', programs: ['haproxy'], front: haproxy('') },
  { name: 'haproxy with httpclose', programs: ['haproxy'], front: haproxy('option httpclose') },
  { name: 'squid', programs: ['squid'], front: squid },
  { name: 'gunicorn', programs: ['gunicorn'], front: gunicorn },
  { name: 'PHP', programs: ['php'], front: php },
  { name: 'a service before its store', style: { store: 'the origin of its own' } },
]

describe.each(ROWS)('$name', ({ programs = [], style, front }) => {
  test.skipIf(!needs(...programs))('gives the right bytes, and gets each request once', () =>
    withFolder(async (folder) => {
      await using origin = await startOrigin(style?.store === undefined ? style : {})
      await using service = style?.store === undefined ? undefined : await startOrigin({ store: origin.url })
      await using server = await front?.(folder, origin)
      const url = service?.url ?? (server === undefined ? origin.url : `http://127.0.0.1:${server.port}`)
      for (const [fate, requests] of Object.entries(FATES)) {
        for (const [size, archive] of ARCHIVES) {
          const part = `${fate}-${size}`
          const argv = [
            'download',
            '--part',
            part,
            '--retries',
            '1',
            '--start-date',
            '2020-01-01',
            '-o',
            `${part}.zip`,
          ]
          const run = await cli([...argv, '--base-url', url], { cwd: folder })
          expect(run.code, `${part}: ${run.stderr}`).toBe(0)
          expect((await readFile(join(folder, `${part}.zip`))).equals(archive), part).toBe(true)
          expect(origin.count(part), part).toBe(requests)
          // What a store has broken off or refused is not paid for again.
          if (service !== undefined) expect(service.count(part), part).toBe(1)
        }
      }
    }),
  )
})

describe.skipIf(!needs('gunicorn', 'nginx'))('gunicorn, whose request line ends at 4,094 bytes', () => {
  test.each(['alone', 'behind nginx'])('gets a long list in shorter requests, %s', (place) =>
    withFolder(async (folder) => {
      await using origin = await startOrigin()
      await using inner = await gunicorn(folder, origin)
      await using outer = place === 'alone' ? undefined : await nginx('')(folder, inner)
      const parts = Array.from({ length: 300 }, (_, at) => ['--part', `right-small-${1000 + at}`]).flat()
      const argv = ['download', ...parts, '--start-date', '2020-01-01', '-o', 'a.zip', '--base-url']
      const run = await cli([...argv, `http://127.0.0.1:${(outer ?? inner).port}`], { cwd: folder })
      expect(run.code, run.stderr).toBe(0)
      expect(run.stderr).toMatch(/are too many for the service \(400\); sending smaller requests/)
      // 300 parts of 36 bytes in lines of up to 4,094.
      expect(origin.count('right-small-')).toBeLessThanOrEqual(6)
    }),
  )
})
