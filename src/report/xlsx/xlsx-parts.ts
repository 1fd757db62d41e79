import { escapeXml } from '../formats/escape-markup.ts'
import { columnLetters } from './xlsx-cells.ts'

// Files of a workbook beside its sheets (ECMA-376 parts 1 and 2; the drawing of notes is VML, part 4).

export const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const KIND = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

export const PACKAGE_RELATIONS = relationsXml([['officeDocument', 'xl/workbook.xml']])

/** Relations of these types to these targets: `rId1`, `rId2` and so on. */
export function relationsXml(relations: readonly (readonly [type: string, target: string])[]): string {
  const all = relations.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`
}

/** The content types of a workbook; `withNotes` says of each sheet whether it has notes. */
export function contentTypesXml(withNotes: readonly boolean[]): string {
  const part = (name: string, type: string): string =>
    `<Override PartName="/xl/${name}.xml" ContentType="${KIND}.${type}+xml"/>`
  const sheets = withNotes.flatMap((hasNotes, index) => [
    part(`worksheets/sheet${index + 1}`, 'worksheet'),
    ...(hasNotes ? [part(`comments${index + 1}`, 'comments')] : []),
  ])
  return `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>${part('workbook', 'sheet.main')}${part('styles', 'styles')}${sheets.join('')}</Types>`
}

/** The texts of the notes of the first row. */
export function notesXml(notes: readonly string[]): string {
  const all = notes.map(
    (note, index) =>
      `<comment ref="${columnLetters(index + 1)}1" authorId="0"><text><r><t xml:space="preserve">${escapeXml(note)}</t></r></text></comment>`,
  )
  return `${XML}<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>matdecl</author></authors><commentList>${all.join('')}</commentList></comments>`
}

/** The boxes of the same notes, hidden until the pointer is on a cell. Shape numbers differ from sheet to sheet. */
export function notesDrawing(notes: readonly string[], sheet: number): string {
  const shapes = notes.map(
    (_, column) =>
      `<v:shape id="_x0000_s${1024 * sheet + column + 1}" type="#_x0000_t202" style="position:absolute;visibility:hidden;width:240px;height:60px" fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"/><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>${column + 1}, 12, 0, 4, ${column + 4}, 12, 4, 4</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>0</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`,
  )
  return `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="${sheet}"/></o:shapelayout><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>${shapes.join('')}</xml>`
}
