// Waits until standard input ends, then ends the processes of a test run that still have to do with its directory, and removes that:
// node reaper.mjs DIRECTORY. A run that says `done` before has ended its own workers.
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { text } from 'node:stream/consumers'

const [, , folder] = process.argv
const isKilled = (await text(process.stdin)) !== 'done'
for (const pid of processes()) {
  if (pid === process.pid || !belongs(pid)) continue
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

function processes() {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

function belongs(pid) {
  try {
    const facts = [readlinkSync(`/proc/${pid}/cwd`), readFileSync(`/proc/${pid}/cmdline`, 'utf8')]
    if (isKilled) facts.push(readFileSync(`/proc/${pid}/environ`, 'utf8'))
    return facts.some((fact) => fact.includes(folder))
  } catch {
    return false
  }
}
