import { chmod, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli } from '../support/cli.ts'
import { idsXml } from '../support/declarations.ts'
import { needs } from '../support/programs.ts'
import { fastClock, nginxConfig, startRealServer } from '../support/real-server.ts'
import { type TestService, testService } from '../support/service.ts'
import { createAuthority, createCertificate } from '../support/tls.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const ARCHIVE = zip([{ name: 'a.xml', data: idsXml('A', 'B', 'P-0') }])
const TIMES_FASTER = 20
const PARTS = Array.from({ length: 21 }, (_, index) => ['--part', `P-${index}`]).flat()
const ASK = ['--retries', '1', '--start-date', '2020-01-01', '-o', 'a.zip', '--base-url']

/** 21 requests through a limit of 10 a minute; the minute takes three seconds. Returns how many the limit refused. */
async function downloadAll(folder: string, port: number, service: TestService): Promise<number> {
  const argv = ['download', ...PARTS, '--batch-size', '1', ...ASK, `http://127.0.0.1:${port}`]
  const run = await cli(argv, { cwd: folder, clock: fastClock(TIMES_FASTER) })
  expect(run.code, run.stderr).toBe(0)
  expect(service.requests).toHaveLength(21)
  expect(await readdir(folder)).toContain('a.zip')
  const again = run.stderr.match(/retrying in/g) ?? []
  return again.length
}

describe.skipIf(!needs('nginx'))('nginx', () => {
  test.each([429, 503])('with limit_req is waited out (%i)', (status) =>
    withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const limit = `limit_req_zone $server_name zone=all:1m rate=${10 * TIMES_FASTER}r/m;`
      const server = (port: number): string =>
        `server { listen 127.0.0.1:${port}; location /v2/download { limit_req zone=all; limit_req_status ${status}; proxy_pass ${service.url}; } }`
      const config = (port: number): string => nginxConfig(folder, `${limit} ${server(port)}`)
      await using nginx = await startRealServer({ name: 'nginx', folder, config })
      // A busy machine may add a few: the simulations of test/http/rate-control.test.ts hold the exact number.
      expect(await downloadAll(folder, nginx.port, service)).toBeLessThanOrEqual(10)
    }),
  )

  test('that requires a client certificate, or gets a wrong one, gets no further request', () =>
    withFolder(async (folder) => {
      const [authority, other] = [await createAuthority('test'), await createAuthority('other')]
      const own = await createCertificate({ authority })
      const foreign = await createCertificate({ authority: other, names: ['client'] })
      const files = {
        'ca.pem': authority.cert,
        'own.pem': own.cert + own.key,
        'foreign.pem': foreign.cert + foreign.key,
      }
      for (const [name, text] of Object.entries(files))
        await writeFile(join(folder, name), text, { mode: 0o600 })
      const config = (port: number): string =>
        nginxConfig(
          folder,
          `server { listen 127.0.0.1:${port} ssl; ssl_certificate ${folder}/own.pem; ssl_certificate_key ${folder}/own.pem;
          ssl_client_certificate ${folder}/ca.pem; ssl_verify_client on; location / { return 204; } }`,
        )
      await using nginx = await startRealServer({ name: 'nginx', folder, config })
      const argv = [
        'download',
        '--part',
        'A',
        ...ASK,
        `https://127.0.0.1:${nginx.port}`,
        '--ca-file',
        'ca.pem',
      ]
      const without = await cli(argv, { cwd: folder })
      expect(without.stderr).toMatch(/the server requires a client certificate/)
      const wrong = await cli([...argv, '--client-cert', 'foreign.pem'], { cwd: folder })
      expect(wrong.stderr).toMatch(/the server rejected the client certificate/)
      for (const { code, stderr } of [without, wrong]) {
        expect([5, 7]).toContain(code)
        expect(stderr).toMatch(/--client-cert/)
        expect(stderr).not.toMatch(/retrying|attempts/)
      }
      const right = await cli([...argv, '--client-cert', 'own.pem'], { cwd: folder })
      expect(right.code, right.stderr).toBe(0)
    }))
})

