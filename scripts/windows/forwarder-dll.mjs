// A library for Windows whose functions are those of other libraries: a PE file with nothing but an export table.

const BASE = 0x1000

/** The bytes of the library `name`; `functions` says for each of its functions which one it is: `{ ProcessPrng: 'advapi32.SystemFunction036' }`. */
export function forwarderDll(name, functions) {
  const names = Object.keys(functions).sort()
  const tables = 40 + names.length * 10
  const texts = []
  let end = tables
  const place = (text) => {
    const bytes = Buffer.from(`${text}\0`, 'latin1')
    texts.push(bytes)
    end += bytes.length
    return BASE + end - bytes.length
  }
  const directory = Buffer.alloc(tables)
  directory.writeUInt32LE(place(name), 12)
  directory.writeUInt32LE(1, 16)
  directory.writeUInt32LE(names.length, 20)
  directory.writeUInt32LE(names.length, 24)
  directory.writeUInt32LE(BASE + 40, 28)
  directory.writeUInt32LE(BASE + 40 + names.length * 4, 32)
  directory.writeUInt32LE(BASE + 40 + names.length * 8, 36)
  for (const [index, each] of names.entries()) {
    // An address inside the export table is the name of another function.
    directory.writeUInt32LE(place(functions[each]), 40 + index * 4)
    directory.writeUInt32LE(place(each), 40 + names.length * 4 + index * 4)
    directory.writeUInt16LE(index, 40 + names.length * 8 + index * 2)
  }
  const section = Buffer.concat([directory, ...texts], 0x200)
  return Buffer.concat([headers(end), section])
}

function headers(exportBytes) {
  const file = Buffer.alloc(0x200)
  file.write('MZ', 0)
  file.writeUInt32LE(0x40, 0x3c)
  file.write('PE\0\0', 0x40, 'latin1')
  // x64, one section, a DLL.
  file.writeUInt16LE(0x8664, 0x44)
  file.writeUInt16LE(1, 0x46)
  file.writeUInt16LE(240, 0x54)
  file.writeUInt16LE(0x2022, 0x56)
  const optional = 0x58
  file.writeUInt16LE(0x20b, optional)
  file.writeBigUInt64LE(0x180000000n, optional + 24)
  file.writeUInt32LE(0x1000, optional + 32)
  file.writeUInt32LE(0x200, optional + 36)
  file.writeUInt16LE(6, optional + 40)
  file.writeUInt16LE(6, optional + 48)
  // The image has the headers and the section, a page each.
  file.writeUInt32LE(0x2000, optional + 56)
  file.writeUInt32LE(0x200, optional + 60)
  file.writeUInt16LE(3, optional + 68)
  file.writeUInt16LE(0x0100, optional + 70)
  file.writeUInt32LE(16, optional + 108)
  file.writeUInt32LE(BASE, optional + 112)
  file.writeUInt32LE(exportBytes, optional + 116)
  const section = optional + 240
  file.write('.edata', section)
  file.writeUInt32LE(exportBytes, section + 8)
  file.writeUInt32LE(BASE, section + 12)
  file.writeUInt32LE(0x200, section + 16)
  file.writeUInt32LE(0x200, section + 20)
  file.writeUInt32LE(0x40000040, section + 36)
  return file
}
