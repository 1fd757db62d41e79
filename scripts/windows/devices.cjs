// Node 22.12 to 22.16 and 24.0 to 24.1 on Windows 11 24H2: `dev` of a stat by path differs from that of fstat (libuv 4698).
const fs = require('node:fs')
const zero = (stats) => {
  if (stats && 'dev' in stats) stats.dev = typeof stats.dev === 'bigint' ? 0n : 0
  return stats
}
for (const name of ['lstat', 'stat']) {
  const real = fs.promises[name]
  fs.promises[name] = async (...rest) => zero(await real.apply(fs.promises, rest))
}
for (const name of ['lstatSync', 'statSync']) {
  const real = fs[name]
  fs[name] = (...rest) => zero(real.apply(fs, rest))
}
require('node:module').syncBuiltinESMExports()
