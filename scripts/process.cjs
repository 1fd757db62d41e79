// What packages get for `node:process`: importing that module reads every property of `process`, and so opens standard input.
module.exports = globalThis.process
