// docs/terminal.svg: a terminal as it looked when these commands were really run, in a pseudo-terminal, against the sandbox.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildInPlace } from './build.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const COLUMNS = 96
const PARTS = ['EXC188R60000KA', 'EXC188R60001KA', 'EXC188R60004KA', 'EXC188R60007KA', 'EXC188R99999KA']
const COMMANDS = [
  'matdecl download --sandbox --parts-file bom.csv -o bom.zip -x',
  'matdecl report bom.zip',
  'matdecl report bom.zip --parts-file bom.csv -o bom.xlsx --fail-on not-compliant,missing',
]

const CELL = { width: 8.4, height: 19 }
const MARGIN = 18
const BAR = 34
const COLORS = { 31: '#ff7b72', 32: '#7ee787', 33: '#f2cc60', 36: '#79c0ff' }

await buildInPlace()
writeFileSync(join(root, 'docs', 'terminal.svg'), picture(record()))

function record() {
  const folder = mkdtempSync(join(tmpdir(), 'matdecl-picture-'))
  try {
    writeFileSync(join(folder, 'bom.csv'), `part number\n${PARTS.join('\n')}\n`)
    return COMMANDS.flatMap((command) => [
      [
        { text: '$ ', color: '#8b949e' },
        { text: command, bold: true },
      ],
      ...run(command, folder),
      [],
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function run(command, cwd) {
  const tool = `'${process.execPath}' '${join(root, 'bin', 'matdecl.js')}'`
  const line = `stty cols ${COLUMNS} rows 50; ${command.replace(/^matdecl/, `${tool} --no-progress`)}`
  const { stdout, error } = spawnSync('script', ['-qec', line, '/dev/null'], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', LANG: 'C.UTF-8', HOME: cwd },
  })
  if (error !== undefined) throw error
  // The port of the sandbox and the time are as they were; nothing else differs from run to run.
  return stdout.replace(/\r/g, '').trimEnd().split('\n').map(spansOf)
}

// Text with its colour and weight, from the codes of ECMA-48 that the tool uses.
function spansOf(line) {
  const spans = []
  let style = {}
  for (const piece of line.split(/(\u001b\[[\d;?]*[a-zA-Z])/)) {
    const code = /^\u001b\[(\d*)m$/.exec(piece)?.[1]
    if (code === undefined) {
      if (piece !== '' && !piece.startsWith('\u001b')) spans.push({ text: piece, ...style })
    } else if (code === '1') style = { ...style, bold: true }
    else if (code === '2') style = { ...style, faint: true }
    else if (code === '22') style = { ...style, bold: false, faint: false }
    else if (code === '39' || code === '0' || code === '')
      style = code === '39' ? { ...style, color: undefined } : {}
    else style = { ...style, color: COLORS[code] }
  }
  return spans
}

function picture(lines) {
  const width = Math.ceil(COLUMNS * CELL.width + 2 * MARGIN)
  const height = Math.ceil(BAR + (lines.length - 1) * CELL.height + 2 * MARGIN)
  const texts = lines.flatMap((spans, row) => textOf(spans, BAR + MARGIN + (row + 0.72) * CELL.height))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t">
<title id="t">A terminal: matdecl downloads the declarations of a parts list, reports them, and gates on them</title>
<rect width="${width}" height="${height}" rx="9" fill="#0d1117"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3">
${texts.join('\n')}
</g>
</svg>
`
}

// Each span has its own place and length, so that columns stay columns in whatever font there is.
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

// Spaces that nobody joins.
function escaped(text) {
  return text
    .replaceAll(' ', '\u00a0')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
