import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
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
const recipe = page.split('These lines post parts that became non-compliant')[1]!
const lines = fencesIn(recipe)[0]!.text.split('\n')

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

/** Runs the recipe on two archives, with a webhook that keeps what it gets. */
async function follow(now: Buffer): Promise<Posted[]> {
  const posted: Posted[] = []
  const server = createServer(async (request, response) => {
    const { method, headers } = request
    posted.push({ method, type: headers['content-type'], body: JSON.parse(await text(request)) })
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'last-week.zip'), LAST_WEEK)
      await writeFile(join(cwd, 'bom.zip'), now)
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
    })
  } finally {
    server.close()
  }
  return posted
}

describe.skipIf(!needs('bash', 'jq', 'curl'))('what became non-compliant since last week', () => {
  const now = archive({ same: bad, worse: bad, better: good, 'new &quot;part&quot;': bad, other: good })
  const message = 'worse (Example Parts) is not compliant\nnew "part" (Example Parts) is not compliant\n'

  test('is posted to a webhook as one message', async () => {
    expect(lines).toHaveLength(3)
    expect(await follow(now)).toEqual([{ method: 'POST', type: 'application/json', body: { text: message } }])
  })

  test('is nothing when nothing is new', async () => {
    expect(await follow(archive({ same: bad, better: good }))).toEqual([])
  })
})
