import { execFileSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/archive-limits.ts'
import { extractArchive } from '../../src/archive/extract-archive.ts'
import { mergeArchives } from '../../src/archive/merge-archives.ts'
import { SILENT } from '../../src/base/notice.ts'
import { needs } from '../support/programs.ts'
import { snapshot } from '../support/snapshot.ts'
import { testWorld, withFolder } from '../support/world.ts'

const OPTIONS = {
  limits: DEFAULT_ARCHIVE_LIMITS,
  overwrite: false,
  include: [],
  exclude: [],
  flat: false,
  reporter: SILENT,
}

const PYTHON = `
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as archive:
    for folder, _, names in os.walk('.'):
        for name in names: archive.write(os.path.join(folder, name))
`

// Each runs in the folder to be packed; $OUT is the archive.
const WRITERS: readonly (readonly [title: string, program: string, command: string])[] = [
  ['Info-ZIP', 'zip', 'zip -qr "$OUT" .'],
  ['Info-ZIP to a pipe', 'zip', 'zip -qr - . | cat > "$OUT"'],
  ['Info-ZIP in the C locale', 'zip', 'LC_ALL=C zip -qr "$OUT" .'],
  ['Info-ZIP with ZIP64', 'zip', 'zip -qr -fz "$OUT" .'],
  ['bsdtar with ./ in front', 'bsdtar', 'LC_ALL=C.UTF-8 bsdtar --format zip -cf "$OUT" .'],
  ['bsdtar to a pipe', 'bsdtar', 'LC_ALL=C.UTF-8 bsdtar --format zip -cf - * | cat > "$OUT"'],
  ['7-Zip', '7zz', 'LC_ALL=C.UTF-8 7zz a -tzip "$OUT" . > /dev/null'],
  ['Python', 'python3', `python3 -c "$PYTHON" "$OUT"`],
  ['Java', 'jar', 'LC_ALL=C.UTF-8 jar --create --no-manifest --file "$OUT" *'],
]

describe.each(WRITERS)('an archive made by %s', (_title, program, command) => {
  it.skipIf(!needs('sh', program))('is read and merged with every name and byte', async () => {
    await withFolder(async (folder) => {
      const source = join(folder, 'source')
      await mkdir(join(source, 'sub', 'empty'), { recursive: true })
      await writeFile(join(source, 'a.xml'), '<a/>'.repeat(500))
      await writeFile(join(source, 'sub', 'größe 日本.xml'), '<b/>')
      await writeFile(join(source, 'nothing'), '')
      const path = join(folder, 'out.zip')
      const env = { PATH: process.env.PATH ?? '', OUT: path, PYTHON }
      execFileSync('sh', ['-c', command], { cwd: source, env, stdio: ['ignore', 'ignore', 'inherit'] })
      const merged = join(folder, 'merged.zip')
      await mergeArchives(testWorld(), [path, path], merged, { reporter: SILENT })
      const expected = (await snapshot(source)).filter((each) => !each.path.endsWith('/')).map(nameAndText)
      for (const archive of [path, merged]) {
        const target = `${archive}.out`
        await extractArchive(testWorld(), archive, target, OPTIONS)
        const found = (await snapshot(target)).filter((each) => !each.path.endsWith('/'))
        expect(found.map(nameAndText)).toEqual(expected)
      }
    })
  })
})

it.skipIf(!needs('zip'))('what is piped into Info-ZIP is a file', async () => {
  await withFolder(async (folder) => {
    for (const command of ['echo text | zip -q "$OUT" -', 'echo text | zip -q - - | cat > "$OUT"']) {
      const path = join(folder, 'piped.zip')
      execFileSync('sh', ['-c', `rm -f "$OUT"; ${command}`], { env: { PATH: process.env.PATH, OUT: path } })
      await extractArchive(testWorld(), path, join(folder, 'out'), { ...OPTIONS, overwrite: true })
      expect(await readdir(join(folder, 'out'))).toEqual(['-'])
    }
  })
})

function nameAndText({ path, content }: { readonly path: string; readonly content: string }): string[] {
  return [path, content]
}
