import type { Readable } from 'node:stream'
import { type NewEntry, zipStream } from '../../archive/write-zip.ts'
import { escapeXml } from '../formats/escape-markup.ts'
import {
  contentTypesXml,
  notesDrawing,
  notesXml,
  PACKAGE_RELATIONS,
  relationsXml,
  XML,
} from './xlsx-parts.ts'
import { stylesXml } from './xlsx-styles.ts'

/** One sheet of a workbook. */
export interface Sheet {
  readonly name: string
  /** The range of its filter, such as `A1:C9`; its first row is repeated on paper. */
  readonly filter?: string
  /** The notes of the cells of the first row, from its first column. */
  readonly notes?: readonly string[]
  /** The XML of the sheet; `opening` and `closing` give what all sheets share. Called when the sheet is written. */
  readonly content: (
    opening: (properties: string, view: string) => string,
    closing: (ignoredErrors: string, hyperlinks?: string) => string,
  ) => Iterable<string>
}

/** The date of every file in a workbook: the same sheets give the same bytes. */
const DAY = '1980-01-01'

/** A workbook (ECMA-376) of these sheets in their order; the footer has `footer`, the name of the sheet and the page. */
export function workbookStream(sheets: readonly Sheet[], footer: string): Readable {
  return zipStream(workbookFiles(sheets, footer))
}

function workbookFiles(sheets: readonly Sheet[], footer: string): NewEntry[] {
  const file = (name: string, content: () => Iterable<string>): NewEntry => ({ name, day: DAY, content })
  const names = sheets.map(({ name }) => name)
  const withNotes = sheets.map(({ notes }) => notes !== undefined)
  return [
    file('[Content_Types].xml', () => [contentTypesXml(withNotes)]),
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
  { notes, content }: Sheet,
  number: number,
  footer: string,
  file: (name: string, content: () => Iterable<string>) => NewEntry,
): NewEntry[] {
  const opening = (properties: string, view: string): string =>
    `${XML}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">${properties}<sheetViews><sheetView${number === 1 ? ' tabSelected="1"' : ''} showGridLines="${number === 1 ? 0 : 1}" workbookViewId="0">${view}</sheetView></sheetViews>`
  const closing = (ignoredErrors: string, hyperlinks = ''): string =>
    `${hyperlinks}${pageXml(footer, notes !== undefined)}${ignoredErrors}${notes ? '<legacyDrawing r:id="rId2"/>' : ''}</worksheet>`
  const sheet = file(`xl/worksheets/sheet${number}.xml`, () => content(opening, closing))
  if (notes === undefined) return [sheet]
  return [
    sheet,
    file(`xl/worksheets/_rels/sheet${number}.xml.rels`, () => [
      relationsXml([
        ['comments', `../comments${number}.xml`],
        ['vmlDrawing', `../drawings/vmlDrawing${number}.vml`],
      ]),
    ]),
    file(`xl/comments${number}.xml`, () => [notesXml(notes)]),
    file(`xl/drawings/vmlDrawing${number}.vml`, () => [notesDrawing(notes, number)]),
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
