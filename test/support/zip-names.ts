import type { ZipEntry } from './zip.ts'
import { extraField, u16, u32, unicodePathField, zip } from './zip.ts'
import type { Specimen } from './zip-specimen.ts'

const GOOD: ZipEntry = { name: 'good.xml', data: '<good/>' }

function withName(name: string | Buffer, more: Partial<ZipEntry> = {}): () => Buffer {
  return () => zip([GOOD, { name, data: 'evil', ...more }])
}

function twins(...names: readonly (string | ZipEntry)[]): () => Buffer {
  return () =>
    zip([
      GOOD,
      ...names.map((name) =>
        typeof name === 'string' ? { name, data: name.endsWith('/') ? '' : 'x' } : name,
      ),
    ])
}

const LINK: Partial<ZipEntry> = { mode: 0o120777, data: '../../outside', method: 0 }
const flagged = (...bytes: readonly number[]): ZipEntry => ({
  name: Buffer.from(bytes),
  data: 'x',
  flags: 0x800,
})

/** Archives whose names must not be unpacked, each for its own reason. */
export const NAME_SPECIMENS: readonly Specimen[] = [
  { file: 'refused-name-dotdot.zip', bytes: withName('../evil'), says: /"\.\.\/evil".*climbs out/ },
  { file: 'refused-name-dotdot-far.zip', bytes: withName('../../../../../../tmp/evil'), says: /climbs out/ },
  { file: 'refused-name-dotdot-inside.zip', bytes: withName('a/../../evil'), says: /climbs out/ },
  { file: 'refused-name-dotdot-harmless.zip', bytes: withName('a/../evil'), says: /climbs out/ },
  { file: 'refused-name-dotdot-last.zip', bytes: withName('a/..'), says: /climbs out/ },
  { file: 'refused-name-dotdot-folder.zip', bytes: withName('../', { data: '' }), says: /climbs out/ },
  { file: 'refused-name-dotdot-backslash.zip', bytes: withName('..\\evil'), says: /climbs out/ },
  { file: 'refused-name-dotdot-mixed.zip', bytes: withName('a/..\\..\\evil'), says: /climbs out/ },
  {
    file: 'refused-name-dotdot-overlong-utf8.zip',
    bytes: () => zip([GOOD, flagged(0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x61)]),
    says: /marked as UTF-8 and is not/,
  },
  { file: 'refused-name-absolute.zip', bytes: withName('/tmp/evil'), says: /absolute/ },
  { file: 'refused-name-absolute-backslash.zip', bytes: withName('\\evil'), says: /absolute/ },
  { file: 'refused-name-unc.zip', bytes: withName('//server/share/evil'), says: /UNC/ },
  { file: 'refused-name-unc-backslash.zip', bytes: withName('\\\\server\\share\\evil'), says: /UNC/ },
  { file: 'refused-name-drive.zip', bytes: withName('C:/evil'), says: /drive/ },
  { file: 'refused-name-drive-relative.zip', bytes: withName('c:evil'), says: /drive/ },
  { file: 'refused-name-drive-backslash.zip', bytes: withName('C:\\evil'), says: /drive/ },
  { file: 'refused-name-stream.zip', bytes: withName('a/b:evil'), says: /":"/ },
  { file: 'refused-name-backslash.zip', bytes: withName('a\\b'), says: /backslash/ },
  { file: 'refused-name-nul.zip', bytes: withName('a.xml\u0000.exe'), says: /"a\.xml\\u0000\.exe".*NUL/ },
  { file: 'refused-name-newline.zip', bytes: withName('a\nb'), says: /control/ },
  { file: 'refused-name-escape.zip', bytes: withName('\u001b[2Jevil'), says: /"\\u001b\[2Jevil".*control/ },
  { file: 'refused-name-delete.zip', bytes: withName('a\u007fb'), says: /control/ },
  { file: 'refused-name-c1.zip', bytes: withName('a\u009b2Jb'), says: /control/ },
  { file: 'refused-name-empty.zip', bytes: withName(''), says: /empty/ },
  { file: 'refused-name-slash.zip', bytes: withName('/', { data: '' }), says: /empty/ },
  { file: 'refused-name-dot.zip', bytes: withName('./a'), says: /component "\."/ },
  { file: 'refused-name-dot-inside.zip', bytes: withName('a/./b'), says: /component "\."/ },
  { file: 'refused-name-double-slash.zip', bytes: withName('a//b'), says: /empty component/ },
  { file: 'refused-name-trailing-dot.zip', bytes: withName('a./b'), says: /dot or a space/ },
  { file: 'refused-name-trailing-space.zip', bytes: withName('a.xml '), says: /dot or a space/ },
  { file: 'refused-name-dots-only.zip', bytes: withName('a/.../b'), says: /dot or a space/ },
  { file: 'refused-name-reserved-con.zip', bytes: withName('CON'), says: /reserved/ },
  { file: 'refused-name-reserved-extension.zip', bytes: withName('a/nul.tar.gz'), says: /reserved/ },
  { file: 'refused-name-reserved-folder.zip', bytes: withName('Aux/a.xml'), says: /reserved/ },
  { file: 'refused-name-reserved-com.zip', bytes: withName('com7.xml'), says: /reserved/ },
  { file: 'refused-name-reserved-superscript.zip', bytes: withName('lpt²'), says: /reserved/ },
  { file: 'refused-name-reserved-conin.zip', bytes: withName('CONIN$'), says: /reserved/ },
  { file: 'refused-name-reserved-space.zip', bytes: withName('prn .txt'), says: /reserved/ },
  { file: 'refused-name-long-component.zip', bytes: withName('x'.repeat(256)), says: /256 bytes/ },
  { file: 'refused-name-long-component-utf8.zip', bytes: withName('ä'.repeat(128)), says: /256 bytes/ },
  {
    file: 'refused-name-long-path.zip',
    bytes: withName(`${'x'.repeat(200)}/`.repeat(11) + 'a'),
    says: /2201 bytes long/,
  },
  { file: 'refused-name-deep.zip', bytes: withName(`${'d/'.repeat(200)}a`), says: /201 folders deep/ },
  {
    file: 'refused-name-bad-utf8.zip',
    bytes: () => zip([GOOD, flagged(0x61, 0xff)]),
    says: /marked as UTF-8/,
  },
  {
    file: 'refused-name-surrogate.zip',
    bytes: () => zip([GOOD, flagged(0xed, 0xa0, 0x80)]),
    says: /marked as UTF-8/,
  },
  { file: 'refused-twin-exact.zip', bytes: twins('a', 'b', 'a'), says: /"a".*there twice/ },
  { file: 'refused-twin-folder.zip', bytes: twins('a/', 'b', 'a/'), says: /there twice/ },
  {
    file: 'refused-twin-case.zip',
    bytes: twins('a/File.xml', 'a/file.XML'),
    says: /differs from "a\/File\.xml" only by case/,
  },
  { file: 'refused-twin-case-folder.zip', bytes: twins('Folder/a', 'folder/b'), says: /only by case/ },
  {
    file: 'refused-twin-case-folder-apart.zip',
    bytes: twins('Folder/a', 'n', 'folder/b'),
    says: /only by case/,
  },
  {
    file: 'refused-twin-unicode-form.zip',
    bytes: twins('grösse', 'gro\u0308sse'),
    says: /Unicode form/,
  },
  { file: 'refused-twin-sharp-s.zip', bytes: twins('straße', 'STRASSE'), says: /only by case/ },
  { file: 'refused-twin-long-s.zip', bytes: twins('s', '\u017F'), says: /only by case/ },
  { file: 'refused-twin-kelvin.zip', bytes: twins('k', '\u212A'), says: /only by case/ },
  { file: 'refused-twin-invisible.zip', bytes: twins('ab', 'a\u200Bb'), says: /"a\\u200bb"/ },
  {
    file: 'refused-twin-code-page.zip',
    bytes: twins({ name: Buffer.from([0x81]), data: 'x' }, 'ü'),
    says: /twice/,
  },
  {
    file: 'refused-file-then-folder.zip',
    bytes: twins('a', 'a/b'),
    says: /folder here and a file elsewhere/,
  },
  {
    file: 'refused-folder-then-file.zip',
    bytes: twins('a/b', 'a'),
    says: /file here and a folder elsewhere/,
  },
  {
    file: 'refused-file-and-folder-apart.zip',
    bytes: twins('a', 'a-b', 'a.c', 'a/b'),
    says: /folder here and a file elsewhere/,
  },
  {
    file: 'refused-file-and-folder-case.zip',
    bytes: twins('A', 'a/b'),
    says: /folder here and a file elsewhere/,
  },
  { file: 'refused-link.zip', bytes: withName('link', LINK), says: /"link".*symbolic link/ },
  {
    file: 'refused-link-then-through.zip',
    bytes: () => zip([GOOD, { name: 'd', ...LINK }, { name: 'd/evil', data: 'x' }]),
    says: /symbolic link/,
  },
  {
    file: 'refused-link-dos-host.zip',
    bytes: withName('link', { ...LINK, central: { madeBy: 20 } }),
    says: /symbolic link/,
  },
  {
    file: 'refused-link-named-folder.zip',
    bytes: withName('link/', { ...LINK, data: '' }),
    says: /symbolic link/,
  },
  {
    file: 'refused-link-pkware-field.zip',
    bytes: withName('link', {
      extra: extraField(0x000d, Buffer.concat([Buffer.alloc(12), Buffer.from('../x')])),
    }),
    says: /link or a device/,
  },
  {
    file: 'refused-link-asi-field.zip',
    bytes: withName('link', {
      extra: extraField(0x756e, Buffer.concat([u32(0), u16(0o120777), Buffer.alloc(8)])),
    }),
    says: /link or a special file/,
  },
  {
    file: 'refused-device.zip',
    bytes: withName('dev', { mode: 0o20666 }),
    says: /device, a pipe or a socket/,
  },
  { file: 'refused-block-device.zip', bytes: withName('dev', { mode: 0o60666 }), says: /device/ },
  { file: 'refused-pipe.zip', bytes: withName('pipe', { mode: 0o10666 }), says: /pipe/ },
  { file: 'refused-socket.zip', bytes: withName('socket', { mode: 0o140666 }), says: /socket/ },
  {
    file: 'refused-folder-by-mode.zip',
    bytes: withName('a', { mode: 0o40755, data: '' }),
    says: /folder by its attributes/,
  },
  {
    file: 'refused-folder-by-dos-bit.zip',
    bytes: withName('a', { external: 16, data: '' }),
    says: /folder by its attributes/,
  },
  {
    file: 'refused-file-by-mode.zip',
    bytes: withName('a/', { mode: 0o100644, data: '' }),
    says: /file by its attributes/,
  },
  {
    file: 'refused-folder-with-data.zip',
    bytes: withName('a/', { data: 'data', method: 0 }),
    says: /folder that holds 4 bytes/,
  },
  {
    file: 'refused-unicode-path-ascii.zip',
    bytes: withName('safe.xml', { extra: unicodePathField('safe.xml', 'evil.xml') }),
    says: /another name, "evil\.xml"/,
  },
  {
    file: 'refused-unicode-path-traversal.zip',
    bytes: withName(Buffer.from([0x81]), { extra: unicodePathField(Buffer.from([0x81]), '../evil') }),
    says: /climbs out/,
  },
  {
    file: 'refused-unicode-path-flagged.zip',
    bytes: withName('ü', { extra: unicodePathField('ü', 'ö') }),
    says: /another name/,
  },
  {
    file: 'refused-unicode-path-stale.zip',
    bytes: withName(Buffer.from([0x81]), { extra: unicodePathField('other', 'ü') }),
    says: /belongs to another name/,
  },
  {
    file: 'refused-unicode-path-version.zip',
    bytes: withName('a', { extra: unicodePathField('a', 'a', 2) }),
    says: /malformed/,
  },
  {
    file: 'refused-unicode-path-not-utf8.zip',
    bytes: withName(Buffer.from([0x81]), {
      extra: unicodePathField(Buffer.from([0x81]), Buffer.from([0xff])),
    }),
    says: /not UTF-8/,
  },
  {
    file: 'refused-unicode-path-twice.zip',
    bytes: withName('ü', { extra: Buffer.concat([unicodePathField('ü', 'ü'), unicodePathField('ü', 'ü')]) }),
    says: /two Unicode path/,
  },
  {
    file: 'refused-unicode-path-local.zip',
    bytes: withName(Buffer.from([0x81]), {
      extra: unicodePathField(Buffer.from([0x81]), 'ü'),
      local: { extra: unicodePathField(Buffer.from([0x81]), 'ö') },
    }),
    says: /local header has a Unicode path/,
  },
]
