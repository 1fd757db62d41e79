import { FILLED_IN, shellWords } from '../base/shell-words.ts'
import type { Problem } from '../request/criteria.ts'

/** What a curl command line sends, as far as a legacy request needs it. Headers and passwords are not kept. */
export interface CurlLine {
  readonly body: string
  readonly url?: string
  /** The file that curl would write. */
  readonly output?: string
}

/** True for a text whose first command is curl, with or without a prompt, variables or `sudo` before it. */
export function isCurlLine(text: string): boolean {
  return /^\s*(?:#[^\n]*\n\s*)*(?:[$%>]\s+)?(?:(?:sudo|time|exec|env|[A-Za-z_]\w*=\S*)\s+)*(?:\S*[/\\])?curl(?:\.exe)?\s/.test(
    text,
  )
}

/** Reads a curl command line that carries a JSON body; no file that it names is opened. */
export function readCurlLine(text: string): CurlLine | Problem {
  const split = shellWords(text.replace(/^(\s*)[$%>]\s+/, '$1'))
  if ('reason' in split) {
    return { message: `the curl command line is cut short: ${split.reason}`, hint: 'give the whole of it' }
  }
  const start = split.words.findIndex((word) => /(?:^|[/\\])curl(?:\.exe)?$/.test(word))
  const given = readOptions(split.words.slice(start + 1))
  const bodies = given.filter(({ name }) => BODY_OPTIONS.includes(name))
  const [only] = bodies
  if (only === undefined) {
    return {
      message: 'the curl command line carries no request: it has no -d',
      hint: 'give the one with -d, --data-raw or --json, or the JSON request itself',
    }
  }
  const file = bodies.find(({ name, value }) => name !== '--data-raw' && value.startsWith('@'))
  if (file !== undefined) return bodyInFile(file.value.slice(1))
  const url = given.findLast(({ name }) => name === '--url' || name === '')?.value.replace(MARKS, '')
  const output = given.findLast(
    ({ name, value }) => name === '--output' && !value.includes(FILLED_IN.start),
  )?.value
  return {
    body: bodies.map(({ value }) => value).join('&'),
    ...(url === undefined ? {} : { url }),
    ...(output === undefined ? {} : { output }),
  }
}

const MARKS = new RegExp(`[${FILLED_IN.start}${FILLED_IN.end}]`, 'g')

interface Given {
  /** The long name with its dashes; blank for an operand. */
  readonly name: string
  readonly value: string
}

const BODY_OPTIONS: readonly string[] = ['--data', '--data-raw', '--data-binary', '--data-ascii', '--json']

// curl's options that take a value, as far as they are met in practice (curl 8 manual). `*` marks those of one letter that matter here.
const SHORT_WITH_VALUE = 'AbcCdDeEFhHKmoPQrtTuUwxXyYz'
const LONG_OF: Readonly<Record<string, string>> = { d: '--data', o: '--output' }
const LONG_WITH_VALUE = new Set(
  (
    'abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to ' +
    'continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode ' +
    'dns-interface dns-servers doh-url dump-header ech engine etag-compare etag-save expect100-timeout form form-string ' +
    'happy-eyeballs-timeout-ms haproxy-clientip header hostpubmd5 hsts interface ipfs-gateway json keepalive-cnt ' +
    'keepalive-time key key-type limit-rate local-port max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer ' +
    'output output-dir parallel-max pass pinnedpubkey proto proto-default proto-redir proxy proxy-cacert proxy-cert ' +
    'proxy-header proxy-key proxy-user quote range rate referer request request-target resolve retry retry-delay ' +
    'retry-max-time socks5 socks5-hostname speed-limit speed-time stderr tls-max tls13-ciphers trace trace-ascii ' +
    'unix-socket upload-file url url-query user user-agent variable write-out'
  ).split(' '),
)

function readOptions(words: readonly string[]): readonly Given[] {
  const given: Given[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!
    if (word.startsWith('--') && word.length > 2) {
      const takesValue = LONG_WITH_VALUE.has(word.slice(2))
      given.push({ name: word, value: takesValue ? (words[index + 1] ?? '') : '' })
      if (takesValue) index += 1
    } else if (word.startsWith('-') && word.length > 1) {
      const at = [...word].findIndex((letter, place) => place > 0 && SHORT_WITH_VALUE.includes(letter))
      if (at < 0) continue
      const attached = word.slice(at + 1)
      given.push({ name: LONG_OF[word[at]!] ?? `-${word[at]}`, value: attached || (words[index + 1] ?? '') })
      if (attached === '') index += 1
    } else {
      given.push({ name: '', value: word })
    }
  }
  return given
}

function bodyInFile(file: string): Problem {
  return file === '-'
    ? {
        message: 'the curl command line takes its request from standard input (-d @-)',
        hint: 'give that JSON request itself, as a file or on standard input',
      }
    : {
        message: 'the curl command line takes its request from a file (-d @FILE), which is not followed',
        hint: 'give that file instead of the command line',
      }
}
