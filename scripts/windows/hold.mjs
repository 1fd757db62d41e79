// Holds a file open as Excel does (no sharing), until the file that MATDECL_HELD names is removed: node hold.mjs PATH MS
import fs from 'node:fs'

const [, , path, ms] = process.argv
const mark = process.env.MATDECL_HELD
const fd = fs.openSync(path, fs.constants.O_RDWR | 0x10000000)
fs.writeFileSync(mark, '')
const end = () => {
  fs.closeSync(fd)
  process.exit()
}
setTimeout(end, Number(ms))
setInterval(() => fs.existsSync(mark) || end(), 50)
