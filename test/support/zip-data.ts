import { deflateRawSync } from 'node:zlib'
import { type ZipEntry, zip } from './zip.ts'
import type { Specimen } from './zip-specimen.ts'

const GOOD: ZipEntry = { name: 'good.xml', data: '<good/>' }
const SMALL = Buffer.from('<a>some text, some text, some text</a>')
// Larger than what is inflated in one piece, and not so uniform that it would look like a bomb.
const LARGE = Buffer.alloc(3_000_000, 0)
for (let at = 0; at < LARGE.length; at += 4) LARGE.writeUInt32LE((at * 2654435761) % 4093, at)

function bad(entry: Partial<ZipEntry>): () => Buffer {
  return () => zip([GOOD, { name: 'bad.xml', data: SMALL, ...entry }, { name: 'last.xml', data: 'x' }])
}

/** The same wrong value for an entry that is inflated in one piece and for one that is streamed. */
function both(name: string, lie: (data: Buffer) => Partial<ZipEntry>, says: RegExp): Specimen[] {
  return [
    { file: `damaged-${name}.zip`, bytes: bad({ data: SMALL, ...lie(SMALL) }), says },
    { file: `damaged-${name}-large.zip`, bytes: bad({ data: LARGE, ...lie(LARGE) }), says },
  ]
}

function declaring(bytes: number): Partial<ZipEntry> {
  return { central: { bytes }, local: { bytes } }
}

function broken(data: Buffer): Buffer {
  const packed = deflateRawSync(data)
  packed.fill(0xff, Math.floor(packed.length / 2))
  return packed
}

/** Archives with valid headers whose data does not match them. */
export const DATA_SPECIMENS: readonly Specimen[] = [
  ...both(
    'crc',
    () => ({ central: { crc32: 0x12345678 }, local: { crc32: 0x12345678 } }),
    /"bad\.xml" at offset \d+: CRC-32 is [0-9a-f]{8}, and the directory says 12345678/,
  ),
  ...both('crc-stored', (data) => ({ method: 0, packed: Buffer.from(data).fill(1, 5, 6) }), /CRC-32 is/),
  ...both(
    'unpacks-to-more',
    (data) => declaring(data.length - 1),
    /unpacks to more than the [\d,]+ bytes it declares/,
  ),
  ...both(
    'unpacks-to-less',
    (data) => declaring(data.length + 1),
    /unpacks to [\d,]+ bytes, and declares [\d,]+/,
  ),
  ...both('deflate-broken', (data) => ({ packed: broken(data) }), /deflate data is truncated/),
  ...both(
    'deflate-cut',
    (data) => ({ packed: deflateRawSync(data).subarray(0, -4) }),
    /deflate data is truncated/,
  ),
  ...both(
    'deflate-and-junk',
    (data) => ({ packed: Buffer.concat([deflateRawSync(data), Buffer.from('hidden')]) }),
    /6 bytes after the end of its deflate data/,
  ),
  ...both(
    'deflate-twice',
    (data) => ({ packed: Buffer.concat([deflateRawSync(data), deflateRawSync(data)]) }),
    /bytes after the end of its deflate data/,
  ),
  {
    file: 'damaged-deflate-empty.zip',
    bytes: bad({ packed: Buffer.alloc(0), method: 8 }),
    says: /deflate data is truncated/,
  },
  {
    file: 'damaged-deflate-reserved.zip',
    bytes: bad({ packed: Buffer.from([0x07, 0, 0, 0]), method: 8 }),
    says: /damaged/,
  },
  {
    file: 'damaged-declares-nothing.zip',
    bytes: bad(declaring(0)),
    says: /unpacks to more than the 0 bytes it declares/,
  },
  {
    file: 'damaged-empty-with-crc.zip',
    bytes: bad({ data: '', central: { crc32: 1 }, local: { crc32: 1 } }),
    says: /CRC-32 is 00000000/,
  },
  {
    file: 'damaged-bomb-that-declares-little.zip',
    bytes: () => zip([GOOD, { name: 'bomb', data: Buffer.alloc(50_000_000), ...declaring(100) }]),
    says: /unpacks to more than the 100 bytes/,
  },
  {
    file: 'damaged-folder-with-crc.zip',
    bytes: () => zip([GOOD, { name: 'd/', central: { crc32: 5 }, local: { crc32: 5 } }]),
    says: /CRC-32 is 00000000/,
  },
  {
    file: 'damaged-folder-of-deflate.zip',
    bytes: () => zip([GOOD, { name: 'd/', method: 8, packed: deflateRawSync(Buffer.from('data')) }]),
    says: /unpacks to more than the 0 bytes/,
  },
]

/** Archives that exceed a limit. */
export const LIMIT_SPECIMENS: readonly Specimen[] = [
  {
    file: 'refused-bomb-ratio.zip',
    bytes: () => zip([GOOD, { name: 'bomb', data: Buffer.alloc(20_000_000) }]),
    says: /"bomb".*unpacks .* to 19\.1 MiB \(1:1,0\d\d\), more than the maximum ratio of 1:250/,
  },
  {
    file: 'refused-bomb-of-many.zip',
    bytes: () =>
      zip(
        Array.from({ length: 3 }, (_, index) => ({ name: `bomb-${index}`, data: Buffer.alloc(9_000_000) })),
      ),
    says: /as a whole unpacks .* more than the maximum ratio/,
  },
  {
    file: 'refused-bomb-declared.zip',
    bytes: () =>
      zip([
        { name: 'bomb', data: 'x', method: 8, central: { bytes: 0xf0000000 }, local: { bytes: 0xf0000000 } },
      ]),
    says: /more than the maximum ratio/,
  },
  {
    file: 'refused-size.zip',
    bytes: () =>
      zip([
        { name: 'a', data: SMALL },
        { name: 'b', data: SMALL },
      ]),
    limits: { maxBytes: SMALL.length * 2 - 1 },
    says: /as a whole unpacks to 76 B, more than the maximum of 75 B/,
  },
  {
    file: 'refused-entries.zip',
    bytes: () => zip(Array.from({ length: 4 }, (_, index) => ({ name: `${index}` }))),
    limits: { maxEntries: 3 },
    says: /4 entries, more than the maximum of 3/,
  },
  {
    file: 'refused-directory.zip',
    bytes: () =>
      zip(
        Array.from({ length: 20 }, (_, index) => ({
          name: `${index}`,
          central: { comment: Buffer.alloc(60_000) },
        })),
      ),
    limits: { maxEntries: 20 },
    says: /central directory of 1\.1 MiB, more than the 1\.0 MiB/,
  },
]
