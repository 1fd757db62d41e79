// Ends the process before the third response is written, as a power cut does.
const fs = require('node:fs')

const responses = new Set()
const { open } = fs.promises
fs.promises.open = async (path, ...rest) => {
  if (/[\\/]incoming[\\/][^\\/]+\.zip$/.test(String(path))) responses.add(String(path))
  if (responses.size === 3) process.reallyExit(42)
  return open(path, ...rest)
}
require('node:module').syncBuiltinESMExports()
