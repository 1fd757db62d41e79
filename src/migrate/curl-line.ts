import { type ParseArgsConfig, parseArgs } from 'node:util'
import { SUBSTITUTION, shellWords } from '../base/shell-words.ts'
import type { Problem } from '../request/check-criteria.ts'

/** The request of a curl command line, without headers and passwords. */
interface CurlLine {
  readonly body: string
  readonly url?: string
  /** The file that curl writes. */
  readonly output?: string
}

/** True when the first command is curl, also after a prompt, variables or `sudo`. */
export function isCurlLine(text: string): boolean {
  return /^\s*(?:#[^\n]*\n\s*)*(?:[$%>]\s+)?(?:(?:sudo|time|exec|env|[A-Za-z_]\w*=\S*)\s+)*(?:\S*[/\\])?curl(?:\.exe)?\s/.test(
    text,
  )
}

/** Parses a curl command line that sends a JSON body; opens no file that it names. */
export function readCurlLine(text: string): CurlLine | Problem {
  const split = shellWords(text.replace(/^(\s*)[$%>]\s+/, '$1'))
  if ('reason' in split) {
    return {
      message: `the curl command line is incomplete: ${split.reason}`,
      hint: 'give the complete command line',
    }
  }
  const start = split.words.findIndex((word) => /(?:^|[/\\])curl(?:\.exe)?$/.test(word))
  const { tokens } = parseArgs({
    args: split.words.slice(start + 1),
    options: WITH_VALUE,
    strict: false,
    tokens: true,
  })
  const given = tokens.flatMap((token) => {
    if (token.kind === 'option-terminator') return []
    return [{ name: token.kind === 'option' ? token.name : '', value: token.value ?? '' }]
  })
  const bodies = given.filter(({ name }) => BODY_OPTIONS.includes(name))
  const [only] = bodies
  if (only === undefined) {
    return {
      message: 'the curl command line has no request body',
      hint: 'add one with -d, or give the JSON request instead',
    }
  }
  const file = bodies.find(({ name, value }) => name !== 'data-raw' && value.startsWith('@'))
  if (file !== undefined) return bodyInFile(file.value.slice(1))
  const url = given.findLast(({ name }) => name === 'url' || name === '')?.value.replace(MARKS, '')
  const output = given.findLast(
    ({ name, value }) => name === 'output' && !value.includes(SUBSTITUTION.start),
  )?.value
  return {
    body: bodies.map(({ value }) => value).join('&'),
    ...(url === undefined ? {} : { url }),
    ...(output === undefined ? {} : { output }),
  }
}

const MARKS = new RegExp(`[${SUBSTITUTION.start}${SUBSTITUTION.end}]`, 'g')

const BODY_OPTIONS: readonly string[] = ['data', 'data-raw', 'data-binary', 'data-ascii', 'json']

// curl's options that take a value (curl 8 manual).
const SHORT_WITH_VALUE = 'AbcCDeEFhHKmPQrtTuUwxXyYz'
const LONG_WITH_VALUE = (
  'abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to ' +
  'continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode ' +
  'dns-interface dns-servers doh-url dump-header ech engine etag-compare etag-save expect100-timeout form form-string ' +
  'happy-eyeballs-timeout-ms haproxy-clientip header hostpubmd5 hsts interface ipfs-gateway json keepalive-cnt ' +
  'keepalive-time key key-type limit-rate local-port max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer ' +
  'output output-dir parallel-max pass pinnedpubkey proto proto-default proto-redir proxy proxy-cacert proxy-cert ' +
  'proxy-header proxy-key proxy-user quote range rate referer request request-target resolve retry retry-delay ' +
  'retry-max-time socks5 socks5-hostname speed-limit speed-time stderr tls-max tls13-ciphers trace trace-ascii ' +
  'unix-socket upload-file url url-query user user-agent variable write-out'
).split(' ')
const WITH_VALUE: NonNullable<ParseArgsConfig['options']> = Object.fromEntries([
  ...LONG_WITH_VALUE.map((name) => [name, { type: 'string' }]),
  ...[...SHORT_WITH_VALUE].map((short) => [`-${short}`, { type: 'string', short }]),
  ['data', { type: 'string', short: 'd' }],
  ['output', { type: 'string', short: 'o' }],
])

function bodyInFile(file: string): Problem {
  return file === '-'
    ? {
        message: 'the curl command line reads its request body from standard input (-d @-)',
        hint: 'give that JSON request instead',
      }
    : {
        message: 'the curl command line reads its request body from a file (-d @FILE), which is not opened',
        hint: 'give that file instead of the command line',
      }
}
