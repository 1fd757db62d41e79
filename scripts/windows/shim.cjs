// wine 8 has no TCP_KEEPALIVE: without this every connection fails with UNKNOWN.
require('node:net').Socket.prototype.setKeepAlive = function () {
  return this
}

// That the program began: wine.mjs looks for this file.
const started = process.env.WINE_TEST_STARTED
if (started !== undefined) require('node:fs').writeFileSync(started, '')
