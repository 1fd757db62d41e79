// Runs under the Node that the executable is made around: pkg wants 22 or newer, and the layout of what it puts in is that Node's own.
const { default: sea } = require('@yao-pkg/pkg/lib-es5/sea.js')

const { entry, target, seaConfig } = JSON.parse(process.argv[2])
sea(entry, { targets: [target], seaConfig, signature: true }).catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
