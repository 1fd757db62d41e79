import { extraField, u16, u32, unicodePathField, type ZipEntry, zip } from './zip.ts'
import type { Specimen } from './zip-specimen.ts'

const GOOD: ZipEntry = { name: 'good.xml', data: '<good/>' }

/** An archive with a harmless first entry, which a reader that writes before checking would write. */
function withName(name: string | Buffer, more: Partial<ZipEntry> = {}): () => Buffer {
  return () => zip([GOOD, { name, data: 'evil', ...more }])
}

function twins(...names: (string | ZipEntry)[]): () => Buffer {
  return () =>
    zip([
      GOOD,
      ...names.map((name) =>
        typeof name === 'string' ? { name, data: name.endsWith('/') ? '' : 'x' } : name,
      ),
    ])
}

const LINK = { mode: 0o120777, data: '../../outside', method: 0 }
const U_UMLAUT = Buffer.from([0x81])
const CLIMBING = Buffer.from('../\x81', 'latin1')
const flagged = (...bytes: number[]): (() => Buffer) => withName(Buffer.from(bytes), { flags: 0x800 })

/** Names that must never be written. */
export const NAME_SPECIMENS: readonly Specimen[] = (
  [
    ['name-dotdot', withName('../evil'), /"\.\.\/evil".*leaves the directory/],
    ['name-dotdot-far', withName('../../../../../../tmp/evil'), /leaves the directory/],
    ['name-dotdot-inside', withName('a/../../evil'), /leaves the directory/],
    ['name-dotdot-harmless', withName('a/../evil'), /leaves the directory/],
    ['name-dotdot-last', withName('a/..'), /leaves the directory/],
    ['name-dotdot-folder', withName('../', { data: '' }), /leaves the directory/],
    ['name-dotdot-backslash', withName('..\\evil'), /leaves the directory/],
    ['name-dotdot-mixed', withName('a/..\\..\\evil'), /leaves the directory/],
    ['name-dotdot-overlong-utf8', flagged(0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x61), /marked as UTF-8 but is not/],
    ['name-absolute', withName('/tmp/evil'), /absolute/],
    ['name-absolute-backslash', withName('\\evil'), /absolute/],
    ['name-unc', withName('//server/share/evil'), /UNC/],
    ['name-unc-backslash', withName('\\\\server\\share\\evil'), /UNC/],
    ['name-drive', withName('C:/evil'), /drive/],
    ['name-drive-relative', withName('c:evil'), /drive/],
    ['name-drive-backslash', withName('C:\\evil'), /drive/],
    ['name-stream', withName('a/b:evil'), /":"/],
    ['name-backslash', withName('a\\b'), /backslash/],
    ['name-nul', withName('a.xml\0.exe'), /"a\.xml\\u0000\.exe".*NUL/],
    ['name-newline', withName('a\nb'), /control/],
    ['name-escape', withName('\u001b[2Jevil'), /"\\u001b\[2Jevil".*control/],
    ['name-delete', withName('a\u007fb'), /control/],
    ['name-c1', withName('a\u009b2Jb'), /control/],
    ['name-empty', withName(''), /empty/],
    ['name-slashes', withName('//', { data: '' }), /UNC/],
    ['name-dot', withName('.'), /component "\."/],
    ['name-dot-then-dotdot', withName('./../a'), /leaves the directory/],
    ['name-dos-dotdot', withName('..\\evil', { central: { madeBy: 20 } }), /leaves the directory/],
    ['name-dos-drive', withName('C:\\evil', { central: { madeBy: 20 } }), /drive/],
    ['name-dos-mixed', withName('a/b\\c', { central: { madeBy: 20 } }), /backslash/],
    ['twin-dot', twins('a', './a'), /twice/],
    ['twin-dot-folder', twins('./', './'), /twice/],
    ['name-dot-inside', withName('a/./b'), /component "\."/],
    ['name-double-slash', withName('a//b'), /empty component/],
    ['name-trailing-dot', withName('a./b'), /dot or a space/],
    ['name-trailing-space', withName('a.xml '), /dot or a space/],
    ['name-dots-only', withName('a/.../b'), /dot or a space/],
    ['name-reserved-con', withName('CON'), /reserved/],
    ['name-reserved-extension', withName('a/nul.tar.gz'), /reserved/],
    ['name-reserved-folder', withName('Aux/a.xml'), /reserved/],
    ['name-reserved-com', withName('com7.xml'), /reserved/],
    ['name-reserved-superscript', withName('lpt²'), /reserved/],
    ['name-reserved-conin', withName('CONIN$'), /reserved/],
    ['name-reserved-space', withName('prn .txt'), /reserved/],
    ['name-long-component', withName('x'.repeat(256)), /256 bytes/],
    ['name-long-component-utf8', withName('ä'.repeat(128)), /256 bytes/],
    [
      'name-long-path',
      withName([...Array<string>(11).fill('x'.repeat(200)), 'a'].join('/')),
      /2212 bytes long/,
    ],
    ['name-deep', withName(`${'d/'.repeat(200)}a`), /201 directories deep/],
    ['name-bad-utf8', flagged(0x61, 0xff), /marked as UTF-8/],
    ['name-surrogate', flagged(0xed, 0xa0, 0x80), /marked as UTF-8/],
    ['twin-exact', twins('a', 'b', 'a'), /"a".*occurs twice/],
    ['twin-folder', twins('a/', 'b', 'a/'), /occurs twice/],
    ['twin-case', twins('a/File.xml', 'a/file.XML'), /differs from "a\/File\.xml" only by case/],
    ['twin-case-folder', twins('Folder/a', 'folder/b'), /only by case/],
    ['twin-case-folder-apart', twins('Folder/a', 'n', 'folder/b'), /only by case/],
    ['twin-unicode-form', twins('gr\u00f6sse', 'gro\u0308sse'), /Unicode form/],
    ['twin-sharp-s', twins('stra\u00dfe', 'STRASSE'), /only by case/],
    ['twin-long-s', twins('s', '\u017f'), /only by case/],
    ['twin-kelvin', twins('k', '\u212a'), /only by case/],
    ['twin-invisible', twins('ab', 'a\u200bb'), /"a\\u200bb"/],
    ['twin-code-page', twins({ name: U_UMLAUT, data: 'x' }, '\u00fc'), /twice/],
    ['file-then-folder', twins('a', 'a/b'), /directory here and a file elsewhere/],
    ['folder-then-file', twins('a/b', 'a'), /file here and a directory elsewhere/],
    ['file-and-folder-apart', twins('a', 'a-b', 'a.c', 'a/b'), /directory here and a file elsewhere/],
    ['file-and-folder-case', twins('A', 'a/b'), /directory here and a file elsewhere/],
    [
      'unicode-path-ascii',
      withName('safe.xml', { extra: unicodePathField('safe.xml', 'evil.xml') }),
      /another name, "evil\.xml"/,
    ],
    [
      'unicode-path-traversal',
      withName(CLIMBING, { extra: unicodePathField(CLIMBING, '../ü') }),
      /leaves the directory/,
    ],
    [
      'unicode-path-into-ascii',
      withName(U_UMLAUT, { extra: unicodePathField(U_UMLAUT, 'evil.xml') }),
      /another name, "evil\.xml"/,
    ],
    [
      'unicode-path-fallback-elsewhere',
      withName('safe_.xml', { extra: unicodePathField('safe_.xml', 'evilö.xml') }),
      /another name/,
    ],
    ['unicode-path-flagged', withName('ü', { extra: unicodePathField('ü', 'ö') }), /another name/],
    [
      'unicode-path-stale',
      withName(U_UMLAUT, { extra: unicodePathField('other', 'ü') }),
      /belongs to another name/,
    ],
    ['unicode-path-version', withName('a', { extra: unicodePathField('a', 'a', 2) }), /malformed/],
    [
      'unicode-path-not-utf8',
      withName(U_UMLAUT, { extra: unicodePathField(U_UMLAUT, Buffer.from([0xff])) }),
      /not UTF-8/,
    ],
    [
      'unicode-path-twice',
      withName('ü', { extra: Buffer.concat([unicodePathField('ü', 'ü'), unicodePathField('ü', 'ü')]) }),
      /two Unicode path/,
    ],
    [
      'unicode-path-local',
      withName(U_UMLAUT, {
        extra: unicodePathField(U_UMLAUT, 'ü'),
        local: { extra: unicodePathField(U_UMLAUT, 'ö') },
      }),
      /local header has a Unicode path/,
    ],
    [
      'unicode-path-local-stale',
      withName(U_UMLAUT, {
        extra: unicodePathField(U_UMLAUT, 'ü'),
        local: { extra: unicodePathField('other', 'ü') },
      }),
      /local header has a Unicode path/,
    ],
  ] as const
).map(([name, bytes, says]) => ({ file: `refused-${name}.zip`, bytes, says }))

