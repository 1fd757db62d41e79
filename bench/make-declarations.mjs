// Class C declarations of 128 kB as several writers save them: 410 categories in three lists, the same bytes on every run.
import { closeSync, createWriteStream, openSync, writeSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'

const LISTS = [
  ['EUREACH-0624', 'IPC', 241, '0.1% by weight (1 000 ppm) of any article'],
  ['EUROHS-1907', 'IPC', 10, '0.1% by weight (1 000 ppm) of homogenous materials'],
  ['IEC_62474 D19.00', 'IEC_62474', 159, '0.1 mass% of article'],
]
const NAMESPACE = 'http://webstds.ipc.org/175x/2.0'
const SYLLABLES =
  'meth eth prop but phen chlor brom fluor ox amid ester acid sodium lead cobalt chromium phthal benz tri di hexa'.split(
    ' ',
  )
const LEGAL =
  'Supplier certifies that it gathered the provided information and such information is true & correct. '.repeat(
    15,
  )

/** Writers differ in white space, quotes, prefix, and how they end an empty element. */
const WRITERS = [
  { line: '\n', indent: '  ', between: ' ', quote: '"', prefix: '', isShort: true },
  { line: '\r\n', indent: '\t', between: ' ', quote: "'", prefix: 'ipc:', isShort: true, isReversed: true },
  { line: '', indent: '', between: ' ', quote: '"', prefix: '', isShort: false },
  { line: '\n', indent: '    ', between: '\n        ', quote: '"', prefix: 'ns2:', isShort: true },
  { line: '\n', indent: ' ', between: '  ', quote: '"', prefix: '', isShort: false, hasComments: true },
]

/**
 * An archive of `count` declarations, one file in ten with a substance over its threshold. Its part numbers begin with `first`; lists
 * have at most `mostCategories`; with `ownNames` each file has names of its own for them.
 */
export async function classCArchive(
  path,
  count,
  { first = 0, mostCategories = Infinity, ownNames = false } = {},
) {
  const random = seeded(1752 + first)
  const newNames = () =>
    LISTS.map(([, , size]) =>
      Array.from({ length: Math.min(size, mostCategories) }, () => substanceName(random)),
    )
  const common = newNames()
  const zip = new ZipFile()
  for (let index = first; index < first + count; index += 1) {
    const names = ownNames ? newNames() : common
    const text = classC(elementsOf(WRITERS[random(WRITERS.length)]), random, index, names)
    zip.addBuffer(Buffer.from(text), `declaration-${String(index).padStart(6, '0')}.xml`)
  }
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}

/** A generator of whole numbers below a limit, the same for the same seed (mulberry32). */
function seeded(seed) {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

/** One file of `count` products, about 120 kB each. */
export function largeDeclaration(path, count) {
  const random = seeded(1752)
  const names = LISTS.map(([, , size]) => Array.from({ length: size }, () => substanceName(random)))
  const file = openSync(path, 'w')
  const element = elementsOf(WRITERS[0])
  const [head, tail] = classC(element, random, 0, names).split(/<Product [\s\S]*<\/Product>/)
  writeSync(file, head)
  for (let index = 0; index < count; index += 1) {
    writeSync(file, product(element, random, index, names))
  }
  writeSync(file, tail)
  closeSync(file)
}

function classC(element, random, index, names) {
  return element.document([
    element('BusinessInfo', { mode: 'Distribute' }, 1, [
      element('Response', { date: '2024-09-27', fieldLock: 'false' }, 2, [
        element('SupplyCompany', { name: `Example Parts & Söhne ${random(50)}` }, 3, [
          element('CompanyID', { identity: '123456789', authority: 'DUNS' }, 4),
        ]),
      ]),
      element('Declaration', { legalType: 'Standard', supplierAcceptance: 'true', legalDef: LEGAL }, 2),
    ]),
    product(element, random, index, names),
  ])
}

function product(element, random, index, names) {
  const lists = LISTS.map(([identity, authority, size, threshold], list) => {
    const over = index % 10 === 0 ? random(Math.min(size, names[list].length)) : -1
    const categories = names[list].map((name, number) =>
      element('SubstanceCategory', { name, reportableApplication: 'All' }, 4, [
        element('Threshold', { overThreshold: String(number === over), threshold }, 5),
        element(
          'SubstanceCategoryID',
          { identity: String(number + 1).padStart(5, '0'), authority: 'IPC' },
          5,
        ),
      ]),
    )
    const id = element('SubstanceCategoryListID', { identity, authority }, 4)
    return element('SubstanceCategoryList', {}, 3, [id, ...shuffle(random, categories)])
  })
  const part = {
    itemName: `Part ${index} Ø ${random(90)} mm`,
    itemNumber: `PN-${index}`,
    requesterItemNumber: '',
  }
  return element('Product', { comment: '', unitType: 'Each', numberOfInstances: '1' }, 1, [
    element('ProductID', part, 2, [element('Amount', { value: `${random(900)}.5`, UOM: 'mg' }, 3)]),
    element('MaterialInfo', {}, 2, shuffle(random, lists)),
  ])
}

/** Writes elements as one of the writers does. */
function elementsOf({ line, indent, between, quote, prefix, isShort, isReversed, hasComments }) {
  const element = (name, attributes, depth, children = []) => {
    const pairs = Object.entries(attributes).map(
      ([key, value]) => `${between}${key}=${quote}${escapeText(value, line === '')}${quote}`,
    )
    const start = `${line}${indent.repeat(depth)}`
    const open = `${start}<${prefix}${name}${(isReversed ? pairs.reverse() : pairs).join('')}`
    if (children.length === 0) return isShort ? `${open}/>` : `${open}></${prefix}${name}>`
    const comment = hasComments && depth < 4 ? `${start}<!-- ${name}: ${children.length} -->` : ''
    return `${comment}${open}>${children.join('')}${start}</${prefix}${name}>`
  }
  element.document = (children) => {
    const declared = prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`
    const attributes = { [declared]: NAMESPACE, version: '2.0' }
    return `<?xml version="1.0" encoding="UTF-8"?>${element('MainDeclaration', attributes, 0, children)}\n`
  }
  return element
}

function escapeText(text, breaksLines) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll("'", '&apos;')
  return breaksLines ? escaped.replaceAll(', ', ',&#xA;') : escaped
}

function substanceName(random) {
  const word = () => Array.from({ length: 2 + random(3) }, () => SYLLABLES[random(SYLLABLES.length)]).join('')
  const name = Array.from({ length: 2 + random(5) }, word).join(random(3) === 0 ? ', ' : ' ')
  return `${name[0].toUpperCase()}${name.slice(1)} (${1 + random(9)}'-${word()})`
}

function shuffle(random, items) {
  const shuffled = [...items]
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const other = random(at + 1)
    ;[shuffled[at], shuffled[other]] = [shuffled[other], shuffled[at]]
  }
  return shuffled
}
