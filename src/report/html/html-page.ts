import { createHash } from 'node:crypto'
import { escapeHtml } from '../formats/escape-markup.ts'
import { FRAME_SCRIPT } from './html-script-frame.ts'
import { STYLE } from './html-style.ts'

/** What the frame of a page needs. */
export interface PageFacts {
  readonly title: string
  /** When it was created. */
  readonly nowMs: number
  readonly version: string
  /** Statements of a script that runs once the page is read; they may use what `FRAME_SCRIPT` declares. */
  readonly script?: string
}

/**
 * A self-contained page around this content: one style sheet, one script, and a policy that allows only these two, so that it loads
 * nothing. The content is HTML: whoever makes it escapes the values in it.
 */
export function* htmlPage(page: PageFacts, content: Iterable<string>): Generator<string> {
  const script = `'use strict';\n(() => {\n${FRAME_SCRIPT}${page.script ?? ''}})();\n`
  const made = new Date(page.nowMs).toISOString().replace('T', ' ').slice(0, 16)
  const title = escapeHtml(page.title)
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyFor(script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="made">created ${made} UTC by matdecl ${escapeHtml(page.version)}</p>
<button type="button" id="theme" class="needs-script" hidden>dark</button>
</header>
<main>
`
  yield* content
  yield `</main>\n<script>${script}</script>\n</body>\n</html>\n`
}

function policyFor(script: string): string {
  return [
    "default-src 'none'",
    `style-src '${sourceHash(STYLE)}'`,
    `script-src '${sourceHash(script)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

function sourceHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