/** Entries that are neither files nor directories, or both. */
export const KIND_SPECIMENS: readonly Specimen[] = (
  [
    ['link', withName('link', LINK), /"link".*symbolic link/],
    [
      'link-then-through',
      () => zip([GOOD, { name: 'd', ...LINK }, { name: 'd/evil', data: 'x' }]),
      /symbolic link/,
    ],
    ['link-dos-host', withName('link', { ...LINK, central: { madeBy: 20 } }), /symbolic link/],
    ['link-named-folder', withName('link/', { ...LINK, data: '' }), /symbolic link/],
    [
      'link-pkware-field',
      withName('link', { extra: extraField(0x000d, Buffer.concat([Buffer.alloc(12), Buffer.from('../x')])) }),
      /link or a device/,
    ],
    [
      'link-asi-field',
      withName('link', {
        extra: extraField(0x756e, Buffer.concat([u32(0), u16(0o120777), Buffer.alloc(8)])),
      }),
      /link or a special file/,
    ],
    ['device', withName('dev', { mode: 0o020666 }), /device, a pipe or a socket/],
    ['block-device', withName('dev', { mode: 0o060666 }), /device/],
    ['pipe', withName('pipe', { mode: 0o010666, data: '' }), /pipe/],
    ['pipe-folder', withName('pipe/', { mode: 0o010666, data: '' }), /pipe/],
    ['socket', withName('socket', { mode: 0o140666 }), /socket/],
    ['folder-by-mode', withName('a', { mode: 0o040755, data: '' }), /directory by its attributes/],
    ['folder-by-dos-bit', withName('a', { external: 0x10, data: '' }), /directory by its attributes/],
    ['file-by-mode', withName('a/', { mode: 0o100644, data: '' }), /file by its attributes/],
    ['folder-with-data', withName('a/', { data: 'data', method: 0 }), /directory that holds 4 bytes/],
    ['folder-with-packed-data', withName('a/', { data: 'data', method: 8 }), /directory that holds 6 bytes/],
  ] as const
).map(([name, bytes, says]) => ({ file: `refused-${name}.zip`, bytes, says }))
