#!/usr/bin/env node
// Plain enough for any Node since 12 to parse: an old one is told what it needs instead of a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 18)) {
  process.stderr.write(`matdecl: error: needs Node 20.18 or newer, this is ${process.versions.node}\n`)
  process.exitCode = 2
} else {
  import('../dist/main.js')
}
