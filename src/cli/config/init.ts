import { dirname, join } from 'node:path'
import { cleanText, escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { isTaken } from '../../fs/output-target.ts'
import { writePrivateFile } from '../../fs/result-file.ts'
import { type StarterAnswers, starterConfig } from '../../reference/starter-config.ts'
import { tableOf } from '../../reference/table.ts'
import { parseBaseUrl } from '../../request/request.ts'
import type { Ask } from '../../terminal/conversation.ts'
import type { CommandRun, Context } from '../context.ts'
import { jsonResult } from '../json.ts'
import { configPathOf } from './path.ts'

const MAX_ATTEMPTS = 3

/** Writes a commented starter file, mode 0600, to the path it is read from. On a terminal it prompts first. */
export const initConfig: CommandRun = async (context, program) => {
  const { world, settings, terminal } = context
  const path = configPathOf(context)
  const { overwrite } = settings.values
  if (!overwrite && (await isTaken(world.disk, path))) throw taken(path)
  const answers = terminal.canAsk ? await terminal.converse((ask) => interview(context, ask)) : given(context)
  await write(context, path, starterConfig(answers, tableOf(program)), overwrite)
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

// An empty answer omits the setting, or keeps the value of flag or variable.
async function interview(context: Context, ask: Ask): Promise<StarterAnswers> {
  const { terminal } = context
  const known = given(context)
  terminal.say('config.asking', 'three questions; press Enter to skip one')
  const baseUrl = (await askBaseUrl(context, ask, known['base-url'])) ?? known['base-url']
  const supplier =
    (await ask(`supplier${known.supplier === undefined ? '' : ` [${known.supplier}]`}:`)) || known.supplier
  const tokenFile = await ask('token file, relative to the config file [token]:')
  return { 'base-url': baseUrl, supplier, 'token-file': tokenFile || 'token' }
}

async function askBaseUrl(
  { terminal }: Context,
  ask: Ask,
  known: string | undefined,
): Promise<string | undefined> {
  const shown = known ?? 'such as https://api.example.com'
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const answer = await ask(`URL of the service [${shown}]:`)
    if (answer === '') return undefined
    const parsed = parseBaseUrl(answer)
    if ('baseUrl' in parsed) return parsed.baseUrl
    terminal.say('config.not-usable', `invalid URL: ${parsed.reason}`)
  }
  throw new Failure('usage', 'no valid URL of the service', {
    hint: 'write it as https://api.example.com, or press Enter to skip it',
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
    terminal.say('config.token', `write the token to its file: (umask 077; cat > '${cleanText(token, 200)}')`)
  } else {
    terminal.say('config.edit', 'edit it and set base-url and token-file')
  }
  terminal.say('config.next', 'then try: matdecl doctor')
}

function taken(path: string): Failure {
  return new Failure('io', `${path} exists`, {
    file: path,
    hint: 'replace it with --overwrite, or write another with --config',
  })
}
