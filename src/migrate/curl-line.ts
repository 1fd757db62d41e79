import { SUBSTITUTION, shellWords } from '../base/shell-words.ts'
import type { Problem } from '../request/check-criteria.ts'

/** What a curl command line sends, without headers and passwords. */
export interface CurlLine {
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
      hint: 'give the whole command line',
    }
  }
  const start = split.words.findIndex((word) => /(?:^|[/\\])curl(?:\.exe)?$/.test(word))
  const given = readOptions(split.words.slice(start + 1))
  const bodies = given.filter(({ name }) => BODY_OPTIONS.includes(name))
  const [only] = bodies
  if (only === undefined) {
    return {
      message: 'the curl command line has no request body',
      hint: 'give one with -d, or the JSON request itself',
    }
  }
  const file = bodies.find(({ name, value }) => name !== '--data-raw' && value.startsWith('@'))
  if (file !== undefined) return bodyInFile(file.value.slice(1))
  const url = given.findLast(({ name }) => name === '--url' || name === '')?.value.replace(MARKS, '')
  const output = given.findLast(
    ({ name, value }) => name === '--output' && !value.includes(SUBSTITUTION.start),
  )?.value
  return {
    body: bodies.map(({ value }) => value).join('&'),
    ...(url === undefined ? {} : { url }),
    ...(output === undefined ? {} : { output }),
  }
}

const MARKS = new RegExp(`[${SUBSTITUTION.start}${SUBSTITUTION.end}]`, 'g')

interface Given {
  /** Long name with its dashes; empty for an operand. */
  readonly name: string
  readonly value: string
}

const BODY_OPTIONS: readonly string[] = ['--data', '--data-raw', '--data-binary', '--data-ascii', '--json']

// curl's options that take a value (curl 8 manual).
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
        message: 'the curl command line reads its request body from standard input (-d @-)',
        hint: 'give that JSON request itself',
      }
    : {
        message: 'the curl command line reads its request body from a file (-d @FILE), which is not opened',
        hint: 'give that file instead of the command line',
      }
}
