import { spawn } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { fencesIn } from '../support/markdown-commands.ts'
import { needs } from '../support/programs.ts'
import { toolCommand } from '../support/tool-command.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'report.md'), 'utf8')
const recipe = page.split('### Notify about newly non-compliant parts\n')[1]!
const lines = fencesIn(recipe)[0]!.text.split('\n')
const mailLine = /`(test ! -s worse\.txt \|\| mail [^`]+)`/.exec(recipe)![1]!

const good = listXml('EUROHS-1907', rohsCategories())
const bad = listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } }))
const archive = (parts: Readonly<Record<string, string>>): Buffer =>
  zip(
    Object.entries(parts).map(([part, list], index) => ({
      name: `${index}.xml`,
      data: fileA(productXml([part], list)),
    })),
  )
const LAST_WEEK = archive({ same: bad, worse: good, better: bad })

interface Posted {
  readonly method: string | undefined
  readonly type: string | undefined
  readonly body: unknown
}

/** Runs the recipe on two archives, with a webhook and a `mail` that keep what they get. */
async function follow(lines: readonly string[], now: Buffer): Promise<{ posted: Posted[]; mail: string }> {
  const posted: Posted[] = []
  const server = createServer(async (request, response) => {
    const { method, headers } = request
    posted.push({ method, type: headers['content-type'], body: JSON.parse(await text(request)) })
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  let mail = ''
  try {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'last-week.zip'), LAST_WEEK)
      await writeFile(join(cwd, 'bom.zip'), now)
      await writeFile(join(cwd, 'sent'), '')
      await writeFile(join(cwd, 'mail'), '#!/bin/sh\nprintf "%s|" "$@" > sent\ncat >> sent\n')
      await chmod(join(cwd, 'mail'), 0o755)
      const { program, args } = toolCommand()
      const tool = [program, ...args].map((word) => `'${word}'`).join(' ')
      const script = `matdecl() { ${tool} "$@"; }\nset -eo pipefail\n${lines.join('\n')}`
      const child = spawn('bash', ['--norc', '--noprofile', '-c', script], {
        cwd,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: `${cwd}:${process.env.PATH}`,
          HOME: cwd,
          WEBHOOK: `http://127.0.0.1:${port}/hook`,
          NO_PROXY: '127.0.0.1',
        },
      })
      const [said, code] = await Promise.all([
        text(child.stderr),
        new Promise<number | null>((resolve) => child.once('close', resolve)),
      ])
      expect(code, said).toBe(0)
      mail = await readFile(join(cwd, 'sent'), 'utf8')
    })
  } finally {
    server.close()
  }
  return { posted, mail }
}

describe.skipIf(!needs('bash', 'jq', 'curl'))('what became non-compliant since last week', () => {
  const now = archive({ same: bad, worse: bad, better: good, 'new &quot;part&quot;': bad, other: good })
  const message = 'worse (Example Parts) is not compliant\nnew "part" (Example Parts) is not compliant\n'

  test('is posted to a webhook as one message', async () => {
    expect(lines).toHaveLength(3)
    const { posted } = await follow(lines, now)
    expect(posted).toEqual([{ method: 'POST', type: 'application/json', body: { text: message } }])
  })

  test('is sent by mail', async () => {
    const { posted, mail } = await follow([...lines.slice(0, 2), mailLine], now)
    expect(mail).toBe(`-s|not compliant since last week|compliance@example.com|${message}`)
    expect(posted).toEqual([])
  })

  test('is nothing when nothing is new', async () => {
    const { posted, mail } = await follow([...lines, mailLine], archive({ same: bad, better: good }))
    expect(posted).toEqual([])
    expect(mail).toBe('')
  })
})
