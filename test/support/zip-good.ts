import { deflateRawSync } from 'node:zlib'
import { extraField, u16, u32, u64, unicodePathField, zip } from './zip.ts'
import type { Specimen } from './zip-specimen.ts'

const MAX = 0xffffffff
const zip64 = (...values: number[]): Buffer => extraField(0x0001, Buffer.concat(values.map(u64)))
const PACKED = deflateRawSync(Buffer.from('<a/>')).length
const DEEP = 'd/'.repeat(127)

/** Archives that are unusual but unambiguous. */
export const GOOD_SPECIMENS: readonly Specimen[] = [
  {
    file: 'accepted-plain.zip',
    bytes: () =>
      zip([
        { name: 'a.xml', data: '<a/>' },
        { name: 'sub/b.xml', data: '<b/>' },
      ]),
    holds: { 'a.xml': '<a/>', 'sub/': '', 'sub/b.xml': '<b/>' },
  },
  { file: 'accepted-no-entries.zip', bytes: () => zip([]), holds: {} },
  {
    file: 'accepted-no-entries-comment.zip',
    bytes: () => zip([], { comment: Buffer.from('nothing') }),
    holds: {},
  },
  {
    file: 'accepted-folders-only.zip',
    bytes: () => zip([{ name: 'a/' }, { name: 'a/b/' }, { name: 'c/' }]),
    holds: { 'a/': '', 'a/b/': '', 'c/': '' },
  },
  {
    file: 'accepted-folder-after-file.zip',
    bytes: () => zip([{ name: 'a/b', data: 'x' }, { name: 'a/' }]),
    holds: { 'a/': '', 'a/b': 'x' },
  },
  { file: 'accepted-empty-file.zip', bytes: () => zip([{ name: 'a' }]), holds: { a: '' } },
  { file: 'accepted-empty-deflate.zip', bytes: () => zip([{ name: 'a', method: 8 }]), holds: { a: '' } },
  { file: 'accepted-folder-deflate.zip', bytes: () => zip([{ name: 'a/', method: 8 }]), holds: { 'a/': '' } },
  {
    file: 'accepted-folder-deflate-without-data.zip',
    bytes: () => zip([{ name: 'a/', method: 8, packed: Buffer.alloc(0) }]),
    holds: { 'a/': '' },
  },
  {
    file: 'accepted-stored.zip',
    bytes: () => zip([{ name: 'a', data: 'stored', method: 0 }]),
    holds: { a: 'stored' },
  },
  {
    file: 'accepted-comments.zip',
    bytes: () =>
      zip([{ name: 'a', data: 'x', central: { comment: 'of the entry' } }], {
        comment: Buffer.from('of the archive PK'),
      }),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-directory-order.zip',
    bytes: () =>
      zip(
        [
          { name: 'a', data: '1' },
          { name: 'b', data: '2' },
          { name: 'c', data: '3' },
        ],
        { reverseDirectory: true },
      ),
    holds: { a: '1', b: '2', c: '3' },
  },
  ...(['signed', 'unsigned', 'signed64', 'unsigned64'] as const).flatMap((descriptor): Specimen[] => [
    {
      file: `accepted-descriptor-${descriptor}.zip`,
      bytes: () =>
        zip([
          { name: 'a', data: 'text', descriptor },
          { name: 'b', data: 'more', descriptor },
        ]),
      holds: { a: 'text', b: 'more' },
    },
    {
      file: `accepted-descriptor-${descriptor}-stored.zip`,
      bytes: () => zip([{ name: 'a', data: 'text', method: 0, descriptor }]),
      holds: { a: 'text' },
    },
  ]),
  {
    file: 'accepted-descriptor-repeated-in-header.zip',
    bytes: () =>
      zip([{ name: 'a', data: '<a/>', descriptor: 'signed', local: { bytes: 4, packedBytes: PACKED } }]),
    holds: { a: '<a/>' },
  },
  {
    file: 'accepted-zip64-needless.zip',
    bytes: () => zip([{ name: 'a', data: 'x' }], { zip64: {} }),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-zip64-plain-numbers.zip',
    bytes: () => zip([{ name: 'a', data: 'x' }], { zip64: {}, end: { count: 1, countHere: 1 } }),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-zip64-fields.zip',
    bytes: () =>
      zip([
        {
          name: 'a',
          data: '<a/>',
          local: { bytes: MAX, packedBytes: MAX, extra: zip64(4, PACKED) },
          central: { bytes: MAX, packedBytes: MAX, headerOffset: MAX, extra: zip64(4, PACKED, 0) },
        },
      ]),
    holds: { a: '<a/>' },
  },
  {
    file: 'accepted-zip64-field-repeats.zip',
    bytes: () => zip([{ name: 'a', data: '<a/>', extra: zip64(4, PACKED) }]),
    holds: { a: '<a/>' },
  },
  {
    file: 'accepted-zip64-descriptor.zip',
    bytes: () =>
      zip([
        {
          name: 'a',
          data: '<a/>',
          descriptor: 'signed64',
          local: { bytes: MAX, packedBytes: MAX, extra: zip64(0, 0) },
        },
      ]),
    holds: { a: '<a/>' },
  },
  {
    file: 'accepted-extra-padding.zip',
    bytes: () => zip([{ name: 'a', data: 'x', local: { extra: Buffer.alloc(3) } }]),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-extra-unknown.zip',
    bytes: () => zip([{ name: 'a', data: 'x', extra: extraField(0xcafe, Buffer.alloc(40)) }]),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-extra-long-local.zip',
    bytes: () => zip([{ name: 'a', data: 'x', local: { extra: extraField(0xcafe, Buffer.alloc(60_000)) } }]),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-mode-bits.zip',
    bytes: () => zip([{ name: 'a', data: 'x', mode: 0o106777 }]),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-mode-none.zip',
    bytes: () =>
      zip([
        { name: 'a', data: 'x', external: 0 },
        { name: 'd/', external: 0 },
      ]),
    holds: { a: 'x', 'd/': '' },
  },
  {
    file: 'accepted-name-utf8.zip',
    bytes: () => zip([{ name: 'größe/日本語-😀.xml', data: 'x' }]),
    holds: { 'größe/': '', 'größe/日本語-😀.xml': 'x' },
  },
  {
    file: 'accepted-name-cp437.zip',
    bytes: () => zip([{ name: Buffer.from([0x67, 0x72, 0x94, 0xe1, 0x65]), data: 'x' }]),
    holds: { größe: 'x' },
  },
  {
    file: 'accepted-name-unicode-path.zip',
    bytes: () =>
      zip([{ name: Buffer.from([0x81]), data: 'x', extra: unicodePathField(Buffer.from([0x81]), '日本') }]),
    holds: { 日本: 'x' },
  },
  {
    file: 'accepted-name-unicode-path-same.zip',
    bytes: () => zip([{ name: 'a', data: 'x', extra: unicodePathField('a', 'a') }]),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-name-utf8-unflagged.zip',
    bytes: () => zip([{ name: Buffer.from('größe/日本.xml'), data: 'x' }]),
    holds: { 'größe/': '', 'größe/日本.xml': 'x' },
  },
  {
    file: 'accepted-name-unicode-path-fallback.zip',
    bytes: () =>
      zip([
        { name: 'gr__e.xml', data: 'x', extra: unicodePathField('gr__e.xml', 'größe.xml') },
        { name: 'd/%U65E5.xml', data: 'y', extra: unicodePathField('d/%U65E5.xml', 'd/日.xml') },
      ]),
    holds: { 'größe.xml': 'x', 'd/': '', 'd/日.xml': 'y' },
  },
  {
    file: 'accepted-name-unicode-path-directory-only.zip',
    bytes: () =>
      zip([
        {
          name: 'gr__e.xml',
          data: 'x',
          extra: unicodePathField('gr__e.xml', 'größe.xml'),
          local: { extra: Buffer.alloc(0) },
        },
      ]),
    holds: { 'größe.xml': 'x' },
  },
  {
    file: 'accepted-name-dot-prefix.zip',
    bytes: () =>
      zip([{ name: './' }, { name: './a', data: 'x' }, { name: './d/' }, { name: './d/b', data: 'y' }]),
    holds: { a: 'x', 'd/': '', 'd/b': 'y' },
  },
  {
    file: 'accepted-name-backslash-dos.zip',
    bytes: () =>
      zip([
        { name: 'd\\', central: { madeBy: 20 }, external: 0x10 },
        { name: 'd\\a.xml', data: 'x', central: { madeBy: 20 }, external: 0 },
      ]),
    holds: { 'd/': '', 'd/a.xml': 'x' },
  },
  {
    file: 'accepted-version-with-host.zip',
    bytes: () => zip([{ name: 'a', data: 'x', central: { versionNeeded: 0x0314 } }]),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-mode-all-bits.zip',
    bytes: () =>
      zip([
        { name: 'd/', external: 0xffff_0010 },
        { name: 'd/a', data: 'x', external: 0xffff_0000 },
      ]),
    holds: { 'd/': '', 'd/a': 'x' },
  },
  {
    file: 'accepted-zip64-empty-local-field.zip',
    bytes: () => zip([{ name: 'a', data: 'x', local: { extra: extraField(1, Buffer.alloc(0)) } }]),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-standard-input.zip',
    bytes: () => zip([{ name: '-', data: 'x', mode: 0o010600, descriptor: 'signed' }]),
    holds: { '-': 'x' },
  },
  {
    file: 'accepted-standard-input-empty.zip',
    bytes: () => zip([{ name: '-', mode: 0o010600 }]),
    holds: { '-': '' },
  },
  {
    file: 'accepted-local-date.zip',
    bytes: () => zip([{ name: 'a', data: 'x', local: { dosTime: 0x21_0000 } }]),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-trailing-zeros.zip',
    bytes: () => zip([{ name: 'a', data: 'x' }], { suffix: Buffer.alloc(10_240 - 100) }),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-trailing-zeros-comment.zip',
    bytes: () =>
      zip([{ name: 'a', data: 'x' }], { comment: Buffer.from('comment'), suffix: Buffer.alloc(512) }),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-name-odd.zip',
    bytes: () =>
      zip([
        { name: '.hidden', data: '1' },
        { name: '-rf', data: '2' },
        { name: '%2e%2e%2fetc', data: '3' },
        { name: 'a b (2), "c" *?<|>.xml', data: '4' },
        { name: '~/x', data: '5' },
        { name: '..a/b..c', data: '6' },
        { name: 'console.xml', data: '7' },
      ]),
    holds: {
      '.hidden': '1',
      '-rf': '2',
      '%2e%2e%2fetc': '3',
      'a b (2), "c" *?<|>.xml': '4',
      '~/': '',
      '~/x': '5',
      '..a/': '',
      '..a/b..c': '6',
      'console.xml': '7',
    },
  },
  {
    file: 'accepted-name-bidi.zip',
    bytes: () => zip([{ name: 'a\u202elmx.exe', data: 'x' }]),
    holds: { 'a\u202elmx.exe': 'x' },
  },
  {
    file: 'accepted-name-longest.zip',
    bytes: () => zip([{ name: 'x'.repeat(255), data: 'x' }]),
    holds: { ['x'.repeat(255)]: 'x' },
  },
  {
    file: 'accepted-name-deepest.zip',
    bytes: () => zip([{ name: `${DEEP}a`, data: 'x' }]),
    holds: {
      ...Object.fromEntries(Array.from({ length: 127 }, (_, depth) => ['d/'.repeat(depth + 1), ''])),
      [`${DEEP}a`]: 'x',
    },
  },
  {
    file: 'accepted-names-alike.zip',
    bytes: () =>
      zip([
        { name: 'a', data: '1' },
        { name: 'a.b', data: '2' },
        { name: 'a-b/c', data: '3' },
        { name: 'a b', data: '4' },
        { name: 'ab/c', data: '5' },
      ]),
    holds: { a: '1', 'a.b': '2', 'a-b/': '', 'a-b/c': '3', 'a b': '4', 'ab/': '', 'ab/c': '5' },
  },
  {
    file: 'accepted-date-none.zip',
    bytes: () => zip([{ name: 'a', data: 'x', dosTime: 0 }]),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-date-bad.zip',
    bytes: () => zip([{ name: 'a', data: 'x', dosTime: 0xffffffff }]),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-date-unix-field.zip',
    bytes: () =>
      zip([
        {
          name: 'a',
          data: 'x',
          extra: extraField(0x5455, Buffer.concat([Buffer.from([1]), u32(1_700_000_000)])),
        },
      ]),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-date-ntfs-field.zip',
    bytes: () =>
      zip([
        {
          name: 'a',
          data: 'x',
          extra: extraField(
            0x000a,
            Buffer.concat([u32(0), u16(1), u16(24), u64(133_444_736_000_000_000n), u64(0), u64(0)]),
          ),
        },
      ]),
    holds: { a: 'x' },
  },
  {
    file: 'accepted-archive-inside.zip',
    bytes: () =>
      zip([
        { name: 'inner.zip', data: zip([{ name: 'x', data: 'y' }]), method: 0 },
        { name: 'z', data: 'z' },
      ]),
  },
  {
    file: 'accepted-ratio-of-small.zip',
    bytes: () => zip([{ name: 'a', data: ' '.repeat(9_000_000) }]),
    holds: { a: ' '.repeat(9_000_000) },
  },
  // Names in encodings of East Asia: the byte of a backslash is the second half of a character.
  ...(
    [
      [
        'shift-jis',
        ['95949569955c2e786d6c', '8adc974c95a88ebf95f18d90835c2e786d6c'],
        ['部品表.xml', '含有物質報告ソ.xml'],
      ],
      ['gbk', ['b2c4c1cf5c815c2e786d6c', 'c9ea88f3b1ed955c2e786d6c'], ['材料/乗.xml', '申報表昞.xml']],
      ['big5', ['a55cafe0aaed2e786d6c', 'b35ca5695cbb5c2e786d6c'], ['功能表.xml', '許可/蓋.xml']],
    ] as const
  ).map(([title, raw, names]) => ({
    file: `accepted-name-${title}.zip`,
    bytes: () =>
      zip([
        ...raw.map((name) => ({ name: Buffer.from(name, 'hex'), data: title, central: { madeBy: 20 } })),
        { name: 'größe', data: 'utf-8' },
      ]),
    holds: Object.fromEntries([
      ...names.flatMap((name) => [
        ...(name.includes('/') ? [[name.slice(0, name.indexOf('/') + 1), '']] : []),
        [name, title],
      ]),
      ['größe', 'utf-8'],
    ]),
  })),
  {
    // One name is not valid in any of them.
    file: 'accepted-name-cp437-beside.zip',
    bytes: () =>
      zip([
        { name: Buffer.from('935c612e786d6c', 'hex'), data: 'x', central: { madeBy: 20 } },
        { name: Buffer.from('61fd', 'hex'), data: 'y', central: { madeBy: 20 } },
      ]),
    holds: { 'a²': 'y', 'ô/': '', 'ô/a.xml': 'x' },
  },
  // The local header has the same path, spelled differently.
  {
    file: 'accepted-local-utf8-flag.zip',
    bytes: () => zip([{ name: 'a.xml', data: '<a/>', local: { flags: 0x800 } }]),
    holds: { 'a.xml': '<a/>' },
  },
  {
    // Python, when it appends.
    file: 'accepted-local-cp437.zip',
    bytes: () =>
      zip([
        {
          name: 'größe.xml',
          flags: 0x800,
          data: '<a/>',
          local: { name: Buffer.from('677294e1652e786d6c', 'hex'), flags: 0 },
        },
      ]),
    holds: { 'größe.xml': '<a/>' },
  },
  {
    // IZArc.
    file: 'accepted-local-slash.zip',
    bytes: () =>
      zip([{ name: 'sub\\a.xml', data: '<a/>', central: { madeBy: 20 }, local: { name: 'sub/a.xml' } }]),
    holds: { 'sub/': '', 'sub/a.xml': '<a/>' },
  },
  {
    // Dropbox.
    file: 'accepted-name-slash.zip',
    bytes: () => zip([{ name: '/' }, { name: 'a.xml', data: '<a/>' }]),
    holds: { 'a.xml': '<a/>' },
  },
  {
    file: 'accepted-descriptor-64-masked.zip',
    bytes: () =>
      zip([
        { name: 'a.xml', data: '<a/>', descriptor: 'signed64', local: { bytes: MAX, packedBytes: MAX } },
        { name: 'b.xml', data: '<b/>', descriptor: 'unsigned64', local: { bytes: MAX, packedBytes: MAX } },
      ]),
    holds: { 'a.xml': '<a/>', 'b.xml': '<b/>' },
  },
  // The size of a directory on the disk of its writer.
  ...(
    [
      ['both', { bytes: 4096 }, { bytes: 4096 }],
      ['listed', {}, { bytes: 4096 }],
      ['local', { bytes: 4096 }, {}],
    ] as const
  ).map(([title, local, central]) => ({
    file: `accepted-folder-size-${title}.zip`,
    bytes: () =>
      zip([
        { name: 'd/', local, central },
        { name: 'd/a.xml', data: '<a/>' },
      ]),
    holds: { 'd/': '', 'd/a.xml': '<a/>' },
  })),
  {
    file: 'accepted-folder-size-deflate.zip',
    bytes: () => zip([{ name: 'd/', method: 8, local: { bytes: 4096 }, central: { bytes: 4096 } }]),
    holds: { 'd/': '' },
  },
]
