import { dirname, join } from 'node:path'
import { cleanText, escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { isTaken } from '../../fs/output-target.ts'
import { writePrivateFile } from '../../fs/result-file.ts'
import { type StarterAnswers, starterConfig } from '../../reference/starter-config.ts'
import { parseBaseUrl } from '../../request/request.ts'
import type { Ask } from '../../terminal/conversation.ts'
import type { CommandRun, Context } from '../context.ts'
import { jsonResult } from '../json.ts'
import { configPathOf } from './path.ts'

const MOST_TRIES = 3

/** Writes a commented starter file, mode 0600, to where it would be read from. On a terminal it asks first; it never needs to. */
export const initConfig: CommandRun = async (context) => {
  const { world, settings, terminal } = context
  const path = configPathOf(context)
  const { overwrite } = settings.values
  if (!overwrite && (await isTaken(world.disk, path))) throw taken(path)
  const answers = terminal.canAsk ? await terminal.converse((ask) => interview(context, ask)) : given(context)
  await write(context, path, starterConfig(answers), overwrite)
  await terminal.write(
    terminal.choice.json ? jsonResult('config', 'ok', { path }) : `${escapeUnsafe(path)}\n`,
  )
  sayNext(context, path, answers)
  return 0
}

function given({ settings }: Context): StarterAnswers {
  const { baseUrl, supplier } = settings.values
  return { 'base-url': baseUrl, supplier }
}

// An empty answer leaves the setting out, or keeps what flag or environment said.
async function interview(context: Context, ask: Ask): Promise<StarterAnswers> {
  const { terminal } = context
  const known = given(context)
  terminal.say('config.asking', 'three questions; Enter leaves an answer open')
  const baseUrl = (await askBaseUrl(context, ask, known['base-url'])) ?? known['base-url']
  const supplier =
    (await ask(`supplier${known.supplier === undefined ? '' : ` [${known.supplier}]`}:`)) || known.supplier
  const tokenFile = await ask('file that will hold the token, beside the settings unless absolute [token]:')
  return { 'base-url': baseUrl, supplier, 'token-file': tokenFile || 'token' }
}

async function askBaseUrl(
  { terminal }: Context,
  ask: Ask,
  known: string | undefined,
): Promise<string | undefined> {
  const shown = known ?? 'such as https://api.example.com'
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const answer = await ask(`address of the service [${shown}]:`)
    if (answer === '') return undefined
    const parsed = parseBaseUrl(answer)
    if ('baseUrl' in parsed) return parsed.baseUrl
    terminal.say('config.not-usable', `that can not be used: ${parsed.reason}`)
  }
  throw new Failure('usage', 'there is no usable address of the service', {
    hint: 'write it as https://api.example.com, or press Enter to leave it open',
  })
}

async function write({ world }: Context, path: string, text: string, overwrite: boolean): Promise<void> {
  try {
    await writePrivateFile(world, path, text, { overwrite })
  } catch (error) {
    if (!isFailure(error)) throw error
    const { exitCode: _, ...details } = error.details
    throw new Failure(error.kind, error.message, {
      ...details,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      options: (details.options ?? []).map((option) => (option === 'output' ? 'config' : option)),
      cause: error,
    })
  }
}

function sayNext({ terminal }: Context, path: string, answers: StarterAnswers): void {
  const file = answers['token-file']
  if (file !== undefined) {
    const token = file.startsWith('/') ? file : join(dirname(path), file)
    terminal.say('config.token', `put the token alone into it: (umask 077; cat > '${cleanText(token, 200)}')`)
  } else {
    terminal.say('config.edit', 'open it and say base-url and token-file')
  }
  terminal.say('config.next', 'then try: matdecl doctor')
}

function taken(path: string): Failure {
  return new Failure('io', `${path} exists`, {
    file: path,
    hint: 'use --overwrite to replace it, or name another with --config',
  })
}
