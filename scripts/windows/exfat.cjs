// FAT32 and exFAT: a hard link fails with EISDIR (libuv's translation of ERROR_INVALID_FUNCTION).
const fs = require('node:fs')
const refuse = (from, to) => {
  throw Object.assign(new Error(`EISDIR: illegal operation on a directory, link '${from}' -> '${to}'`), {
    code: 'EISDIR',
    syscall: 'link',
  })
}
fs.promises.link = async (from, to) => refuse(from, to)
fs.linkSync = refuse
require('node:module').syncBuiltinESMExports()
