import { zipStream } from '../../archive/write-zip.ts'
import { escapeMarkup } from '../formats/escape-markup.ts'
import { columnLetters, type Sheet, type SheetChart } from './sheet.ts'
import { stylesXml, TONE_INKS } from './styles.ts'

/** The date of every file in a workbook: the same sheets give the same bytes. */
const DAY = '1980-01-01'

/** A file of a workbook in `xl/`. */
interface Part {
  readonly path: string
  /** The end of its content type; its last word is the type of relations to it. */
  readonly type: string
  readonly content: () => Iterable<string> | AsyncIterable<string>
}

/** A workbook (ECMA-376) of these sheets in their order; the footer has `footer`, the name of the sheet and the page. */
export function workbookStream(sheets: readonly Sheet[], footer: string): AsyncIterable<Uint8Array> {
  const workbook = part('workbook.xml', 'spreadsheetml.sheet.main', () => workbookXml(sheets))
  const styles = part('styles.xml', 'spreadsheetml.styles', stylesXml)
  const all = sheets.map((sheet, index) => sheetParts(sheet, index + 1, footer))
  const parts = [
    ...relationsOf(workbook, [...all.map(([sheet]) => sheet), styles]),
    workbook,
    styles,
    ...all.flat(),
  ]
  return zipStream([
    { name: '[Content_Types].xml', day: DAY, content: () => [contentTypesXml(parts)] },
    { name: '_rels/.rels', day: DAY, content: () => [relationsXml([['officeDocument', workbook.path]])] },
    ...parts.map(({ path, content }) => ({ name: `xl/${path}`, day: DAY, content })),
  ]) as AsyncIterable<Uint8Array>
}

function part(path: string, type: string, xml: () => string): Part {
  return { path, type, content: () => [xml()] }
}

/** A sheet, then its notes and its chart. */
function sheetParts(sheet: Sheet, number: number, footer: string): readonly [Part, ...Part[]] {
  const { name, notes, chart } = sheet
  const own: Part = {
    path: `worksheets/sheet${number}.xml`,
    type: 'spreadsheetml.worksheet',
    content: () => sheetXml(sheet, number, footer),
  }
  const drawing = part(`drawings/drawing${number}.xml`, 'drawing', () => chartDrawing(chart!))
  const picture = part(`charts/chart${number}.xml`, 'drawingml.chart', () => chartXml(chart!, name))
  const noteParts = [
    part(`comments${number}.xml`, 'spreadsheetml.comments', () => notesXml(notes!)),
    part(`drawings/vmlDrawing${number}.vml`, 'vmlDrawing', () => notesDrawing(notes!, number)),
  ]
  const drawn = [...(notes ? noteParts : []), ...(chart ? [drawing] : [])]
  const charts = chart ? [...relationsOf(drawing, [picture]), picture] : []
  return [own, ...relationsOf(own, drawn), ...drawn, ...charts]
}

async function* sheetXml(
  { view = '', rows, links = '', ignoredErrors = '', notes, chart }: Sheet,
  number: number,
  footer: string,
): AsyncGenerator<string, void, void> {
  const isFirst = number === 1
  yield `${XML}<worksheet xmlns="${SHEETS}" xmlns:r="${OFFICE}"><sheetPr><outlinePr summaryRight="0"/><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView${isFirst ? ' tabSelected="1"' : ''} showGridLines="${isFirst ? 0 : 1}" workbookViewId="0">${view}</sheetView></sheetViews>`
  yield* rows()
  const drawings = `${chart ? `<drawing r:id="rId${notes ? 3 : 1}"/>` : ''}${notes ? '<legacyDrawing r:id="rId2"/>' : ''}`
  yield `${links}${pageXml(footer, notes !== undefined)}${ignoredErrors}${drawings}</worksheet>`
}

function pageXml(footer: string, hasGrid: boolean): string {
  const left = escapeMarkup(footer.replaceAll('&', '&&'))
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
  return `${XML}<workbook xmlns="${SHEETS}" xmlns:r="${OFFICE}"><bookViews><workbookView activeTab="0"/></bookViews><sheets>${list.join('')}</sheets>${names}</workbook>`
}

// Files of a workbook beside its sheets (ECMA-376 parts 1 and 2; the drawing of notes is VML, part 4).

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const SHEETS = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
/** The file with the relations of a part, `rId1`, `rId2` and so on; none without any. */
function relationsOf({ path }: Part, targets: readonly Part[]): readonly Part[] {
  if (targets.length === 0) return []
  const relations = targets.map(({ path, type }) => [type.split('.').at(-1)!, path] as const)
  return [part(path.replace(/[^/]+$/, '_rels/$&.rels'), '', () => relationsXml(relations))]
}

