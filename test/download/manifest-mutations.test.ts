import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isFailure } from '../../src/base/failure.ts'
import { jsonValue } from '../../src/base/json-text.ts'
import type { Manifest } from '../../src/download/download-result.ts'
import { manifestFile, manifestText, readManifest } from '../../src/download/manifest.ts'
import { pick, seeded } from '../support/seeded.ts'
import { sweep } from '../support/soak.ts'
import { testWorld, withFolder } from '../support/world.ts'

const MANIFEST: Manifest = {
  schema: 'matdecl.manifest/1',
  tool: 'matdecl 1.0.0',
  request: {
    api: 'v2',
    baseUrl: 'https://service.example',
    format: '1752A',
    supplier: '123456789',
    query: { tier: '1' },
    parts: ['A-1', 'B 2', 'Ü/3'],
  },
  archive: {
    name: 'out.zip',
    bytes: 1_234,
    sha256: 'ab'.repeat(32),
    entries: [
      { name: 'a.xml', bytes: 500, crc32: '0123abcd' },
      { name: 'b.xml', bytes: 0, crc32: '00000000' },
    ],
  },
  foundParts: 2,
  missingParts: ['Ü/3'],
  unknownParts: [],
  nearParts: [],
  requests: [{ parts: 3, status: 200, bytes: 1_234, sha256: 'ab'.repeat(32) }],
  run: {
    startedAt: '2026-01-02T03:04:05.000Z',
    finishedAt: '2026-01-02T03:04:06.000Z',
    serverDate: null,
    requests: [{ attempts: 2, seconds: 0.25 }],
  },
}

type Random = () => number
type Json = Record<string, unknown>

/** Every object and list in a value, itself included. */
function containers(value: unknown): (Json | unknown[])[] {
  if (typeof value !== 'object' || value === null) return []
  return [value as Json, ...Object.values(value).flatMap(containers)]
}

/** Damage to the bytes of a file. */
const OF_BYTES: readonly ((text: Buffer, random: Random) => Buffer)[] = [
  (text, random) => {
    const damaged = Buffer.from(text)
    damaged[Math.floor(random() * text.length)]! ^= 1 << Math.floor(random() * 8)
    return damaged
  },
  (text, random) => {
    const at = Math.floor(random() * text.length)
    return Buffer.concat([text.subarray(0, at), text.subarray(at + 1 + Math.floor(random() * 8))])
  },
  (text, random) => {
    const at = Math.floor(random() * text.length)
    return Buffer.concat([text.subarray(0, at + 3), text.subarray(at)])
  },
]

/** Damage to what it says. */
const OF_VALUES: readonly ((value: Json, random: Random) => void)[] = [
  (value, random) => {
    const one = pick(random, containers(value))
    const keys = Object.keys(one)
    if (keys.length === 0) return
    const key = pick(random, keys)
    if (Array.isArray(one)) one.splice(Number(key), 1)
    else delete one[key]
  },
  (value, random) => {
    const one = pick(random, containers(value))
    const keys = Object.keys(one)
    if (keys.length === 0) return
    const key = pick(random, keys) as keyof typeof one
    const before: unknown = one[key]
    const other = typeof before === 'number' ? before + 1 : typeof before === 'string' ? `${before}1` : null
    Object.assign(one, { [key]: other })
  },
  (value, random) => {
    const list = pick(
      random,
      containers(value).filter((one) => Array.isArray(one)),
    )
    if (list.length > 0) list.push(structuredClone(pick(random, list)))
  },
  (value, random) => {
    const one = pick(
      random,
      containers(value).filter((each): each is Json => !Array.isArray(each)),
    )
    const [key] = Object.keys(one)
    if (key === undefined) return
    one[`${key}x`] = one[key]
    if (random() < 0.5) delete one[key]
  },
]

function damaged(file: string, random: Random): Buffer {
  if (random() < 0.6) return pick(random, OF_BYTES)(Buffer.from(file), random)
  const value = JSON.parse(file) as Json
  pick(random, OF_VALUES)(value, random)
  return Buffer.from(JSON.stringify(value))
}

/** What a manifest says, without its checksum. */
function evidence({ run: { checksum: _, ...run }, ...rest }: Manifest): Manifest {
  return { ...rest, run }
}

describe('a manifest', () => {
  const file = manifestFile(MANIFEST, (text) => text)

  test('that is damaged is refused, or says what it said', () =>
    withFolder(async (folder) => {
      const world = testWorld()
      const path = join(folder, 'm.json')
      const random = seeded(Number(process.env.SEED ?? 5_306))
      let refused = 0
      for (let count = 0; count < sweep(50, 1_000); count += 1) {
        const bytes = damaged(file, random)
        await writeFile(path, bytes)
        const read = await readManifest(world, path).catch((error: unknown) => error)
        const isRefused = isFailure(read) && (read.kind === 'usage' || read.kind === 'archive')
        if (isRefused) refused += 1
        else expect(evidence(jsonValue(bytes.toString()) as Manifest), bytes.toString()).toEqual(MANIFEST)
      }
      expect(refused).toBeGreaterThan(sweep(35, 800))
    }))

  test('without a checksum is read, unless it has fields that are not known', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'm.json')
      await writeFile(path, manifestText(MANIFEST))
      expect((await readManifest(testWorld(), path)).manifest).toEqual(MANIFEST)
      await writeFile(path, file.replace('"checksum"', '"checksun"'))
      await expect(readManifest(testWorld(), path)).rejects.toMatchObject({
        kind: 'archive',
        message: `${path} was changed after the download wrote it`,
      })
    }))

  test('nested more deeply than a program can follow is damaged', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'm.json')
      const deep = `"extra":${'['.repeat(20_000)}${']'.repeat(20_000)}`
      for (const text of [file, manifestText(MANIFEST)]) {
        await writeFile(path, text.replace('{', `{${deep},`))
        await expect(readManifest(testWorld(), path)).rejects.toMatchObject({
          kind: 'archive',
          message: `${path} was changed after the download wrote it`,
        })
      }
    }))

  test.each([
    ['"tool":', '"tool":"other",'],
    ['"tool":', String.raw`"\u0074ool":"other",`],
    ['"bytes":', '"bytes":1,'],
  ])('with a key twice is damaged, whichever of them a reader takes: %s after %s', (key, other) =>
    withFolder(async (folder) => {
      const path = join(folder, 'm.json')
      for (const text of [file, manifestText(MANIFEST)]) {
        await writeFile(path, text.replace(key, `${other}${key}`))
        expect(jsonValue(await readFile(path, 'utf8'))).toEqual(jsonValue(text))
        await expect(readManifest(testWorld(), path)).rejects.toMatchObject({
          kind: 'archive',
          message: `${path} was changed after the download wrote it`,
        })
      }
    }),
  )

  test('of a newer version may have more fields', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'm.json')
      await writeFile(
        path,
        manifestFile({ ...MANIFEST, later: [1] } as Manifest, (text) => text),
      )
      expect((await readManifest(testWorld(), path)).manifest.tool).toBe('matdecl 1.0.0')
    }))

  test('is without secrets, and its checksum is of what is written', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'm.json')
      const written = manifestFile(MANIFEST, (text) => text.replaceAll('B 2', '***'))
      await writeFile(path, written)
      expect((await readManifest(testWorld(), path)).manifest.request.parts).toEqual(['A-1', '***', 'Ü/3'])
    }))
})
