import { Failure } from '../../base/failure.ts'
import { inputEnded } from '../../terminal/prompts.ts'
import type { Context } from '../context.ts'
import type { SecretName } from '../settings/secret.ts'
import { secretLabel } from './secret-file.ts'

/** A secret is far shorter. */
const LONGEST_BYTES = 64 * 1024

/** Asks for a secret without showing it; without a terminal, reads it from standard input. */
export async function readTypedSecret(context: Context, name: SecretName): Promise<string> {
  const { world, terminal } = context
  if (terminal.canAsk) {
    const typed = await terminal.converse((ask) =>
      ask(`${secretLabel(name)} (not shown):`, { isSecret: true }),
    )
    if (typed === undefined) throw inputEnded()
    return typed
  }
  if (world.stdin.isTTY === true) {
    throw new Failure('usage', `the ${secretLabel(name)} is read from standard input, which is a terminal`, {
      hint: `pipe it in, or allow prompts`,
    })
  }
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of world.stdin) {
    world.interrupt.throwIfAborted()
    pieces.push(Buffer.from(piece as Uint8Array))
    bytes += pieces.at(-1)!.length
    if (bytes > LONGEST_BYTES) break
  }
  if (bytes <= LONGEST_BYTES) return Buffer.concat(pieces).toString('utf8')
  throw new Failure('usage', `standard input has more than 64 KiB, too much for a ${secretLabel(name)}`, {
    hint: `it must contain only the ${secretLabel(name)}, on one line`,
  })
}
