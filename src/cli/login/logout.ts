import { escapeUnsafe } from '../../base/clean-text.ts'
import { systemCode } from '../../base/failure.ts'
import { diskFailure } from '../../fs/disk-failure.ts'
import type { CommandRun } from '../command.ts'
import { jsonResult } from '../json.ts'
import { secretFileOf, secretLabel, secretNameOf } from './secret-file.ts'

/** Deletes the file of the token. The token itself stays valid until the service revokes it. */
export const logout: CommandRun = async (context) => {
  const { world, terminal } = context
  const name = secretNameOf(context)
  const { path } = secretFileOf(context, name)
  const removed = await world.disk.unlink(path).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return false
      throw diskFailure(error, 'delete', path)
    },
  )
  if (terminal.choice.json) await terminal.write(jsonResult('logout', 'ok', { path, removed }))
  else if (removed) await terminal.write(`${escapeUnsafe(path)}\n`)
  terminal.say(
    'logout.done',
    removed
      ? `the ${secretLabel(name)} is deleted here; it stays valid until the service revokes it`
      : `there is no ${secretLabel(name)} file at ${path}`,
  )
  return 0
}
