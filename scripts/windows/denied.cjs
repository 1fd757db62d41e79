// An access list that lets nobody create files in a directory whose name is "denied", of which access() knows nothing.
const fs = require('node:fs')
const { basename, dirname, resolve } = require('node:path')

const isDenied = (path) => basename(dirname(resolve(String(path)))) === 'denied'
const creates = (flags) =>
  typeof flags === 'string' ? /[wa]/.test(flags) : (flags & fs.constants.O_CREAT) !== 0
const refuse = (call, path) => {
  throw Object.assign(new Error(`EPERM: operation not permitted, ${call} '${path}'`), {
    code: 'EPERM',
    syscall: call,
  })
}
const { open, mkdir } = fs.promises
fs.promises.open = async (path, flags, mode) =>
  isDenied(path) && creates(flags) ? refuse('open', path) : open(path, flags, mode)
fs.promises.mkdir = async (path, options) => (isDenied(path) ? refuse('mkdir', path) : mkdir(path, options))
require('node:module').syncBuiltinESMExports()
