import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAuthority, createCertificate } from './tls.ts'

/** A server of release files over https. */
export interface ReleaseServer extends AsyncDisposable {
  readonly url: string
  /** The file with the authority that signed its certificate. */
  readonly caFile: string
  /** Paths that were requested. */
  readonly requests: readonly string[]
}

/** A release archive with a stand-in for the executable, and the archive's SHA-256. */
export function makeRelease(
  folder: string,
  name: string,
): { readonly archive: string; readonly sha256: string } {
  const content = join(folder, name)
  mkdirSync(content, { recursive: true })
  writeFileSync(join(content, 'matdecl'), '#!/bin/sh\necho "stand-in $*"\n', { mode: 0o755 })
  const archive = join(folder, `${name}.tar.gz`)
  execFileSync('tar', ['-czf', archive, '-C', folder, name])
  return { archive, sha256: createHash('sha256').update(readFileSync(archive)).digest('hex') }
}

/** Serves files by path; `redirects` go elsewhere, everything else is 404. Writes its CA into `folder`. */
export async function serveRelease(
  folder: string,
  files: Readonly<Record<string, string>>,
  redirects: Readonly<Record<string, string>> = {},
): Promise<ReleaseServer> {
  const authority = await createAuthority('releases')
  const caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, authority.cert)
  const requests: string[] = []
  const server = createServer(await createCertificate({ authority }), (request, response) => {
    const path = request.url!
    requests.push(path)
    const location = redirects[path]
    if (location !== undefined) response.writeHead(302, { Location: location }).end()
    else if (files[path] === undefined) response.writeHead(404).end('no such file')
    else response.end(readFileSync(files[path]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caFile,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
