import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli, tree } from '../../support/cli.ts'
import { type Serving, serving } from '../../support/serving.ts'
import { soakTest } from '../../support/soak.ts'
import { withFolder } from '../../support/world.ts'

const NIGHTS = ['2025-03-01', '2025-06-01', '2025-10-01']
const WATCHED = ['HA-BETTER', 'HA-WORSE', 'HA-ANSWERED', 'HA-LATE', 'HA-7A']

const statusOf = ({ part, rohs, svhc_count, status }: Readonly<Record<string, unknown>>): unknown[] => [
  part,
  status,
  rohs,
  svhc_count,
]

/** Runs `body` for each night with a sandbox on that day, all on one port. */
async function nightly(body: (night: string, service: Serving) => Promise<void>): Promise<void> {
  let port = '0'
  for (const night of NIGHTS) {
    await using service = await serving(['--token', 'night', '--date', night, '--port', port])
    port = new URL(service.url).port
    await body(night, service)
  }
}

/** A download into `incoming/`, as cron runs it on that night; the number of declarations that came. */
async function download(cwd: string, service: Serving, night: string, argv: string[]): Promise<number> {
  const { code, stderr, json } = await cli(
    [
      'download',
      '--base-url',
      service.url,
      '--parts-file',
      'parts.txt',
      '-o',
      'incoming/',
      '--json',
      ...argv,
    ],
    {
      cwd,
      env: { MATDECL_TOKEN: service.token, XDG_STATE_HOME: join(cwd, 'state') },
      nowMs: Date.parse(`${night}T02:17:00Z`),
    },
  )
  expect(code, stderr).toBe(0)
  return (json().archive as { entries: number } | null)?.entries ?? 0
}

describe('three nights of the sandbox in one directory', () => {
  test('give today’s status, each with what was approved since the night before', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'parts.txt'), `${WATCHED.join('\n')}\n`)
      const received: number[] = []
      const statuses: unknown[] = []
      await nightly(async (night, service) => {
        const before = NIGHTS[NIGHTS.indexOf(night) - 1]
        received.push(
          await download(cwd, service, night, before === undefined ? [] : ['--start-date', before]),
        )
        const argv = ['report', 'incoming', '--parts-file', 'parts.txt', '--json']
        const { json } = await cli(argv, { cwd, nowMs: Date.parse(`${night}T06:00:00Z`) })
        statuses.push((json().rows as Readonly<Record<string, unknown>>[]).map(statusOf))
      })
      // All that exist, then only what was approved since the night before.
      expect(received).toEqual([4, 2, 3])
      expect(await tree(join(cwd, 'incoming'))).toEqual([
        expect.stringContaining('2025-03-01'),
        expect.stringContaining('2025-06-01'),
        expect.stringContaining('2025-10-01'),
      ])
      const exempt = 'compliant with exemptions'
      const missing = (part: string): unknown[] => [part, 'missing', 'not declared', null]
      expect(statuses.map((rows) => [...(rows as unknown[][])].sort())).toEqual([
        [
          missing('HA-ANSWERED'),
          missing('HA-LATE'),
          ['HA-7A', 'declared', exempt, 0],
          ['HA-BETTER', 'declared', 'not compliant', 0],
          ['HA-WORSE', 'declared', 'compliant', 0],
        ].sort(),
        [
          missing('HA-ANSWERED'),
          missing('HA-LATE'),
          ['HA-7A', 'declared', exempt, 0],
          ['HA-BETTER', 'declared', exempt, 0],
          ['HA-WORSE', 'declared', 'compliant', 1],
        ].sort(),
        [
          ['HA-ANSWERED', 'declared', 'compliant', 0],
          ['HA-LATE', 'declared', 'compliant', 0],
          ['HA-7A', 'declared', exempt, 0],
          ['HA-BETTER', 'declared', 'compliant', 0],
          ['HA-WORSE', 'declared', 'compliant', 1],
        ].sort(),
      ])
      const history = await cli(['report', 'incoming', '--history', '--json'], { cwd })
      const rows = (history.json().rows as Readonly<Record<string, unknown>>[]).map(statusOf)
      expect(rows.filter(([, status]) => status === 'superseded').sort()).toEqual(
        [
          ['HA-BETTER', 'superseded', exempt, 0],
          ['HA-BETTER', 'superseded', 'not compliant', 0],
          ['HA-WORSE', 'superseded', 'compliant', 0],
        ].sort(),
      )
    })
  })

  test('have the declarations after a start date', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'parts.txt'), `${WATCHED.join('\n')}\n`)
      const received: number[] = []
      await nightly(async (night, service) => {
        received.push(await download(cwd, service, night, ['--start-date', '2025-03-01']))
      })
      expect(received).toEqual([0, 2, 4])
    })
  })

  soakTest('are the same bytes on the same day, and others on another', async () => {
    const bodies: Buffer[] = []
    const ask = async ({ url, token }: Serving): Promise<Buffer> => {
      const answer = await fetch(`${url}/v2/download?format=1752A&supplier=800900100`, {
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      })
      return Buffer.from(await answer.arrayBuffer())
    }
    for (const day of ['2025-06-01', '2025-06-02', '2025-06-01', '2025-05-11']) {
      await using service = await serving(['--token', 'night', '--date', day])
      const ping = await fetch(`${service.url}/v2/ping`)
      expect(new Date(ping.headers.get('date')!).toISOString().slice(0, 10)).toBe(day)
      bodies.push(await ask(service))
    }
    const [first, dayAfter, again, before] = bodies
    expect(again!.equals(first!)).toBe(true)
    expect(dayAfter!.equals(first!)).toBe(true)
    expect(before!.equals(first!)).toBe(false)
  })
})

test.each(['2025-02-30', 'today', '1.3.2025'])('--date %s is exit 2 before anything listens', async (day) => {
  const { code, stdout, stderr } = await cli(['sandbox', '--date', day])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('--date')
})
