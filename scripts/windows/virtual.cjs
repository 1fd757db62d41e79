// A RAM disk or another virtual drive: it has no real paths (EISDIR). And two drives that were just formatted: the first file of each has
// the same number.
const fs = require('node:fs')

fs.promises.realpath = async (path) => {
  throw Object.assign(new Error(`EISDIR: illegal operation on a directory, realpath '${path}'`), {
    code: 'EISDIR',
  })
}
const numbered = (path, facts) => {
  if (!/(?:^|[\\/])first\.\w+$/.test(String(path))) return facts
  const [dev, ino] = [/^e:/i.test(String(path)) ? 0xe : 0xc, 5]
  return typeof facts.ino === 'bigint'
    ? Object.assign(facts, { dev: BigInt(dev), ino: BigInt(ino) })
    : Object.assign(facts, { dev, ino })
}
for (const name of ['stat', 'lstat']) {
  const real = fs.promises[name]
  fs.promises[name] = async (path, ...rest) => numbered(path, await real.call(fs.promises, path, ...rest))
}
require('node:module').syncBuiltinESMExports()
