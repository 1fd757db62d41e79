// A virus scanner that has each new or renamed file open for 0.4 s, without letting it be renamed or removed; and the names of removed
// files, which stay as long.
const fs = require('node:fs')
const { resolve, sep } = require('node:path')

const HELD_MS = 400
const held = new Map()
const removed = new Map()
const keyOf = (path) => resolve(String(path)).toLowerCase()
const isIn = (times, path) => Date.now() - (times.get(keyOf(path)) ?? 0) < HELD_MS
const isHeld = (path) => {
  const below = keyOf(path) + sep
  return isIn(held, path) || [...held.keys()].some((one) => one.startsWith(below) && isIn(held, one))
}
const failure = (code, call, path) =>
  Object.assign(new Error(`${code}: ${call} '${path}'`), { code, syscall: call, path })
const creates = (flags) =>
  typeof flags === 'string'
    ? /[wa]/.test(flags)
    : (flags & (fs.constants.O_CREAT | fs.constants.O_TRUNC)) !== 0

const before = {
  open: (path, flags) => {
    if (isIn(removed, path)) throw failure('EPERM', 'open', path)
    if (creates(flags)) held.set(keyOf(path), Date.now())
  },
  link: (_, to) => {
    if (isIn(removed, to)) throw failure('EPERM', 'link', to)
    held.set(keyOf(to), Date.now())
  },
  rename: (from, to) => {
    if (isHeld(from) || isHeld(to)) throw failure('EBUSY', 'rename', from)
    held.set(keyOf(to), Date.now())
  },
  unlink: (path) => {
    if (isHeld(path)) throw failure('EBUSY', 'unlink', path)
    removed.set(keyOf(path), Date.now())
  },
  rm: (path) => {
    if (isHeld(path)) throw failure('EBUSY', 'rm', path)
  },
  rmdir: (path) => {
    const isBusy = [...removed.keys()].some((one) => one.startsWith(keyOf(path) + sep) && isIn(removed, one))
    if (isBusy) throw failure('ENOTEMPTY', 'rmdir', path)
  },
}
for (const [name, check] of Object.entries(before)) {
  const promised = fs.promises[name]
  fs.promises[name] = async (...args) => {
    check(...args)
    return promised.apply(fs.promises, args)
  }
  const sync = fs[`${name}Sync`]
  fs[`${name}Sync`] = (...args) => {
    check(...args)
    return sync.apply(fs, args)
  }
}
require('node:module').syncBuiltinESMExports()
