#!/usr/bin/env node
// Written so that any Node since 12 can parse it: an old one is told what it needs instead of a syntax error.
if (Number(process.versions.node.split('.')[0]) < 20) {
  process.stderr.write(`matdecl: error: needs Node 20.18 or newer, this is ${process.versions.node}\n`)
  process.exitCode = 2
} else {
  import('../dist/main.js')
}
