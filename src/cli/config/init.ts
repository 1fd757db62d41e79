import { dirname, join } from 'node:path'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { isTaken } from '../../fs/output-target.ts'
import { writePrivateFile } from '../../fs/result-file.ts'
import { type StarterAnswers, starterConfig } from '../../reference/starter-config.ts'
import { tableOf } from '../../reference/table.ts'
import { parseBaseUrl } from '../../request/request.ts'
import { checkToken } from '../../request/token.ts'
import type { Ask } from '../../terminal/prompts.ts'
import { runDoctor } from '../actions/doctor-action.ts'
import type { CommandRun, Context } from '../context.ts'
import { jsonResult } from '../json.ts'
import { openContext } from '../open-context.ts'
import { configSchema } from '../settings/config-schema.ts'
import { configPathOf } from './path.ts'

const MAX_ATTEMPTS = 3
/** Beside the config file. */
const TOKEN_FILE = 'token'
const SCHEMA_NAME = 'matdecl-config.schema.json'

/**
 * Writes a commented starter file, mode 0600, to the path it is read from, and its JSON Schema for editors beside it. On a
 * terminal it asks first, saves the token in a file of its own, and offers to check everything.
 */
export const initConfig: CommandRun = async (context, program) => {
  const { world, settings, terminal } = context
  const path = configPathOf(context)
  const { overwrite } = settings.values
  if (!overwrite && (await isTaken(world.disk, path))) throw taken(path)
  const answers = terminal.canAsk ? await terminal.converse((ask) => interview(context, ask)) : given(context)
  const text = starterConfig(answers, tableOf(program()), `./${SCHEMA_NAME}`)
  await write(context, path, text, overwrite)
  await write(context, join(dirname(path), SCHEMA_NAME), configSchema(), true)
  const tokenPath = join(dirname(path), TOKEN_FILE)
  if (answers.token !== undefined) await write(context, tokenPath, `${answers.token}\n`, true)
  await terminal.write(
    terminal.choice.json ? jsonResult('config', 'ok', { path }) : `${escapeUnsafe(path)}\n`,
  )
  if (answers.token !== undefined) terminal.say('config.token', `the token is saved in ${tokenPath}`)
  return sayNext(context, path, answers)
}

interface Answers extends StarterAnswers {
  readonly token?: string | undefined
  readonly wantsCheck?: boolean
}

function given({ settings }: Context): Answers {
  const { baseUrl, supplier } = settings.values
  return { 'base-url': baseUrl, supplier }
}

// An empty answer omits the setting, or keeps the value of flag or variable.
async function interview(context: Context, ask: Ask): Promise<Answers> {
  const { terminal } = context
  const known = given(context)
  terminal.say('config.asking', 'three questions; press Enter to skip one')
  const askFor = (question: Question): Promise<string | undefined> => askUntilValid(context, ask, question)
  const baseUrl = await askFor({
    text: `URL of the service [${known['base-url'] ?? 'such as https://api.example.com'}]:`,
    check: checkBaseUrl,
    hint: 'enter a URL such as https://api.example.com, or press Enter to skip',
  })
  const supplier = await askFor({
    text: `supplier, usually a nine-digit DUNS number${known.supplier === undefined ? '' : ` [${known.supplier}]`}:`,
    check: checkSupplier,
    hint: 'enter its number, or press Enter to skip',
  })
  const token = await askForToken(context, askFor)
  if (token !== undefined) terminal.addSecret(token)
  const isComplete = token !== undefined && (baseUrl ?? known['base-url']) !== undefined
  return {
    'base-url': baseUrl ?? known['base-url'],
    supplier: supplier ?? known.supplier,
    'token-file': TOKEN_FILE,
    token,
    wantsCheck: isComplete && /^y(?:es)?$/i.test(await ask('check everything with matdecl doctor? [y/N]')),
  }
}

async function askForToken(
  context: Context,
  askFor: (question: Question) => Promise<string | undefined>,
): Promise<string | undefined> {
  const { source } = context.planSecret('token') ?? {}
  if (source?.kind === 'environment') {
    context.terminal.say('config.token-known', `the token comes from ${source.where}, which overrides a file`)
    return undefined
  }
  const tokenPath = join(dirname(configPathOf(context)), TOKEN_FILE)
  const replaces = (await isTaken(context.world.disk, tokenPath)) ? `; replaces ${tokenPath}` : ''
  return askFor({
    text: `token (not shown${replaces}):`,
    isSecret: true,
    check: readToken,
    hint: 'paste only the token, or press Enter and run matdecl login later',
  })
}

type Checked = { readonly value: string } | { readonly reason: string }

interface Question {
  readonly text: string
  readonly isSecret?: true
  readonly check: (answer: string) => Checked
  /** What to answer, once every attempt was invalid. */
  readonly hint: string
}

async function askUntilValid(
  { terminal }: Context,
  ask: Ask,
  { text, isSecret, check, hint }: Question,
): Promise<string | undefined> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const answer = await ask(text, { isSecret: isSecret === true })
    if (answer === '') return undefined
    const checked = check(answer)
    if ('value' in checked) return checked.value
    terminal.say('config.not-usable', checked.reason)
  }
  throw new Failure('usage', `no valid answer to '${text}'`, { hint })
}

function checkBaseUrl(answer: string): Checked {
  if (/^[\d -]+$/.test(answer))
    return { reason: 'that is a number; expected a URL that starts with https://' }
  const parsed = parseBaseUrl(answer)
  return 'baseUrl' in parsed ? { value: parsed.baseUrl } : { reason: `invalid URL: ${parsed.reason}` }
}

function checkSupplier(answer: string): Checked {
  if (answer.includes('://')) return { reason: 'that is a URL; expected a supplier number' }
  if (/[\u0000-\u001f\u007f]/.test(answer)) return { reason: 'a supplier cannot contain control characters' }
  return { value: answer }
}

function readToken(answer: string): Checked {
  if (answer.includes('://')) return { reason: 'that is a URL, not a token' }
  const checked = checkToken(answer)
  return 'token' in checked ? { value: checked.token } : { reason: `the token ${checked.reason}` }
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

async function sayNext(context: Context, path: string, answers: Answers): Promise<number> {
  const { terminal, world, settings } = context
  if (answers['token-file'] === undefined) {
    terminal.say('config.edit', 'edit it and set base-url; then save the token with: matdecl login')
  } else if (answers.token === undefined) {
    terminal.say('config.login', 'save the token with: matdecl login')
  }
  if (answers.wantsCheck !== true) {
    terminal.say('config.next', 'then check everything with: matdecl doctor')
    return 0
  }
  const typed = {
    command: 'doctor',
    run: runDoctor,
    operands: [],
    afterDashes: [],
    given: new Map(settings.values.config === undefined ? [] : [['config', [path]]]),
  } as const
  return runDoctor(await openContext(world, typed, terminal, {}))
}

function taken(path: string): Failure {
  return new Failure('io', `${path} exists`, {
    file: path,
    hint: 'replace it with --overwrite, or write another with --config',
  })
}
