// Holds a file open until the file that MATDECL_HELD names is removed: node hold.mjs PATH MS. As Excel does, without sharing it; with
// MATDECL_SHARED as a program does that lets others read and remove it.
import fs from 'node:fs'

const [, , path, ms] = process.argv
const mark = process.env.MATDECL_HELD
const unshared = process.env.MATDECL_SHARED === undefined ? 0x10000000 : 0
const fd = fs.openSync(path, fs.constants.O_RDWR | unshared)
fs.writeFileSync(mark, String(process.pid))
const end = () => {
  fs.closeSync(fd)
  process.exit()
}
setTimeout(end, Number(ms))
setInterval(() => fs.existsSync(mark) || end(), 50)