describe.skipIf(!needs('haproxy'))('haproxy', () => {
  test('that denies by a stick table is waited out', () =>
    withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const config = (port: number): string => `
global
  maxconn 100
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend limited
  bind 127.0.0.1:${port}
  stick-table type ip size 1k expire 60s store http_req_rate(${60 / TIMES_FASTER}s)
  http-request track-sc0 src if { path_beg /v2/download }
  http-request deny deny_status 429 if { sc_http_req_rate(0) gt 10 }
  default_backend service
backend service
  server one ${new URL(service.url).host}
`
      await using haproxy = await startRealServer({ name: 'haproxy', folder, config })
      expect(await downloadAll(folder, haproxy.port, service)).toBeLessThanOrEqual(10)
    }))
})

describe.skipIf(!needs('squid'))('squid', () => {
  test('tunnels to the service, and is not used for localhost', () =>
    withFolder(async (folder) => {
      await chmod(folder, 0o755)
      const authority = await createAuthority('test')
      const certificate = await createCertificate({ authority, names: ['service.test'] })
      await writeFile(join(folder, 'ca.pem'), authority.cert)
      await writeFile(join(folder, 'hosts'), '127.0.0.1 service.test\n')
      await using service = await tlsService(certificate)
      const config = (port: number): string => `
http_port 127.0.0.1:${port}
hosts_file ${folder}/hosts
acl all_ports port 1-65535
http_access allow all_ports
cache deny all
cache_log /dev/null
access_log none
pid_filename none
pinger_enable off
coredump_dir /
shutdown_lifetime 0 seconds
`
      await using squid = await startRealServer({ name: 'squid', folder, config })
      const env = {
        HTTPS_PROXY: `http://127.0.0.1:${squid.port}`,
        HTTP_PROXY: `http://127.0.0.1:${squid.port}`,
      }
      const argv = [
        'download',
        '--part',
        'A',
        ...ASK,
        `https://service.test:${service.port}`,
        '--ca-file',
        'ca.pem',
      ]
      const tunnelled = await cli(argv, { cwd: folder, env })
      expect(tunnelled.code, tunnelled.stderr).toBe(0)
      await using local = await testService({ body: ARCHIVE })
      const direct = await cli(['download', '--part', 'B', ...ASK, local.url, '--overwrite', '-vv'], {
        cwd: folder,
        env,
      })
      expect(direct.code, direct.stderr).toBe(0)
      expect(local.requests[0]!.rawHeaders.join()).not.toMatch(/via|x-forwarded-for/i)
    }))
})

describe.skipIf(!needs('tinyproxy'))('tinyproxy', () => {
  test('that refuses the login of a variable is called by it', () =>
    withFolder(async (folder) => {
      const config = (port: number): string =>
        `Port ${port}\nListen 127.0.0.1\nBasicAuth user right\nTimeout 60\nMaxClients 10\n`
      await using tinyproxy = await startRealServer({ name: 'tinyproxy', folder, config })
      const argv = ['download', '--part', 'A', ...ASK, 'https://service.test']
      for (const [login, words] of [
        ['user:wr0ng@', /\(from HTTPS_PROXY\) refused the login \(status 40[17]\)/],
        ['', /\(from HTTPS_PROXY\) requires a login \(status 407\)/],
      ] as const) {
        const env = { HTTPS_PROXY: `http://${login}127.0.0.1:${tinyproxy.port}` }
        const run = await cli(argv, { cwd: folder, env })
        expect(run.code, run.stderr).toBe(4)
        expect(run.stderr).toMatch(words)
        expect(run.stderr).not.toMatch(/wr0ng|retrying/)
      }
    }))
})

async function tlsService(certificate: { readonly cert: string; readonly key: string }) {
  const { createServer } = await import('node:https')
  const server = createServer(certificate, (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/zip', 'Content-Length': ARCHIVE.length })
    response.end(ARCHIVE)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { readonly port: number }
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
