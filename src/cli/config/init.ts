import { dirname, join, relative } from 'node:path'
import CONFIG_SCHEMA from '../../../docs/config.schema.json?text'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { isTaken } from '../../fs/output-target.ts'
import { supplierNotice } from '../../request/check-criteria.ts'
import { parseBaseUrl } from '../../request/request.ts'
import { checkToken } from '../../request/token.ts'
import { type Ask, inputEnded, isYes } from '../../terminal/prompts.ts'
import type { CommandRun } from '../command.ts'
import { runDoctor } from '../commands/doctor-command.ts'
import { type Context, openContext } from '../context.ts'
import { isInterruption } from '../explain.ts'
import { okResult, printResult } from '../json.ts'
import { secretDirectoryOf, writeSettingsFile } from '../login/secret-file.ts'
import { configPathOf } from '../settings/config-file.ts'
import { loginCommand, selectionFlags } from '../settings/secret.ts'
import { type StarterAnswers, starterConfig } from '../starter-config.ts'

const MAX_ATTEMPTS = 3
const TOKEN_FILE = 'token'
const SCHEMA_NAME = 'matdecl-config.schema.json'

/**
 * Writes a commented starter file, mode 0600, to the path it is read from, and its JSON Schema for editors beside it. On a
 * terminal it asks first, saves the token in a file of its own, and offers to check everything.
 */
export const initConfig: CommandRun = async (context) => {
  const { world, settings, terminal } = context
  const path = configPathOf(context)
  if (!settings.values.overwrite && (await isTaken(world.disk, path))) throw taken(path)
  const write = (answers: Answers): Promise<void> => writeFiles(context, path, answers)
  if (!terminal.canAsk) {
    const answers = given(context)
    await write(answers)
    sayNext(context, path, answers)
    return 0
  }
  const answers = await terminal.converse(async (ask) => {
    const typed = await interview(context, ask)
    // The last question may be left with Ctrl-C: the answers are safe by then.
    await write(typed)
    return { ...typed, wantsCheck: isComplete(typed) && (await offerCheck(context, ask)) }
  })
  if (answers.wantsCheck) return checkEverything(context, path)
  sayNext(context, path, answers)
  return 0
}

async function offerCheck(context: Context, ask: Ask): Promise<boolean> {
  const answer = await ask('check everything with matdecl doctor? [y/N]').catch((error: unknown) => {
    if (!isInterruption(error)) throw error
    const hint = `the answers are saved; check them with: matdecl doctor${selectionFlags(context)}`
    throw error.with({ hint, cause: error })
  })
  return isYes(answer)
}

async function writeFiles(context: Context, path: string, answers: Answers): Promise<void> {
  const { world, terminal, settings } = context
  const text = starterConfig(answers, `./${SCHEMA_NAME}`)
  await writeSettingsFile(world, path, text, settings.values.overwrite)
  await writeSettingsFile(world, join(dirname(path), SCHEMA_NAME), CONFIG_SCHEMA, true)
  const tokenPath = join(secretDirectoryOf(context), TOKEN_FILE)
  if (answers.token !== undefined) await writeSettingsFile(world, tokenPath, `${answers.token}\n`, true)
  await printResult(terminal, okResult('config', { path }), `${escapeUnsafe(path)}\n`)
  const notice = answers.supplier === undefined ? undefined : supplierNotice(answers.supplier)
  if (notice !== undefined) terminal.reporter.notice(notice)
  if (answers.token !== undefined) terminal.say('config.token', `the token is saved in ${tokenPath}`)
}

interface Answers extends StarterAnswers {
  readonly token?: string | undefined
}

function isComplete(answers: Answers): boolean {
  return answers.token !== undefined && answers['base-url'] !== undefined
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
    text: `URL of the service${known['base-url'] === undefined ? ', such as https://api.example.com' : ` [${known['base-url']}]`}:`,
    check: checkBaseUrl,
    hint: 'enter a URL such as https://api.example.com, or press Enter to skip',
  })
  const supplier = await askFor({
    text: `supplier, usually a nine-digit DUNS number${known.supplier === undefined ? '' : ` [${known.supplier}]`}:`,
    check: checkSupplier,
    hint: 'enter its number, or press Enter to skip',
  })
  const token = await askForToken(context, askFor)
  if (token !== undefined) terminal.secrets.add(token)
  return {
    'base-url': baseUrl ?? known['base-url'],
    supplier: supplier ?? known.supplier,
    'token-file': relative(dirname(configPathOf(context)), join(secretDirectoryOf(context), TOKEN_FILE)),
    token,
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
  const tokenPath = join(secretDirectoryOf(context), TOKEN_FILE)
  const replaces = (await isTaken(context.world.disk, tokenPath)) ? `; replaces ${tokenPath}` : ''
  return askFor({
    text: `token (not shown${replaces}):`,
    isSecret: true,
    check: readToken,
    hint: 'paste only the token, or press Enter and run matdecl login later',
  })
}

type Checked = { readonly value: string } | { readonly reason: string; readonly offer?: string }

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
  const mustAnswer = async (...question: Parameters<Ask>): Promise<string> => {
    const answer = await ask(...question)
    if (answer === undefined) throw inputEnded()
    return answer
  }
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const answer = await mustAnswer(text, { isSecret: isSecret === true })
    if (answer === '') return undefined
    const checked = check(answer)
    if ('value' in checked) return checked.value
    terminal.say('config.not-usable', checked.reason)
    const { offer } = checked
    if (offer !== undefined && isYes((await mustAnswer(`use ${offer}? [Y/n]`)) || 'yes')) return offer
  }
  throw new Failure('usage', `no valid answer to '${text}'`, { hint })
}

function checkBaseUrl(answer: string): Checked {
  if (/^[\d -]+$/.test(answer))
    return { reason: 'that is a number; expected a URL that starts with https://' }
  const parsed = parseBaseUrl(answer)
  if ('baseUrl' in parsed) return { value: parsed.baseUrl }
  // Plain http: is valid on localhost only, where the sandbox speaks it.
  const schemes = answer.includes('://') ? [] : ['http', 'https']
  for (const scheme of schemes) {
    const complete = parseBaseUrl(`${scheme}://${answer}`)
    if ('baseUrl' in complete) return { reason: 'that has no scheme', offer: complete.baseUrl }
  }
  return { reason: `invalid URL: ${parsed.reason}` }
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

function checkEverything({ world, settings }: Context, path: string): Promise<number> {
  const typed = {
    command: 'doctor',
    run: runDoctor,
    operands: [],
    afterDashes: [],
    given: new Map(settings.values.config === undefined ? [] : [['config', [path]]]),
  } as const
  return openContext(world, typed).then(runDoctor)
}

// What is left to do, in order; with the file where it is not the one that every command reads.
function sayNext(context: Context, path: string, answers: Answers): void {
  const { terminal, planSecret } = context
  const hasToken = answers.token !== undefined || planSecret('token')?.source.kind === 'environment'
  const steps = [
    ...(answers['base-url'] === undefined ? [['config.edit', `edit ${path} and set base-url`] as const] : []),
    ...(hasToken
      ? []
      : [['config.login', `save the token with: ${loginCommand(context, 'token')}`] as const]),
    ['config.next', `check everything with: matdecl doctor${selectionFlags(context)}`] as const,
  ]
  for (const [index, [event, step]] of steps.entries())
    terminal.say(event, index === 0 ? step : `then ${step}`)
}

function taken(path: string): Failure {
  return new Failure('io', `${path} exists`, {
    file: path,
    hint: 'replace it with --overwrite, or write another with --config',
  })
}