function relationsXml(relations: readonly (readonly [type: string, path: string])[]): string {
  const all = relations.map(
    ([type, path], index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="/xl/${path}"/>`,
  )
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`
}

/** The content types of a workbook; those of other extensions are known. */
function contentTypesXml(parts: readonly Part[]): string {
  const kind = 'application/vnd.openxmlformats-officedocument'
  const types = parts
    .filter(({ path }) => path.endsWith('.xml'))
    .map(({ path, type }) => `<Override PartName="/xl/${path}" ContentType="${kind}.${type}+xml"/>`)
  return `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="vml" ContentType="${kind}.vmlDrawing"/>${types.join('')}</Types>`
}

/** The texts of the notes of the first row. */
function notesXml(notes: readonly string[]): string {
  const all = notes.map(
    (note, index) =>
      `<comment ref="${columnLetters(index + 1)}1" authorId="0"><text><r><t xml:space="preserve">${escapeMarkup(note)}</t></r></text></comment>`,
  )
  return `${XML}<comments xmlns="${SHEETS}"><authors><author>matdecl</author></authors><commentList>${all.join('')}</commentList></comments>`
}

/** The boxes of the same notes, hidden until the pointer is on a cell. Shape numbers differ from sheet to sheet. */
function notesDrawing(notes: readonly string[], sheet: number): string {
  const shapes = notes.map(
    (_, column) =>
      `<v:shape id="_x0000_s${1024 * sheet + column + 1}" type="#_x0000_t202" style="position:absolute;visibility:hidden;width:240px;height:60px" fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"/><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>${column + 1}, 12, 0, 4, ${column + 4}, 12, 4, 4</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>0</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`,
  )
  return `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="${sheet}"/></o:shapelayout><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>${shapes.join('')}</xml>`
}

// A bar chart of counts: its drawing and its chart (ECMA-376 part 1, 20.5 and 21.2). The bars are read from cells, the values in the
// chart are for programs that do not compute.

const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006/main'
const CHART = 'http://schemas.openxmlformats.org/drawingml/2006/chart'
const SHEET_DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing'
/** English Metric Units of a pixel. */
const PIXEL = 9525
const WIDTH = 560
const BAR_HEIGHT = 22
const TITLE_HEIGHT = 46

/** The drawing that holds the chart, with the counts as text for those who do not see it. */
function chartDrawing({ title, bars }: SheetChart): string {
  const words = bars.map(({ name, count }) => `${count} ${name}`).join(', ')
  const height = TITLE_HEIGHT + bars.length * BAR_HEIGHT
  return `${XML}<xdr:wsDr xmlns:xdr="${SHEET_DRAWING}" xmlns:a="${DRAWING}"><xdr:oneCellAnchor><xdr:from><xdr:col>2</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>1</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:ext cx="${WIDTH * PIXEL}" cy="${height * PIXEL}"/><xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="${escapeMarkup(title)}" descr="${escapeMarkup(`${title}: ${words}`)}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="${CHART}"><c:chart xmlns:c="${CHART}" xmlns:r="${OFFICE}" r:id="rId1"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:oneCellAnchor></xdr:wsDr>`
}

/** The chart: a bar for each name, the first on top, in the color of its tone and with its count. */
function chartXml({ title, line, bars }: SheetChart, sheet: string): string {
  const range = (letters: string): string =>
    `'${sheet}'!$${letters}$${line}:$${letters}$${line + bars.length - 1}`
  const points = (values: readonly (string | number)[]): string =>
    `<c:ptCount val="${values.length}"/>${values.map((value, index) => `<c:pt idx="${index}"><c:v>${escapeMarkup(String(value))}</c:v></c:pt>`).join('')}`
  const colors = bars.map(
    ({ tone }, index) =>
      `<c:dPt><c:idx val="${index}"/><c:invertIfNegative val="0"/><c:bubble3D val="0"/><c:spPr><a:solidFill><a:srgbClr val="${TONE_INKS[tone]}"/></a:solidFill></c:spPr></c:dPt>`,
  )
  const series = [
    '<c:idx val="0"/><c:order val="0"/><c:invertIfNegative val="0"/>',
    ...colors,
    `<c:dLbls>${NO_LINE}${LABELS}<c:showLegendKey val="0"/><c:showVal val="1"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="0"/><c:showBubbleSize val="0"/></c:dLbls>`,
    `<c:cat><c:strRef><c:f>${range('A')}</c:f><c:strCache>${points(bars.map(({ name }) => name))}</c:strCache></c:strRef></c:cat>`,
    `<c:val><c:numRef><c:f>${range('B')}</c:f><c:numCache><c:formatCode>General</c:formatCode>${points(bars.map(({ count }) => count))}</c:numCache></c:numRef></c:val>`,
  ].join('')
  const heading = `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="1100" b="1"/></a:pPr><a:r><a:rPr lang="en" sz="1100" b="1"/><a:t>${escapeMarkup(title)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title>`
  const names = `<c:catAx><c:axId val="1"/><c:scaling><c:orientation val="maxMin"/></c:scaling><c:delete val="0"/><c:axPos val="l"/><c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/>${LABELS}<c:crossAx val="2"/><c:crosses val="autoZero"/><c:auto val="1"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/><c:noMultiLvlLbl val="0"/></c:catAx>`
  // Each bar has its count: an axis would repeat it.
  const counts =
    '<c:valAx><c:axId val="2"/><c:scaling><c:orientation val="minMax"/><c:min val="0"/></c:scaling><c:delete val="1"/><c:axPos val="t"/><c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="none"/><c:crossAx val="1"/><c:crosses val="autoZero"/><c:crossBetween val="between"/></c:valAx>'
  return `${XML}<c:chartSpace xmlns:c="${CHART}" xmlns:a="${DRAWING}" xmlns:r="${OFFICE}"><c:roundedCorners val="0"/><c:chart>${heading}<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/><c:barChart><c:barDir val="bar"/><c:grouping val="clustered"/><c:varyColors val="0"/><c:ser>${series}</c:ser><c:gapWidth val="40"/><c:axId val="1"/><c:axId val="2"/></c:barChart>${names}${counts}</c:plotArea><c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>`
}

const NO_LINE = '<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>'
/** The texts beside bars: 9 points. */
const LABELS =
  '<c:txPr><a:bodyPr/><a:p><a:pPr><a:defRPr sz="900"/></a:pPr><a:endParaRPr lang="en"/></a:p></c:txPr>'
