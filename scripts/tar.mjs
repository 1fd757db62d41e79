// A reproducible POSIX tar archive (ustar).
const BLOCK = 512

/** Packs `files` (`{ path, bytes, executable }`) in this order, all with the same `mtime` in seconds. */
export function tarOf(files, mtime) {
  const parts = files.flatMap(({ path, bytes, executable }) => [
    header(path, bytes.length, executable ? 0o755 : 0o644, mtime),
    bytes,
    Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK),
  ])
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

function header(path, size, mode, mtime) {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a tar header`)
  const block = Buffer.alloc(BLOCK)
  const octal = (value, at, length) => block.write(value.toString(8).padStart(length - 1, '0'), at, 'ascii')
  block.write(path, 0)
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(mtime, 136, 12)
  block.fill(' ', 148, 156)
  block.write('0', 156)
  block.write('ustar\u000000', 257)
  let sum = 0
  for (const byte of block) sum += byte
  octal(sum, 148, 7)
  block[154] = 0
  return block
}
