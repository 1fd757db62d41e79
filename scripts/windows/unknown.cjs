// What libuv returns for a bad network path or an offline cloud file: code UNKNOWN, for every path with "offline" in it.
const fs = require('node:fs')
const isBad = (path) => /offline/i.test(String(path))
const failure = (syscall, path) =>
  Object.assign(new Error(`UNKNOWN: unknown error, ${syscall} '${path}'`), {
    errno: -4094,
    code: 'UNKNOWN',
    syscall,
    path,
  })
for (const name of ['lstat', 'stat', 'open', 'mkdir', 'realpath', 'readFile', 'rename', 'readdir']) {
  const real = fs.promises[name]
  fs.promises[name] = async (path, ...rest) => {
    if (isBad(path)) throw failure(name, path)
    return real.call(fs.promises, path, ...rest)
  }
}
for (const name of ['lstatSync', 'statSync', 'openSync', 'mkdirSync', 'readFileSync']) {
  const real = fs[name]
  fs[name] = (path, ...rest) => {
    if (isBad(path)) throw failure(name, path)
    return real.call(fs, path, ...rest)
  }
}
require('node:module').syncBuiltinESMExports()
