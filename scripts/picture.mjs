// Draws the pictures of README.md, from runs against the sandbox: docs/terminal.svg, a session in a pseudo-terminal, and
// docs/report.webp, an HTML report in Chromium.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import xterm from '@xterm/headless'
import { chromium } from 'playwright-core'
import { buildInPlace } from './build.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const COLUMNS = 104
const ROWS = 50
const COMMANDS = [
  'matdecl check examples/bom.csv --sandbox --library declarations',
  'matdecl report --library declarations --parts-file examples/bom.csv',
  'matdecl check examples/bom.csv --sandbox --library declarations -o bom.html -q --fail-on not-compliant',
]
const PAGE = 'matdecl report --library declarations --parts-file examples/product.csv -o product.html'
// As tall for its width as the terminal.
const VIEWPORT = { width: 1120, height: 980 }

const CELL = { width: 8.4, height: 19 }
const MARGIN = 18
const BAR = 34
// By number of the palette: red, green, yellow, cyan.
const COLORS = { 1: '#ff7b72', 2: '#7ee787', 3: '#f2cc60', 6: '#79c0ff' }

await buildInPlace()
const folder = mkdtempSync(join(tmpdir(), 'matdecl-picture-'))
try {
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  writeFileSync(join(root, 'docs', 'terminal.svg'), picture(await record()))
  run(PAGE, folder)
  writeFileSync(join(root, 'docs', 'report.webp'), await screenshot(join(folder, 'product.html')))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function record() {
  const lines = []
  for (const command of COMMANDS) {
    lines.push([
      { text: '$ ', color: '#8b949e' },
      { text: command, bold: true },
    ])
    lines.push(...(await screenOf(run(command, folder))), [])
  }
  return lines
}

async function screenshot(path) {
  const executablePath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim()
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage({ viewport: VIEWPORT })
    await page.goto(pathToFileURL(path).href)
    // A third of the size of a PNG.
    const session = await page.context().newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
    return Buffer.from(data, 'base64')
  } finally {
    await browser.close()
  }
}

function run(command, cwd) {
  const tool = `'${process.execPath}' '${join(root, 'bin', 'matdecl.js')}'`
  const line = `stty cols ${COLUMNS} rows ${ROWS}; ${command.replace(/^matdecl/, `${tool} --no-progress`)}`
  const { stdout, error } = spawnSync('script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', LANG: 'C.UTF-8', HOME: cwd },
  })
  if (error !== undefined) throw error
  return stdout
}

// The lines that a terminal shows, each as spans of one style.
async function screenOf(bytes) {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true })
  await new Promise((resolve) => terminal.write(bytes, resolve))
  const { active } = terminal.buffer
  const lines = Array.from({ length: active.baseY + active.cursorY }, (_, row) =>
    spansOf(active.getLine(row)),
  )
  while (lines.at(-1)?.length === 0) lines.pop()
  return lines
}

function spansOf(line) {
  const spans = []
  const end = line.translateToString(true).length
  for (let column = 0; column < end; column += 1) {
    const cell = line.getCell(column)
    const style = {
      ...(cell.isFgPalette() && { color: COLORS[cell.getFgColor()] }),
      ...(cell.isBold() && { bold: true }),
      ...(cell.isDim() && { faint: true }),
    }
    const text = cell.getChars() || ' '
    const last = spans.at(-1)
    if (last !== undefined && isDeepStrictEqual({ ...last, text }, { ...style, text })) last.text += text
    else spans.push({ text, ...style })
  }
  return spans
}

function picture(lines) {
  const width = Math.ceil(COLUMNS * CELL.width + 2 * MARGIN)
  const height = Math.ceil(BAR + (lines.length - 1) * CELL.height + 2 * MARGIN)
  const texts = lines.flatMap((spans, row) => textOf(spans, BAR + MARGIN + (row + 0.72) * CELL.height))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t">
<title id="t">A terminal: matdecl downloads the declarations of a parts list, reports them, and gates on them</title>
<desc>Recorded on ${new Date().toISOString().slice(0, 10)}</desc>
<rect width="${width}" height="${height}" rx="9" fill="#0d1117"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3">
${texts.join('\n')}
</g>
</svg>
`
}

// Each span has a position and a length, so that columns stay aligned in any font.
function textOf(spans, y) {
  let column = 0
  return spans.flatMap((span) => {
    const count = [...span.text].length
    const x = MARGIN + column * CELL.width
    column += count
    if (span.text.trim() === '') return []
    const facts = [
      `x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${(count * CELL.width).toFixed(1)}"`,
      ...(span.color === undefined ? [] : [`fill="${span.color}"`]),
      ...(span.bold === true ? ['font-weight="600"'] : []),
      ...(span.faint === true ? ['opacity="0.6"'] : []),
    ]
    return [`<text ${facts.join(' ')}>${escaped(span.text)}</text>`]
  })
}

// With spaces that XML readers do not collapse.
function escaped(text) {
  return text
    .replaceAll(' ', '\u00a0')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
