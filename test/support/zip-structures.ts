import { deflateRawSync } from 'node:zlib'
import { extraField, u32, u64, type ZipEntry, type ZipOptions, zip } from './zip.ts'
import type { Specimen } from './zip-specimen.ts'

const A: ZipEntry = { name: 'a.xml', data: '<a/>' }
const B: ZipEntry = { name: 'b.xml', data: '<b>bbbbbbbbbbbbbbbb</b>' }
const SECRET = zip([{ name: 'secret.xml', data: '<secret/>' }])
const JUNK = Buffer.from('junk')

function made(entries: readonly ZipEntry[], options: ZipOptions = {}): () => Buffer {
  return () => zip(entries, options)
}

function lies(local: ZipEntry['local'], entry: ZipEntry = A): () => Buffer {
  return made([B, { ...entry, local: local ?? {} }])
}

const zip64 = (...values: number[]): Buffer => extraField(0x0001, Buffer.concat(values.map(u64)))
const MAX = 0xffffffff

/** Archives that two readers could interpret differently, or that no reader should open. */
export const STRUCTURE_SPECIMENS: readonly Specimen[] = [
  // Local headers and descriptors against the directory.
  {
    file: 'refused-local-name.zip',
    bytes: lies({ name: 'x.xml' }),
    says: /"a\.xml" at offset \d+: its local header names it "x\.xml"/,
  },
  { file: 'refused-local-name-length.zip', bytes: lies({ name: 'a.xm' }), says: /names it "a\.xm"/ },
  { file: 'refused-local-name-traversal.zip', bytes: lies({ name: '../ev' }), says: /names it/ },
  {
    file: 'refused-local-name-other-cp437.zip',
    bytes: lies(
      { name: Buffer.from('677294e1652e786d6d', 'hex'), flags: 0 },
      { ...A, name: 'größe.xml', flags: 0x800 },
    ),
    says: /its local header names it/,
  },
  {
    file: 'refused-local-name-backslash.zip',
    bytes: lies({ name: 'sub\\a.xml' }, { ...A, name: 'sub/a.xml' }),
    says: /its local header names it/,
  },
  {
    file: 'refused-local-name-backslash-traversal.zip',
    bytes: lies({ name: '../a.xml' }, { ...A, name: 'xx\\a.xml', central: { madeBy: 20 } }),
    says: /its local header names it/,
  },
  {
    file: 'refused-local-masked-short-descriptor.zip',
    bytes: lies({ bytes: MAX, packedBytes: MAX }, { ...A, descriptor: 'signed' }),
    says: /no data descriptor that agrees/,
  },
  {
    file: 'refused-local-masked-without-descriptor.zip',
    bytes: lies({ bytes: MAX, packedBytes: MAX }),
    says: /says 4294967295 bytes packed/,
  },
  {
    file: 'refused-local-method.zip',
    bytes: lies({ method: 0 }),
    says: /says stored, the directory deflate/,
  },
  { file: 'refused-local-encrypted.zip', bytes: lies({ flags: 1 }), says: /other flags/ },
  { file: 'refused-local-descriptor-flag.zip', bytes: lies({ flags: 8 }), says: /other flags/ },
  { file: 'refused-local-crc.zip', bytes: lies({ crc32: 1 }), says: /another CRC-32/ },
  { file: 'refused-local-size.zip', bytes: lies({ bytes: 3 }), says: /says \d+ bytes packed and 3 unpacked/ },
  { file: 'refused-local-packed-size.zip', bytes: lies({ packedBytes: 3 }), says: /says 3 bytes packed/ },
  {
    file: 'refused-local-size-with-descriptor.zip',
    bytes: lies({ bytes: 3 }, { ...A, descriptor: 'signed' }),
    says: /3 unpacked/,
  },
  {
    file: 'refused-local-signature.zip',
    bytes: lies({ signature: 0x04034b51 }),
    says: /local header cannot be read: invalid local file header signature/,
  },
  {
    file: 'refused-local-extra-cut.zip',
    bytes: lies({ extra: Buffer.from([9, 9, 200, 0, 1]) }),
    says: /local header has an extra field that is cut off/,
  },
  {
    file: 'refused-local-extra-beyond.zip',
    bytes: () => {
      const bytes = zip([A])
      bytes.writeUInt16LE(0xffff, 28)
      return bytes
    },
    says: /local header cannot be read: file data overflows file bounds/,
  },
  {
    file: 'refused-local-zip64-lie.zip',
    bytes: lies({ extra: zip64(5, 6) }),
    says: /ZIP64 field that disagrees/,
  },
  {
    // Others take the first value for the packed size.
    file: 'refused-local-zip64-packed-only.zip',
    bytes: lies({ extra: zip64(4, 6), packedBytes: MAX }),
    says: /ZIP64 field that disagrees/,
  },
  {
    file: 'refused-local-zip64-short.zip',
    bytes: lies({ extra: zip64(4), bytes: MAX }),
    says: /ZIP64 field of the wrong length/,
  },
  {
    file: 'refused-descriptor-missing.zip',
    bytes: made([{ ...A, descriptor: 'missing' }, B]),
    says: /no data descriptor/,
  },
  {
    file: 'refused-descriptor-lie.zip',
    bytes: made([{ ...A, descriptor: Buffer.concat([u32(0x08074b50), u32(1), u32(6), u32(4)]) }, B]),
    says: /no data descriptor that agrees/,
  },
  {
    file: 'refused-descriptor-signature.zip',
    bytes: made([{ ...A, descriptor: Buffer.alloc(16, 7) }, B]),
    says: /no data descriptor that agrees/,
  },
  {
    file: 'refused-descriptor-and-junk.zip',
    bytes: made([
      { ...A, descriptor: 'signed' },
      { ...B, gap: JUNK },
    ]),
    says: /4 bytes before it belong to no entry/,
  },
  {
    file: 'refused-descriptor-odd-length.zip',
    bytes: made([{ ...A, descriptor: Buffer.alloc(7) }, B]),
    says: /no data descriptor that agrees/,
  },
  {
    file: 'refused-descriptor-and-much-junk.zip',
    bytes: made([
      { ...A, descriptor: 'signed' },
      { ...B, gap: Buffer.alloc(400) },
    ]),
    says: /400 bytes before it belong to no entry/,
  },
  // Bytes outside of any record.
  {
    file: 'refused-bytes-in-front.zip',
    bytes: made([A, B], { prefix: JUNK }),
    says: /4 bytes before the first entry/,
  },
  {
    file: 'refused-bytes-in-front-uncounted.zip',
    bytes: made([A, B], { prefix: JUNK, countsPrefix: false }),
    says: /4 bytes too many before the archive/,
  },
  {
    file: 'refused-archive-in-front.zip',
    bytes: made([A, B], { prefix: SECRET }),
    says: /before the first entry/,
  },
  {
    file: 'refused-archive-in-front-uncounted.zip',
    bytes: made([A, B], { prefix: SECRET, countsPrefix: false }),
    says: /too many before the archive/,
  },
  {
    file: 'refused-script-in-front.zip',
    bytes: made([A], { prefix: Buffer.from('#!/bin/sh\nexit 0\n') }),
    says: /before the first entry/,
  },
  {
    file: 'refused-bytes-between.zip',
    bytes: made([A, { ...B, gap: JUNK }]),
    says: /"b\.xml".*4 bytes before it belong to no entry/,
  },
  {
    file: 'refused-unlisted-entry.zip',
    bytes: made([A, { name: 'hidden', data: 'x', isUnlisted: true }, B]),
    says: /belong to no entry/,
  },
  {
    file: 'refused-unlisted-first.zip',
    bytes: made([{ name: 'hidden', data: 'x', isUnlisted: true }, B]),
    says: /before the first entry/,
  },
  {
    file: 'refused-unlisted-last.zip',
    bytes: made([A, { name: 'hidden', data: 'x', isUnlisted: true }]),
    says: /before the central directory/,
  },
  {
    file: 'refused-unlisted-alone.zip',
    bytes: made([{ name: 'hidden', data: 'x', isUnlisted: true }]),
    says: /before the central directory/,
  },
  {
    file: 'refused-bytes-before-directory.zip',
    bytes: made([A, B], { beforeDirectory: JUNK }),
    says: /4 bytes before the central directory/,
  },
  {
    file: 'refused-bytes-after-directory.zip',
    bytes: made([A, B], { afterDirectory: JUNK }),
    says: /4 bytes too many before the archive or between/,
  },
  {
    file: 'refused-signature-after-directory.zip',
    bytes: made([A], { afterDirectory: Buffer.concat([u32(0x05054b50), Buffer.from([2, 0, 1, 1])]) }),
    says: /8 bytes too many/,
  },
  {
    file: 'refused-bytes-in-directory.zip',
    bytes: () => {
      const bytes = zip([A], { afterDirectory: JUNK })
      bytes.writeUInt32LE(bytes.readUInt32LE(bytes.length - 10) + 4, bytes.length - 10)
      return bytes
    },
    says: /central directory is 4 bytes longer than its 1 entry/,
  },
  {
    file: 'refused-trailing-bytes.zip',
    bytes: made([A, B], { suffix: JUNK }),
    says: /4 bytes follow the end record/,
  },
  {
    file: 'refused-trailing-newline.zip',
    bytes: made([A, B], { suffix: Buffer.from('\n') }),
    says: /1 byte follows/,
  },
  {
    file: 'refused-trailing-zeros-and-byte.zip',
    bytes: made([A, B], { suffix: Buffer.concat([Buffer.alloc(512), Buffer.from('x')]) }),
    says: /513 bytes follow/,
  },
  {
    file: 'refused-trailing-zeros-and-archive.zip',
    bytes: made([A, B], { suffix: Buffer.concat([Buffer.alloc(512), SECRET]) }),
    says: /bytes too many before the archive/,
  },
  {
    file: 'refused-two-end-records-and-zeros.zip',
    bytes: made([A], { comment: SECRET.subarray(-22), suffix: Buffer.alloc(512) }),
    says: /two end records/,
  },
  {
    file: 'refused-trailing-far.zip',
    bytes: made([A, B], { suffix: Buffer.alloc(70_000) }),
    says: /ends with more than 64 KiB of zeros/,
  },
  {
    file: 'refused-archive-behind.zip',
    bytes: made([A, B], { suffix: SECRET }),
    says: /bytes too many before the archive/,
  },
  // End records.
  {
    file: 'refused-comment-cut.zip',
    bytes: made([A], { comment: Buffer.from('hello'), commentLength: 9 }),
    says: /comment of the end record is truncated by 4/,
  },
  {
    file: 'refused-comment-too-long.zip',
    bytes: made([A], { comment: Buffer.from('hello'), commentLength: 2 }),
    says: /3 bytes follow/,
  },
  {
    file: 'refused-comment-with-end-record.zip',
    bytes: made([A], { comment: Buffer.concat([Buffer.from('x'), SECRET.subarray(-22)]) }),
    says: /two end records/,
  },
  {
    file: 'refused-comment-with-archive.zip',
    bytes: made([A], { comment: SECRET }),
    says: /two end records/,
  },
  {
    file: 'refused-comment-with-end-signature.zip',
    bytes: made([A], { comment: Buffer.from('PK\x05\x06 is not the end', 'latin1') }),
    says: /second end record/,
  },
  {
    file: 'refused-two-end-records.zip',
    bytes: () => {
      const bytes = zip([A])
      return Buffer.concat([bytes, bytes.subarray(-22)])
    },
    says: /22 bytes too many/,
  },
  { file: 'refused-end-cut.zip', bytes: () => zip([A]).subarray(0, -3), says: /end record is truncated/ },
  {
    file: 'refused-end-missing.zip',
    bytes: () => zip([A]).subarray(0, -22),
    says: /no end of central directory/,
  },
  {
    file: 'refused-count-low.zip',
    bytes: made([A, B], { end: { count: 1, countHere: 1 } }),
    says: /central directory is 51 bytes longer than its 1 entry/,
  },
  {
    file: 'refused-count-zero.zip',
    bytes: made([A], { end: { count: 0, countHere: 0 } }),
    says: /central directory is 51 bytes longer than its 0 entries/,
  },
  {
    file: 'refused-count-high.zip',
    bytes: made([A, B], { end: { count: 3, countHere: 3 } }),
    says: /is too small for 3 entries/,
  },
  {
    file: 'refused-count-very-high.zip',
    bytes: made([A, B], { end: { count: 0xfffe, countHere: 0xfffe } }),
    says: /is too small for 65,534 entries/,
  },
  {
    file: 'refused-count-here.zip',
    bytes: made([A, B], { end: { countHere: 1 } }),
    says: /counts 1 entries here and 2 in all/,
  },
  {
    file: 'refused-directory-size-low.zip',
    bytes: made([A, B], { end: { directoryBytes: 60 } }),
    says: /too many before the archive/,
  },
  {
    file: 'refused-directory-size-high.zip',
    bytes: made([A, B], { end: { directoryBytes: 5000 } }),
    says: /beyond itself/,
  },
  {
    file: 'refused-directory-offset-low.zip',
    bytes: made([A, B], { end: { directoryOffset: 0 } }),
    says: /too many before the archive/,
  },
  {
    file: 'refused-directory-offset-high.zip',
    bytes: made([A, B], { end: { directoryOffset: 0x7fffffff } }),
    says: /beyond itself/,
  },
  {
    file: 'refused-directory-shifted.zip',
    bytes: made([A, B], { end: { directoryOffset: 0, directoryBytes: 192 } }),
    says: /beyond/,
  },
  {
    file: 'refused-record-signature.zip',
    bytes: made([A, { ...B, central: { signature: 0x02014b51 } }]),
    says: /ends at record 2 of 2: invalid central directory file header signature/,
  },
  {
    file: 'refused-record-cut.zip',
    bytes: () => {
      const bytes = zip([A])
      const at = bytes.readUInt32LE(bytes.length - 6)
      bytes.writeUInt16LE(500, at + 32)
      return bytes
    },
    says: /ends at record/,
  },
  {
    file: 'refused-split-disk.zip',
    bytes: made([A], { end: { disk: 1 } }),
    says: /split over several files/,
  },
  {
    file: 'refused-split-directory.zip',
    bytes: made([A], { end: { directoryDisk: 1 } }),
    says: /split over several files/,
  },
  {
    file: 'refused-split-entry.zip',
    bytes: made([{ ...A, central: { disk: 1 } }]),
    says: /starts in file 2 of several/,
  },
  {
    file: 'refused-split-marker.zip',
    bytes: made([A], { prefix: Buffer.from('PK\x07\x08', 'latin1') }),
    says: /before the first entry/,
  },
  // ZIP64.
  {
    file: 'refused-zip64-absent.zip',
    bytes: made([A], { end: { directoryOffset: MAX } }),
    says: /ZIP64 records that are not there/,
  },
  {
    file: 'refused-zip64-count-lie.zip',
    bytes: made([A], { zip64: { count: 2, countHere: 2 }, end: { count: 1, countHere: 1 } }),
    says: /disagree/,
  },
  {
    file: 'refused-zip64-count-high.zip',
    bytes: made([A], { zip64: { count: 2 ** 40, countHere: 2 ** 40 } }),
    says: /1,099,511,627,776 entries/,
  },
  {
    file: 'refused-zip64-count-here.zip',
    bytes: made([A], { zip64: { countHere: 2 } }),
    says: /counts 2 entries here and 1/,
  },
  {
    file: 'refused-zip64-offset-lie.zip',
    bytes: made([A], { zip64: { directoryOffset: 1 } }),
    says: /40 bytes too many/,
  },
  {
    file: 'refused-zip64-offset-huge.zip',
    bytes: made([A], { zip64: { directoryOffset: 2 ** 52 } }),
    says: /beyond itself/,
  },
  {
    file: 'refused-zip64-plain-disagrees.zip',
    bytes: made([A], { zip64: {}, end: { directoryOffset: 1 } }),
    says: /disagree/,
  },
  { file: 'refused-zip64-size.zip', bytes: made([A], { zip64: { size: 100 } }), says: /wrong length/ },
  {
    file: 'refused-zip64-signature.zip',
    bytes: made([A], { zip64: { signature: 1 } }),
    says: /wrong signature/,
  },
  {
    file: 'refused-zip64-locator-elsewhere.zip',
    bytes: made([A], { zip64: { recordOffset: 0 } }),
    says: /locator does not point/,
  },
  {
    file: 'refused-zip64-gap.zip',
    bytes: made([A], { zip64: { gap: JUNK } }),
    says: /locator does not point/,
  },
  {
    file: 'refused-zip64-disks.zip',
    bytes: made([A], { zip64: { disks: 2 } }),
    says: /split over several files/,
  },
  {
    file: 'refused-zip64-disk.zip',
    bytes: made([A], { zip64: { disk: 1 } }),
    says: /split over several files/,
  },
  {
    file: 'refused-zip64-field-absent.zip',
    bytes: made([{ ...A, central: { bytes: MAX } }]),
    says: /no ZIP64 field/,
  },
  {
    file: 'refused-zip64-field-short.zip',
    bytes: made([{ ...A, central: { bytes: MAX, packedBytes: MAX, extra: zip64(4) } }]),
    says: /record 1 of 1: zip64 .* does not include compressed size/,
  },
  {
    file: 'refused-zip64-field-lie.zip',
    bytes: made([{ ...A, central: { extra: zip64(5, 6) } }]),
    says: /ZIP64 field that disagrees with its record/,
  },
  {
    file: 'refused-zip64-field-twice.zip',
    bytes: made([{ ...A, central: { bytes: MAX, extra: Buffer.concat([zip64(4), zip64(5)]) } }]),
    says: /two ZIP64 fields/,
  },
  {
    file: 'refused-zip64-field-huge.zip',
    bytes: made([{ ...A, central: { bytes: MAX, extra: extraField(1, Buffer.alloc(8, 0xff)) } }]),
    says: /ZIP64 field that disagrees/,
  },
  {
    file: 'refused-zip64-field-disk.zip',
    bytes: made([
      { ...A, central: { extra: extraField(1, Buffer.concat([u64(4), u64(6), u64(0), u32(3)])) } },
    ]),
    says: /another file of several|disagrees/,
  },
  // Overlaps.
  {
    file: 'refused-overlap-same-header.zip',
    bytes: made([A, B, { ...A, name: 'a.xml', isOnlyListed: true, central: { headerOffset: 0 } }]),
    says: /overlaps|occurs twice/,
  },
  { file: 'refused-overlap-quoted.zip', bytes: quotedOverlap, says: /overlaps/ },
  {
    file: 'refused-overlap-part.zip',
    bytes: made([
      { ...A, method: 0, central: { packedBytes: 30, bytes: 30 }, local: { packedBytes: 30, bytes: 30 } },
      B,
    ]),
    says: /overlaps "a\.xml"/,
  },
  {
    file: 'refused-overlap-directory.zip',
    bytes: made([
      { ...A, method: 0, central: { packedBytes: 60, bytes: 60 }, local: { packedBytes: 60, bytes: 60 } },
    ]),
    says: /reaches into the directory/,
  },
  {
    file: 'refused-header-in-directory.zip',
    bytes: made([A, { ...B, central: { headerOffset: 140 } }]),
    says: /does not fit before the directory|no local header|belong to no entry/,
  },
  {
    file: 'refused-header-beyond.zip',
    bytes: made([A, { ...B, central: { headerOffset: 0x7fffffff } }]),
    says: /has a local header that does not fit/,
  },
  // Unsupported features.
  { file: 'refused-encrypted.zip', bytes: made([B, { ...A, flags: 1 }]), says: /"a\.xml".*is encrypted/ },
  {
    file: 'refused-encrypted-strong.zip',
    bytes: made([B, { ...A, flags: 0x41 }]),
    says: /"a\.xml" at offset \d+: is encrypted \(strong encryption\)/,
  },
  {
    file: 'refused-encrypted-no-record.zip',
    bytes: made([B, { ...A, flags: 0x41, central: { signature: 0x02014b51 } }]),
    says: /central directory ends at record 2 of 2: invalid central directory file header signature/,
  },
  { file: 'refused-encrypted-aes.zip', bytes: made([{ ...A, flags: 1, method: 99 }]), says: /AES/ },
  { file: 'refused-encrypted-masked.zip', bytes: made([{ ...A, flags: 0x2001 }]), says: /strong encryption/ },
  { file: 'refused-patch.zip', bytes: made([{ ...A, flags: 0x20 }]), says: /patch/ },
  ...(
    [
      [1, 'shrink'],
      [6, 'implode'],
      [9, 'deflate64'],
      [12, 'bzip2'],
      [14, 'lzma'],
      [93, 'zstd'],
      [95, 'xz'],
      [98, 'PPMd'],
      [77, 'method 77'],
    ] as const
  ).map(
    ([method, name]): Specimen => ({
      file: `refused-method-${name.replace(' ', '-')}.zip`,
      bytes: made([B, { ...A, method }]),
      says: new RegExp(`"a\\.xml".*packed with ${name}`),
    }),
  ),
  {
    file: 'refused-version.zip',
    bytes: made([{ ...A, central: { versionNeeded: 64 } }]),
    says: /needs version 6\.4 of the format/,
  },
  {
    file: 'refused-stored-sizes.zip',
    bytes: made([{ ...A, method: 0, central: { bytes: 5 }, local: { bytes: 5 } }]),
    says: /is stored, but declares 4 bytes packed and 5/,
  },
  {
    file: 'refused-extra-cut.zip',
    bytes: made([{ ...A, central: { extra: Buffer.from([9, 9, 200, 0, 1]) } }]),
    says: /record 1 of 1: extra field length exceeds/,
  },
  {
    file: 'refused-extra-tail.zip',
    bytes: made([{ ...A, central: { extra: Buffer.from([1]) } }]),
    says: /extra field that is cut off/,
  },
]

