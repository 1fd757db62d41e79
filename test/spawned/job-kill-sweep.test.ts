import type { ChildProcess } from 'node:child_process'
import { type FSWatcher, watch } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ended, type Spawned, start } from '../support/binary.ts'
import { obtainedIn } from '../support/jobs.ts'
import { seeded } from '../support/seeded.ts'
import { type TestService, testService } from '../support/service.ts'
import { sweep } from '../support/soak.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const PARTS = Array.from({ length: sweep(200, 1000) }, (_, index) => `K ${index}/Ü`)
const BATCH = 20
const KILLS = sweep(1, 20)

test(
  'a job killed at any moment resumes and ends with the same bytes, no request sent twice',
  { timeout: 400_000 },
  () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'parts.txt'), PARTS.join('\n'))
      let onRequest: (index: number) => void = () => undefined
      await using service = await testService(({ target }, index) => {
        onRequest(index)
        return { body: archiveOf(partsIn(target)) }
      })
      expect(await download(service, folder, 'whole.zip')).toMatchObject({
        code: 0,
        stderr: expect.anything(),
      })
      expect(service.requests).toHaveLength(PARTS.length / BATCH)
      const whole = await readFile(join(folder, 'whole.zip'))

      const random = seeded(20260304)
      let killed = 0
      for (let round = 0; round < KILLS; round += 1) {
        const name = `out-${round}.zip`
        // Killed some changes of files after a request; after the last one that is while merging and publishing.
        const isLast = round % 5 === 0
        const atRequest = isLast ? PARTS.length / BATCH - 1 : Math.floor(random() * (PARTS.length / BATCH))
        let changes = Math.floor(random() * (isLast ? 24 : 8))
        const first = service.requests.length
        const watchers: FSWatcher[] = []
        const stopped = await download(service, folder, name, (child) => {
          onRequest = (index) => {
            if (index - first !== atRequest) return
            const onChange = (): void => {
              changes -= 1
              if (changes < 0) child.kill('SIGKILL')
            }
            watchers.push(
              watch(folder, onChange),
              watch(join(folder, `${name}.parts`), { recursive: true }, onChange),
            )
          }
        })
        onRequest = () => undefined
        for (const watcher of watchers) watcher.close()
        const left = (await readdir(folder)).filter((other) => other.includes(name))
        // It ended before the kill, or only had to exit.
        if (stopped.signal === null || left.join() === name) {
          expect(await readFile(join(folder, name))).toEqual(whole)
          continue
        }
        killed += 1
        const missing = await notObtained(folder, name)
        const before = service.requests.length
        const again = await download(service, folder, name)
        expect(again, again.stderr).toMatchObject({ code: 0, stdout: `${name}\n` })
        const sent = service.requests.slice(before).flatMap(({ target }) => partsIn(target))
        expect(sent.sort(), `after ${stopped.signal} in round ${round}`).toEqual(missing.sort())
        expect((await readFile(join(folder, name))).equals(whole)).toBe(true)
      }
      expect(killed).toBeGreaterThan(sweep(0, KILLS / 2))
      expect(
        (await readdir(folder)).filter((name) => !/^(?:out-\d+|whole)\.zip$|^parts\.txt$/.test(name)),
      ).toEqual([])
    }),
)

function download(
  service: TestService,
  folder: string,
  name: string,
  onStart: (child: ChildProcess) => void = () => undefined,
): Promise<Spawned> {
  const args = ['--base-url', service.url, '--parts-file', 'parts.txt', '--batch-size', String(BATCH)]
  const child = start([...args, '--rate', '100000', '--no-progress', '-o', name], {
    cwd: folder,
    env: { MATDECL_TOKEN: 'secret-token' },
  })
  child.stdin!.end()
  onStart(child)
  return ended(child)
}

/** The parts that a next run has to request, by what the job directory holds. */
async function notObtained(folder: string, name: string): Promise<string[]> {
  if ((await stat(join(folder, name)).catch(() => undefined)) !== undefined) return []
  const obtained = await obtainedIn(join(folder, `${name}.parts`))
  return PARTS.filter((part) => !obtained.has(part))
}

const partsIn = (target: string): string[] => new URL(target, 'http://x').searchParams.getAll('partNumbers[]')

// Every archive has its own files, one that all have, and one of the same name: merging drops and renames.
function archiveOf(parts: readonly string[]): Buffer {
  const xml = (part: string): string =>
    `<MainDeclaration><Product><ProductID itemNumber="${part}"/></Product></MainDeclaration>`
  return zip([
    ...parts.map((part) => ({ name: `${part.replace('/', '_')}.xml`, data: xml(part) })),
    { name: 'README.txt', data: 'the same everywhere' },
    { name: 'index.txt', data: parts.join('\n') },
  ])
}
