import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, TOKEN, tree } from '../../support/cli.ts'
import { testService } from '../../support/service.ts'
import { sweep } from '../../support/soak.ts'
import { withFolder } from '../../support/world.ts'
import { outcomeOf, SPECIMENS } from '../../support/zip-specimens.ts'

// test/archive/specimens.test.ts has all of them in each run of the suite.
const HOSTILE = SPECIMENS.filter(
  (specimen) => outcomeOf(specimen) !== 'accepted' && specimen.limits === undefined,
).filter((_, index) => index % sweep(8, 1) === 0)

/** Nothing that could move the cursor, color the screen or turn the reading direction. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

describe('download of an archive that is hostile or damaged', () => {
  it.each(HOSTILE)('$file is refused and leaves nothing', async (specimen) => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: specimen.bytes() })
      const argv = [
        '--base-url',
        service.url,
        '--part',
        'A',
        '-o',
        'x.zip',
        '--extract',
        '--json',
        '--retries',
        '1',
      ]
      const { code, json, stderr, stdout } = await cli(argv, { cwd: folder })
      // What does not begin like an archive is no answer at all, and not asked for again.
      const isOther = specimen.bytes().toString('latin1', 0, 2) !== 'PK'
      expect(code, stderr).toBe(isOther ? 5 : 8)
      expect(json()).toMatchObject({ status: 'failed', error: { exitCode: code } })
      expect(await tree(folder)).toEqual([])
      expect(stderr).not.toMatch(UNSAFE)
      expect(stdout + stderr).not.toContain(TOKEN)
    })
  })
})

describe('list, verify and extract of an archive that is hostile or damaged', () => {
  it.each(HOSTILE)('$file ends with 8 and words that are safe to show', async (specimen) => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'a.zip'), specimen.bytes())
      for (const command of ['list', 'verify', 'extract']) {
        const { code, stdout, stderr } = await cli([command, 'a.zip'], { cwd: folder })
        const isListed = command === 'list' && outcomeOf(specimen) === 'damaged'
        expect(code, `${command}: ${stderr}`).toBe(isListed ? 0 : 8)
        if (!isListed) expect(stderr, command).toMatch(specimen.says!)
        expect(stdout + stderr, command).not.toMatch(UNSAFE)
      }
      expect(await tree(folder)).toEqual(['a.zip'])
    })
  })
})

describe('an archive with odd names', () => {
  it('is listed and extracted without printing terminal control sequences', async () => {
    const specimen = SPECIMENS.find(({ file }) => file === 'accepted-name-bidi.zip')!
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'a.zip'), specimen.bytes())
      for (const argv of [
        ['list', 'a.zip'],
        ['verify', 'a.zip'],
        ['extract', 'a.zip'],
      ]) {
        const { code, stdout, stderr } = await cli(argv, { cwd: folder })
        expect(code).toBe(0)
        expect(stdout + stderr).not.toMatch(UNSAFE)
        if (argv[0] === 'list') expect(stdout).toContain('a\\u202elmx.exe')
      }
    })
  })
})
