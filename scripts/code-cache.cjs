// Writes what V8 compiled of a script, so that the executable need not parse it again: SCRIPT CACHE.
const { readFileSync, writeFileSync } = require('node:fs')
const { Script } = require('node:vm')

const [script, cache] = process.argv.slice(2)
writeFileSync(cache, new Script(readFileSync(script, 'utf8'), { filename: 'commands.js' }).createCachedData())