/** Two entries that share the second's bytes: the first is stored around the second's header, as in a quoted overlap bomb. */
function quotedOverlap(): Buffer {
  const kernel = deflateRawSync(Buffer.alloc(1000))
  const inner = zip([{ name: 'b', data: Buffer.alloc(1000), packed: kernel, method: 8 }])
  const innerEntry = inner.subarray(0, 30 + 1 + kernel.length)
  const offset = 30 + 1
  return zip([
    { name: 'a', data: innerEntry, packed: innerEntry, method: 0 },
    {
      name: 'b',
      data: Buffer.alloc(1000),
      packed: kernel,
      method: 8,
      isOnlyListed: true,
      central: { headerOffset: offset },
    },
  ])
}

/** Files of other types with a `.zip` name. */
export const FOREIGN_SPECIMENS: readonly Specimen[] = [
  ...(
    [
      ['empty', Buffer.alloc(0), /it is empty \(0 bytes\)/],
      ['html', Buffer.from('<!DOCTYPE html><html><title>Sign in</title></html>'), /web page \(HTML\)/],
      ['html-bom', Buffer.from('\ufeff\n <HTML><body>no</body></HTML>'), /web page \(HTML\)/],
      ['json', Buffer.from('{"message":"no such part"}'), /JSON/],
      ['json-list', Buffer.from('[1, 2]'), /JSON/],
      ['xml', Buffer.from('<?xml version="1.0"?><MainDeclaration/>'), /XML/],
      ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0]), /gzip/],
      ['7z', Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4]), /7z/],
      ['rar', Buffer.from('Rar!\u001a\u0007\u0001\u0000'), /RAR/],
      ['pdf', Buffer.from('%PDF-1.7\n'), /PDF/],
      [
        'tar',
        Buffer.concat([Buffer.from('a.txt'), Buffer.alloc(252), Buffer.from('ustar'), Buffer.alloc(250)]),
        /tar archive/,
      ],
      ['text', Buffer.from('service closed for maintenance\n'), /plain text/],
      ['zeros', Buffer.alloc(4096), /zeros only/],
      ['noise', Buffer.from([0x90, 0x01, 0xf3, 0x88, 0x17]), /does not start with an entry/],
    ] as const
  ).map(
    ([name, bytes, says]): Specimen => ({
      file: `refused-foreign-${name}.zip`,
      bytes: () => Buffer.from(bytes),
      says,
    }),
  ),
]
