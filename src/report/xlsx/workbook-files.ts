import { type NewEntry, zipStream } from '../../archive/write-zip.ts'
import { escapeXml } from '../formats/escape-markup.ts'
import { chartDrawing, chartXml } from './chart.ts'
import { columnLetters, type Sheet } from './sheet.ts'
import { stylesXml } from './styles.ts'

/** The date of every file in a workbook: the same sheets give the same bytes. */
const DAY = '1980-01-01'

/** A workbook (ECMA-376) of these sheets in their order; the footer has `footer`, the name of the sheet and the page. */
export function workbookStream(sheets: readonly Sheet[], footer: string): AsyncIterable<Uint8Array> {
  return zipStream(workbookFiles(sheets, footer)) as AsyncIterable<Uint8Array>
}

type File = NewEntry<Iterable<string> | AsyncIterable<string>>

function workbookFiles(sheets: readonly Sheet[], footer: string): File[] {
  const file = (name: string, content: File['content']): File => ({ name, day: DAY, content })
  const names = sheets.map(({ name }) => name)
  return [
    file('[Content_Types].xml', () => [contentTypesXml(sheets)]),
    file('_rels/.rels', () => [PACKAGE_RELATIONS]),
    file('xl/_rels/workbook.xml.rels', () => [
      relationsXml([
        ...names.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const),
        ['styles', 'styles.xml'],
      ]),
    ]),
    file('xl/workbook.xml', () => [workbookXml(sheets)]),
    file('xl/styles.xml', () => [stylesXml()]),
    ...sheets.flatMap((sheet, index) => sheetFiles(sheet, index + 1, footer, file)),
  ]
}

function sheetFiles(
  { name, notes, chart, content }: Sheet,
  number: number,
  footer: string,
  file: (name: string, content: File['content']) => File,
): File[] {
  const opening = (properties: string, view: string): string =>
    `${XML}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">${properties}<sheetViews><sheetView${number === 1 ? ' tabSelected="1"' : ''} showGridLines="${number === 1 ? 0 : 1}" workbookViewId="0">${view}</sheetView></sheetViews>`
  const closing = (ignoredErrors: string, hyperlinks = ''): string =>
    `${hyperlinks}${pageXml(footer, notes !== undefined)}${ignoredErrors}${chart ? `<drawing r:id="rId${notes ? 3 : 1}"/>` : ''}${notes ? '<legacyDrawing r:id="rId2"/>' : ''}</worksheet>`
  const sheet = file(`xl/worksheets/sheet${number}.xml`, () => content(opening, closing))
  if (notes === undefined && chart === undefined) return [sheet]
  const relations = [
    ...(notes
      ? ([
          ['comments', `../comments${number}.xml`],
          ['vmlDrawing', `../drawings/vmlDrawing${number}.vml`],
        ] as const)
      : []),
    ...(chart ? [['drawing', `../drawings/drawing${number}.xml`] as const] : []),
  ]
  return [
    sheet,
    file(`xl/worksheets/_rels/sheet${number}.xml.rels`, () => [relationsXml(relations)]),
    ...(notes
      ? [
          file(`xl/comments${number}.xml`, () => [notesXml(notes)]),
          file(`xl/drawings/vmlDrawing${number}.vml`, () => [notesDrawing(notes, number)]),
        ]
      : []),
    ...(chart
      ? [
          file(`xl/drawings/drawing${number}.xml`, () => [XML + chartDrawing(chart)]),
          file(`xl/drawings/_rels/drawing${number}.xml.rels`, () => [
            relationsXml([['chart', `../charts/chart${number}.xml`]]),
          ]),
          file(`xl/charts/chart${number}.xml`, () => [XML + chartXml(chart, name)]),
        ]
      : []),
  ]
}

function pageXml(footer: string, hasGrid: boolean): string {
  const left = escapeXml(footer.replaceAll('&', '&&'))
  return `<printOptions${hasGrid ? ' gridLines="1"' : ''}/><pageMargins left="0.4" right="0.4" top="0.45" bottom="0.6" header="0.3" footer="0.3"/><pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/><headerFooter><oddFooter>&amp;L${left}&amp;C&amp;A&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter>`
}

function workbookXml(sheets: readonly Sheet[]): string {
  const list = sheets.map(
    ({ name }, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  )
  const defined = sheets.flatMap(({ name, filter }, index) => {
    if (filter === undefined) return []
    const range = filter.replaceAll(/([A-Z]+)(\d+)/g, '$$$1$$$2')
    return [
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">'${name}'!${range}</definedName>`,
      `<definedName name="_xlnm.Print_Titles" localSheetId="${index}">'${name}'!$1:$1</definedName>`,
    ]
  })
  const names = defined.length === 0 ? '' : `<definedNames>${defined.join('')}</definedNames>`
  return `${XML}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><bookViews><workbookView activeTab="0"/></bookViews><sheets>${list.join('')}</sheets>${names}</workbook>`
}

// Files of a workbook beside its sheets (ECMA-376 parts 1 and 2; the drawing of notes is VML, part 4).

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const KIND = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const PACKAGE_RELATIONS = relationsXml([['officeDocument', 'xl/workbook.xml']])

/** Relations of these types to these targets: `rId1`, `rId2` and so on. */
function relationsXml(relations: readonly (readonly [type: string, target: string])[]): string {
  const all = relations.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`
}

/** The content types of a workbook. */
function contentTypesXml(all: readonly Sheet[]): string {
  const part = (name: string, type: string): string =>
    `<Override PartName="/xl/${name}.xml" ContentType="${KIND}.${type}+xml"/>`
  const drawn = (name: string, type: string): string =>
    `<Override PartName="/xl/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`
  const sheets = all.flatMap(({ notes, chart }, index) => [
    part(`worksheets/sheet${index + 1}`, 'worksheet'),
    ...(notes ? [part(`comments${index + 1}`, 'comments')] : []),
    ...(chart
      ? [
          drawn(`drawings/drawing${index + 1}`, 'drawing'),
          drawn(`charts/chart${index + 1}`, 'drawingml.chart'),
        ]
      : []),
  ])
  return `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>${part('workbook', 'sheet.main')}${part('styles', 'styles')}${sheets.join('')}</Types>`
}

/** The texts of the notes of the first row. */
function notesXml(notes: readonly string[]): string {
  const all = notes.map(
    (note, index) =>
      `<comment ref="${columnLetters(index + 1)}1" authorId="0"><text><r><t xml:space="preserve">${escapeXml(note)}</t></r></text></comment>`,
  )
  return `${XML}<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>matdecl</author></authors><commentList>${all.join('')}</commentList></comments>`
}

/** The boxes of the same notes, hidden until the pointer is on a cell. Shape numbers differ from sheet to sheet. */
function notesDrawing(notes: readonly string[], sheet: number): string {
  const shapes = notes.map(
    (_, column) =>
      `<v:shape id="_x0000_s${1024 * sheet + column + 1}" type="#_x0000_t202" style="position:absolute;visibility:hidden;width:240px;height:60px" fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"/><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>${column + 1}, 12, 0, 4, ${column + 4}, 12, 4, 4</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>0</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`,
  )
  return `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="${sheet}"/></o:shapelayout><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>${shapes.join('')}</xml>`
}
