import { constants } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Disk, SyncDisk } from '../../src/base/world.ts'

interface Inode {
  readonly number: number
  readonly isDirectory: boolean
  bytes: Buffer
  mode: number
  modifiedMs: number
  links: number
}

/** A disk in memory with the calls that a library makes; for tests that run thousands of times. Each call ends without waiting. */
export function memoryDisk(nowMs: () => number, uid: number | undefined) {
  const inodes = new Map<string, Inode>()
  const open = new Map<number, Inode>()
  let lastNumber = 2

  const add = (path: string, isDirectory: boolean, mode: number): Inode => {
    lastNumber += 1
    const bytes = Buffer.alloc(0)
    const inode: Inode = { number: lastNumber, isDirectory, bytes, mode, modifiedMs: nowMs(), links: 1 }
    inodes.set(path, inode)
    return inode
  }
  const fail = (code: string, path: string): never => {
    throw Object.assign(new Error(`${code}: ${path}`), { code })
  }
  const at = (path: unknown): Inode => inodes.get(String(path)) ?? fail('ENOENT', String(path))
  const facts = ({ number, isDirectory, bytes, mode, modifiedMs, links }: Inode, isBig: boolean): never => {
    const big = (value: number) => (isBig ? BigInt(Math.round(value)) : value)
    return {
      size: big(bytes.length),
      ino: big(number),
      dev: big(1),
      uid: big(uid ?? 0),
      mode: big(mode),
      nlink: big(links),
      mtimeMs: big(modifiedMs),
      mtimeNs: BigInt(Math.round(modifiedMs)) * 1_000_000n,
      ctimeNs: BigInt(Math.round(modifiedMs)) * 1_000_000n,
      isFile: () => !isDirectory,
      isDirectory: () => isDirectory,
      isSymbolicLink: () => false,
    } as never
  }
  const put = (inode: Inode, data: Uint8Array, position: number): number => {
    const end = position + data.length
    if (end > inode.bytes.length) inode.bytes = Buffer.concat([inode.bytes], end)
    inode.bytes.set(data, position)
    inode.modifiedMs = nowMs()
    return data.length
  }
  const get = (inode: Inode, into: Uint8Array, offset: number, length: number, position: number): number => {
    const piece = inode.bytes.subarray(position, position + length)
    into.set(piece, offset)
    return piece.length
  }
  const openAt = (path: string, flags: number | string, mode: number): number => {
    const bits = flags === 'wx' ? constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL : Number(flags)
    const there = inodes.get(path)
    if (there !== undefined && (bits & constants.O_EXCL) !== 0) fail('EEXIST', path)
    if (there === undefined && (bits & constants.O_CREAT) === 0) fail('ENOENT', path)
    if (there === undefined && !inodes.has(dirname(path))) fail('ENOENT', path)
    const inode = there ?? add(path, false, mode)
    lastNumber += 1
    open.set(lastNumber, inode)
    return lastNumber
  }
  const handle = (fd: number) => {
    const inode = open.get(fd)!
    return {
      fd,
      appendFile: async (text: string) => void put(inode, Buffer.from(text), inode.bytes.length),
      writeFile: async (text: string) => {
        inode.bytes = Buffer.alloc(0)
        put(inode, Buffer.from(text), 0)
      },
      write: async (text: string, position: number) => void put(inode, Buffer.from(text), position),
      writev: async (pieces: readonly Uint8Array[], position: number) => {
        let bytesWritten = 0
        for (const piece of pieces) bytesWritten += put(inode, piece, position + bytesWritten)
        return { bytesWritten }
      },
      read: async (buffer: Uint8Array, offset: number, length: number, position: number) => ({
        buffer,
        bytesRead: get(inode, buffer, offset, length, position),
      }),
      readFile: async (encoding?: BufferEncoding) =>
        encoding === undefined ? Buffer.from(inode.bytes) : inode.bytes.toString(encoding),
      stat: async (options?: { readonly bigint?: boolean }) => facts(inode, options?.bigint === true),
      sync: async () => undefined,
      datasync: async () => undefined,
      truncate: async (bytes: number) => {
        inode.bytes = inode.bytes.subarray(0, bytes)
      },
      chmod: async () => undefined,
      close: async () => void open.delete(fd),
      [Symbol.asyncDispose]: async () => void open.delete(fd),
    }
  }
  const remove = (path: string): void => {
    at(path).links -= 1
    inodes.delete(path)
  }
  const namesIn = (path: string): string[] =>
    [...inodes.keys()].filter((each) => each !== path && dirname(each) === path).map((each) => basename(each))

  const disk = {
    open: async (path: string, flags: number | string, mode = 0o666) => handle(openAt(path, flags, mode)),
    lstat: async (path: string, options?: { readonly bigint?: boolean }) =>
      facts(at(path), options?.bigint === true),
    stat: async (path: string, options?: { readonly bigint?: boolean }) =>
      facts(at(path), options?.bigint === true),
    statfs: async () => ({ bavail: 1 << 30, bsize: 4096 }),
    access: async (path: string) => void at(path),
    realpath: async (path: string) => path,
    readdir: async (path: string) => {
      at(path)
      return namesIn(path)
    },
    readFile: async (path: string) => Buffer.from(at(path).bytes),
    mkdir: async (path: string) => {
      if (inodes.has(path)) fail('EEXIST', path)
      add(path, true, 0o700)
    },
    rename: async (from: string, to: string) => {
      const inode = at(from)
      inodes.delete(from)
      inodes.set(to, inode)
    },
    link: async (from: string, to: string) => {
      if (inodes.has(to)) fail('EEXIST', to)
      const inode = at(from)
      inode.links += 1
      inodes.set(to, inode)
    },
    unlink: async (path: string) => remove(path),
    rm: async (path: string) => {
      if (inodes.has(path)) remove(path)
    },
    rmdir: async (path: string) => {
      if (namesIn(path).length > 0) fail('ENOTEMPTY', path)
      remove(path)
    },
    chmod: async () => undefined,
    utimes: async () => undefined,
  }
  const syncDisk = {
    openSync: (path: string, flags: number) => openAt(String(path), flags, 0o666),
    closeSync: (fd: number) => void open.delete(fd),
    fstatSync: (fd: number, options?: { readonly bigint?: boolean }) =>
      facts(open.get(fd)!, options?.bigint === true),
    readSync: (fd: number, into: Uint8Array, offset: number, length: number, position: number) =>
      get(open.get(fd)!, into, offset, length, position),
  }
  add('/', true, 0o700)
  return {
    disk: disk as unknown as Disk,
    syncDisk: syncDisk as unknown as SyncDisk,
    /** How many files are open. */
    openFiles: () => open.size,
  }
}
