import type { Tone } from '../document.ts'
import { escapeXml } from '../formats/escape-markup.ts'
import { TONE_INKS } from './styles.ts'

// A bar chart of counts on a sheet: its drawing and its chart (ECMA-376 part 1, 20.5 and 21.2). The bars are read from cells, the values
// in the chart are for programs that do not compute.

/** Counts in two columns of a sheet that follow each other, and where the chart stands. */
export interface SheetChart {
  readonly title: string
  /** The column and line, from 1, of the first name; the counts are in the next column. */
  readonly column: string
  readonly countColumn: string
  readonly line: number
  readonly bars: readonly { readonly name: string; readonly count: number; readonly tone: Tone }[]
  /** The cell of its corner, from 0. */
  readonly at: { readonly column: number; readonly line: number }
}

const MAIN = 'http://schemas.openxmlformats.org/drawingml/2006/main'
const CHART = 'http://schemas.openxmlformats.org/drawingml/2006/chart'
const SHEET_DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
/** English Metric Units of a pixel. */
const PIXEL = 9525
const WIDTH = 560
const BAR_HEIGHT = 22
const TITLE_HEIGHT = 46

/** The drawing that holds the chart, with the counts as text for those who do not see it. */
export function chartDrawing({ title, bars, at }: SheetChart): string {
  const words = bars.map(({ name, count }) => `${count} ${name}`).join(', ')
  const height = TITLE_HEIGHT + bars.length * BAR_HEIGHT
  return `<xdr:wsDr xmlns:xdr="${SHEET_DRAWING}" xmlns:a="${MAIN}"><xdr:oneCellAnchor><xdr:from><xdr:col>${at.column}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${at.line}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:ext cx="${WIDTH * PIXEL}" cy="${height * PIXEL}"/><xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="${escapeXml(title)}" descr="${escapeXml(`${title}: ${words}`)}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="${CHART}"><c:chart xmlns:c="${CHART}" xmlns:r="${OFFICE}" r:id="rId1"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:oneCellAnchor></xdr:wsDr>`
}

/** The chart: a bar for each name, the first on top, in the color of its tone and with its count. */
export function chartXml({ title, column, countColumn, line, bars }: SheetChart, sheet: string): string {
  const range = (letters: string): string =>
    `'${sheet}'!$${letters}$${line}:$${letters}$${line + bars.length - 1}`
  const points = (values: readonly (string | number)[]): string =>
    `<c:ptCount val="${values.length}"/>${values.map((value, index) => `<c:pt idx="${index}"><c:v>${escapeXml(String(value))}</c:v></c:pt>`).join('')}`
  const colors = bars.map(
    ({ tone }, index) =>
      `<c:dPt><c:idx val="${index}"/><c:invertIfNegative val="0"/><c:bubble3D val="0"/><c:spPr>${solid(TONE_INKS[tone])}</c:spPr></c:dPt>`,
  )
  const series = [
    '<c:idx val="0"/><c:order val="0"/><c:invertIfNegative val="0"/>',
    ...colors,
    `<c:dLbls>${NO_LINE}${text(900)}<c:showLegendKey val="0"/><c:showVal val="1"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="0"/><c:showBubbleSize val="0"/></c:dLbls>`,
    `<c:cat><c:strRef><c:f>${range(column)}</c:f><c:strCache>${points(bars.map(({ name }) => name))}</c:strCache></c:strRef></c:cat>`,
    `<c:val><c:numRef><c:f>${range(countColumn)}</c:f><c:numCache><c:formatCode>General</c:formatCode>${points(bars.map(({ count }) => count))}</c:numCache></c:numRef></c:val>`,
  ].join('')
  const heading = `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="1100" b="1"/></a:pPr><a:r><a:rPr lang="en" sz="1100" b="1"/><a:t>${escapeXml(title)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title>`
  const names = `<c:catAx><c:axId val="1"/><c:scaling><c:orientation val="maxMin"/></c:scaling><c:delete val="0"/><c:axPos val="l"/><c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/>${text(900)}<c:crossAx val="2"/><c:crosses val="autoZero"/><c:auto val="1"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/><c:noMultiLvlLbl val="0"/></c:catAx>`
  // Each bar has its count: an axis would repeat it.
  const counts =
    '<c:valAx><c:axId val="2"/><c:scaling><c:orientation val="minMax"/><c:min val="0"/></c:scaling><c:delete val="1"/><c:axPos val="t"/><c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="none"/><c:crossAx val="1"/><c:crosses val="autoZero"/><c:crossBetween val="between"/></c:valAx>'
  return `<c:chartSpace xmlns:c="${CHART}" xmlns:a="${MAIN}" xmlns:r="${OFFICE}"><c:roundedCorners val="0"/><c:chart>${heading}<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/><c:barChart><c:barDir val="bar"/><c:grouping val="clustered"/><c:varyColors val="0"/><c:ser>${series}</c:ser><c:gapWidth val="40"/><c:axId val="1"/><c:axId val="2"/></c:barChart>${names}${counts}</c:plotArea><c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>`
}

const NO_LINE = '<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>'

function solid(color: string): string {
  return `<a:solidFill><a:srgbClr val="${color}"/></a:solidFill>`
}

/** The size of texts, in hundredths of a point. */
function text(size: number): string {
  return `<c:txPr><a:bodyPr/><a:p><a:pPr><a:defRPr sz="${size}"/></a:pPr><a:endParaRPr lang="en"/></a:p></c:txPr>`
}
