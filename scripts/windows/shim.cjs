// wine 8 has no TCP_KEEPALIVE: without this every connection fails with UNKNOWN.
require('node:net').Socket.prototype.setKeepAlive = function () {
  return this
}
