/** Why a row with a value in the part number column is no part. */
export type SkipKind =
  | 'placeholder'
  | 'remark'
  | 'total'
  | 'footer'
  | 'heading'
  | 'ruler'
  | 'repetition'
  | 'formula'

// Words for "no part number", without case, spaces, punctuation.
const PLACEHOLDERS: ReadonlySet<string> = words(
  'na virtual tbd tbc tba any same optional alreadyhave alreadyhavethem reuse reused recycled tobedefined tobedetermined tobeconfirmed none nil null nan undefined notapplicable notspecified ' +
    'notavailable notassigned unknown true false noinfo nopart nopartnumber nopartno nompn nopn tobeordered various generic pending ' +
    'custom custommade xxx xxxx link url seelink datasheet customersupplied customersupply suppliedbycustomer freeissue beistellung kundenbeistellung ' +
    'dnp dnf dni dnm dns nf donotfit donotpopulate donotplace donotmount donotinstall notfitted notmounted notpopulated nostuff nomount ' +
    'blank empty nat objectobject seebom todo leer vide vuoto vacío vazio ' +
    'obsolete discontinued eol endoflife salvage salvaged outofstock instock onhand have existing seenotes vorhanden abgekündigt ' +
    'ka keineangabe ohne entfällt entf offen nochoffen siehezeichnung szeichnung seedrawing seenote ' +
    'nichtbestückt nichtbestücken unbestückt nb wahr falsch nv ' +
    'nonapplicable àdéfinir néant sans nonmonté vrai faux dadefinire nessuno nd nonmontato nonapplicabile pordefinir sinreferencia ninguno nomontar ' +
    'tobeannounced tobeadvised asrequired asneeded diverse open missing error newpart comingsoon notknown notrequired notdefined unspecified ' +
    'removed deleted entfallen gelöscht unassigned partnumberpending pnpending numberpending consigned consignedpart customerfurnished customerprovided providedbycustomer perdrawing asperdrawing seeabove seebelow ' +
    'unbekannt nichtbekannt nichtvorhanden nn fehlt folgt nachbedarf beigestellt beistellteil beistellungkunde kundenteil kundenseitig bauseits ltzeichnung lautzeichnung nachzeichnung sieheoben ' +
    'inconnu àconfirmer aconfirmer selonplan suivantplan fourniparleclient adefinir desconocido porconfirmar segúnplano sinnúmero sincódigo ' +
    'sconosciuto daconfermare fornitodalcliente desconhecido semcódigo semcodigo semreferência ' +
    '指定なし 未登録 支給部品 客先支給 顧客支給 待确认 待补充 未知料号 客户提供 客供料 无料号 ' +
    'なし 無し 無 未定 不明 不詳 不详 未知 未実装 該当なし 図面参照 図面による 支給 支給品 无 待定 暂无 不适用 空 不贴 见图纸 客供 ' +
    'nenhum nãoaplicável verdesenho fornecidopelocliente pendente indefinido sansobjet aucun sansréférence vedidisegno ' +
    'nondisponibile assente pendiente verplano nochzuklären nichtbenötigt ' +
    'nãodisponível naodisponivel naoaplicavel nãoseaplica nãodefinido aconfirmar semnúmero semnumero vernodesenho ' +
    'aucune sansreference nondisponible nondéfini nonrequis àdéterminer enattente voirplan voirdessin nessuna dadeterminare nondefinito inattesa ' +
    'ninguna noaplica nodisponible nodefinido verdibujo zuklären inklärung nichterforderlich nichtzutreffend wirdnachgereicht',
)

/** What spreadsheets write in place of a value. */
export const ERROR_VALUE =
  /^(?:#(?:N\/A|NV|NAME\??|VALUE!?|WERT!?|VALEUR!?|REF!?|BEZUG!?|DIV\/0!?|NUM!?|ZAHL!?|NULL!?|SPILL!?|CALC!?|FIELD!?|ERROR!|BLOCKED!|CONNECT!|UNKNOWN!|BUSY!|EXTERNAL!|PYTHON!|GETTING_DATA)|#{3,}|Err:\d{3})$/i

// A word that is a placeholder only without digits and signs around it: `N/A`, `n. a.`, `(none)`, but not `NA-100`.
const WORDY = /^[("'[<{*]*\p{L}[\p{L}\p{M} ./]*[)"'\]>}*!?.]*(?: \(.*\))?$/u

const DITTO = /^[-–.\s]*(?:["″”“„〃]|''|,,)[-–.\s]*$|^(?:ditto|dito|dto|idem|同上|do\.)\.?$/i

/** True for a mark that repeats the cell above: `"`, `〃`, `ditto`, `dto.`. */
export function isDitto(text: string): boolean {
  return text.length <= 7 && DITTO.test(text)
}

/** True for a value that stands for "no part number": `N/A`, `TBD`, `DNP`, `-`, `?`, `#REF!`. */
export function isNoPartNumber(text: string): boolean {
  const first = text.charCodeAt(0)
  const isLetter = (first >= 65 && first <= 90) || (first >= 97 && first <= 122)
  // `TBD higher voltage`, `DNP/TBD`, `TBD_AFTER_REVIEW`
  if (isLetter && /^(?:tb[dc]|dn[pif])[\s/:_]/i.test(text)) return true
  // Nearly all part numbers have a digit within their first letters.
  if (isLetter && text.length > 24) return false
  if (first === 48 && /^0(?:[.,]0+)?$/.test(text)) return true
  // `\\N` is what databases write; `XXX-XXXX` keeps a place.
  if (text === '\\N' || ((first === 88 || first === 120) && /^x{2,}(?:[-_ ./]x+)*$/i.test(text))) return true
  if (/\d/.test(text)) return (first === 35 || first === 69) && ERROR_VALUE.test(text)
  if (!/[\p{L}\p{N}]/u.test(text) || isDitto(text)) return true
  return (
    ERROR_VALUE.test(text) ||
    (WORDY.test(text) && PLACEHOLDERS.has(wordKey(text.replace(/(?<=.) \(.*$/u, ''))))
  )
}

const NOT_FITTED: ReadonlySet<string> = words(
  'dnp dnf dni dnm dns dnl donotfit donotpopulate donotpop donotplace donotmount donotinstall donotassemble donotstuff donotload ' +
    'notfitted notmounted notpopulated notinstalled notplaced notassembled notstuffed notloaded notused unfitted unpopulated ' +
    'uninstalled unplaced nostuff nomount nopop nofit noplace noload omit omitted leaveempty excludedfrombom excludefrombom nichtbestückt nichtbestücken nichtbestueckt ' +
    'unbestückt nonmonté noncâblé nepasmonter nonmontato nonmontare nomontado nomontar 未実装 実装しない 不贴 不贴装 不焊 空贴 ' +
    'nãomontar nãomontado nichtmontiert nonimplanté noponer naomontar naomontado nonimplante nonposé nepasimplanter nepasposer ' +
    'nomontada nonmontata nichtmontieren nichteinbauen nichteingebaut 非実装 無実装 不装 不上件 不贴片 不安装 不焊接',
)
// Elsewhere they mean a standard, a torque, a metal or a contact.
const NOT_FITTED_IN_COLUMN: ReadonlySet<string> = words('nf nm np nc ni ns nb nl excluded exclude')
const YES: ReadonlySet<string> = words(
  'yes y true 1 x p ja j wahr oui o vrai si sì sí s fitted ok fit populate populated place placed mount mounted install installed stuff stuffed assemble assembled bestückt monté montato montado 是 有 はい 実装',
)
const NO: ReadonlySet<string> = words('no n false 0 nein falsch non faux 否 无 いいえ')

/** True for a cell that says by itself that a part is not fitted: `DNP`, `Not Fitted`, `nicht bestückt`; among notes and quantities also `NI`. */
export function readNotFitted(text: string, isNote = false): boolean {
  if (text === '' || text.length > 40) return false
  if (/^dn[fimp][\s:,/]|[\s,/(]dn[fimp]\)?$/i.test(text)) return true
  // Nearly all cells have a digit or more than three words.
  if (/\d/.test(text) && !text.endsWith(')')) return false
  const remark = /^[\d.,]+\s*\(([^)]+)\)$/.exec(text)?.[1]
  const key = wordKey(remark ?? text)
  return NOT_FITTED.has(key) || (isNote && NOT_FITTED_IN_COLUMN.has(key))
}

const SAYS_FITTED: ReadonlySet<string> = words(
  'fitted populated mounted placed installed stuffed bestückt monté montato montado 実装',
)

/** True for designators behind a mark, or before one in parentheses: `DNS D4`, `R7 (DNP)`. */
export function isNotFittedPlace(text: string): boolean {
  const mark = /^(\p{L}+)[:\s]\s*(?:\p{L}{1,4}\d+[\s,;-]*)+$|^\p{L}{1,4}\d+ \(?(\p{L}+)\)?$/u.exec(text)
  return mark !== null && NOT_FITTED.has(wordKey(mark[1] ?? mark[2]!))
}

/** True for a cell that says by itself that a part is fitted, as that of another variant does. */
export function saysFitted(text: string): boolean {
  return text.length <= 20 && SAYS_FITTED.has(wordKey(text))
}

const TICK = /^[✓✔✅√☑○●■+]\ufe0f?$/u
const CROSS = /^[×✕✖✗✘❌]\ufe0f?$/u

/** What a cell of a column such as `Fitted` or `DNP` says: true for fitted; undefined for a mark that is not known, or may mean either. */
export function readFitted(text: string, isNegated: boolean): boolean | undefined {
  const key = wordKey(text)
  const sign = text.trim()
  if (NOT_FITTED.has(key) || NOT_FITTED_IN_COLUMN.has(key)) return false
  if (sign === '' || (isNegated && /^[-–—._/\s]+$/.test(sign))) return true
  if (YES.has(key) || TICK.test(sign)) return !isNegated
  // A cross below `DNP` may be a mark that says so, or a no.
  if (CROSS.test(sign)) return isNegated ? undefined : false
  return NO.has(key) ? isNegated : undefined
}

const TOTAL_WORD =
  '(?:grand |sub ?-? ?)?totals?|sum|(?:end|zwischen|gesamt|teil)?summe|gesamt|insgesamt|sous-?total|total général|totaux|somme|' +
  'sub ?totale|totale(?: complessivo| generale)?|suma|total general|合計|小計|総計|总计|合计|小计|总共|' +
  '(?:zwischen)?übertrag|(?:amount |balance )?(?:carried|brought) forward|à reporter|a riportare|riporto|suma y sigue|繰越|本页合计'
const TOTAL = new RegExp(
  `^(?:${TOTAL_WORD})\\s*(?:[:=].*|(?:number |no\\.? |anzahl )?(?:of )?(?:parts|items|components|qty|quantity|pieces|pcs|lines|positions|weight|mass|cost|price|teile|positionen|stück|menge|gewicht|kosten|pièces|articles|pezzi|articoli|piezas|artículos)\\b.*|(?<=\\s)[\\d.,]+)?$`,
  'iu',
)

const TOTAL_LABEL = /^[\p{L} ]{1,30} (?:sub)?total\s*(:?)$/iu

/** True for a line of dashes, as printed lists have around their headings. */
export function isRuler(text: string): boolean {
  return /^[-_=*+~.|\s]{3,}$/.test(text)
}

/** True for the words of a totals row: `Total`, `Summe:`, `Grand total 12`. */
export function isTotal(text: string): boolean {
  const first = text.charCodeAt(0)
  return text.length <= 80 && !(first >= 48 && first <= 57) && TOTAL.test(text.trim())
}

const PAGE = /^(?:page|seite|pagina|página|pag\.|blatt|sheet|ページ|第)\s*\d+/iu
const PAGE_OF = /\d\s*(?:of|von|de|sur|di|\/)\s*\d+$/i
const FOOTER = new RegExp(
  [
    '^[*\\s=-]*(?:end of|ende (?:der|des)|fin (?:de|du|del)|fine (?:lista|elenco|distinta))\\b',
    '^(?:printed|created|generated|exported|prepared|approved|checked|released|erstellt|gedruckt|ausgedruckt|exportiert|erzeugt|geprüft|freigegeben|imprimé|édité|créé|stampato|creato|impreso|creado)\\s+(?:by|on|at|from|with|am|von|mit|durch|le|par|il|da|el|por|:|\\d)',
    '^(?:©|\\(c\\)|copyright|confidential|proprietary|vertraulich|confidentiel|riservato|confidencial|all rights reserved|alle rechte vorbehalten)',
    '^(?:以上|机密|社外秘)',
  ].join('|'),
  'iu',
)
const LABEL = /^\p{L}[\p{L}\p{M} ./()_-]{1,40}[:：](?:\s|$)/u
const LABEL_WORD =
  /^(?:created|created by|author|prepared by|approved|approved by|checked|checked by|drawn|drawn by|reviewed by|released by|signature|date|time|printed|number of (?:items|parts|lines|components|positions)|line count|ersteller|erstellt|bearbeiter|autor|datum|geprüft|freigabe|unterschrift|auteur|data|fecha|autore|revision date|project|projekt|title|file|datei|作成者|作成日|日付|日期|制表人|审核)\s*(?:[:：].*)?$/isu
/** True for the first words of a total, a page number or an approval. */
export function isBelowList(first: string): boolean {
  const code = first.charCodeAt(0)
  if ((code >= 48 && code <= 57) || first.length > 80) return false
  return TOTAL.test(first) || LABEL_WORD.test(first) || FOOTER.test(first) || PAGE.test(first)
}

const LONE_DATE = /^(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4})(?: [\d:]+)?$/

/** The cells that decide what kind of row this is. */
export interface RowText {
  /** The value of the part number column, trimmed; '' for none. */
  readonly part: string
  /** The first cell with a value, trimmed. */
  readonly first: string
  /** The first cell is where rows have their item, level or designator, or quantity. */
  readonly isFirstInPosition: boolean
  readonly cells: readonly string[]
  /** The quantity, '' for none; undefined where the list has no quantity column. */
  readonly quantity: string | undefined
}

/** How many cells have a value. */
export function countFilled(cells: readonly string[]): number {
  let filled = 0
  for (const cell of cells) if (cell !== '' && cell.trim() !== '') filled += 1
  return filled
}

/** What Excel calls the columns of a table that have no headings. */
const GENERATED_HEADING = /^(?:column|spalte|colonne|columna|colonna|coluna|列)\d+$/i

const ORDINARY = /^(?=\D*\d)[A-Za-z0-9][\w.\-/+]+$/

/** Why a row is no part of the list; undefined for a part, or for a row without a part number. */
export function skipKind(row: RowText): SkipKind | undefined {
  const { part, first } = row
  // Nearly all rows begin with their number and have a part number like this.
  if (first !== part && /^\d/.test(first) && ORDINARY.test(part)) return undefined
  if (GENERATED_HEADING.test(part) && row.cells.filter((cell) => GENERATED_HEADING.test(cell)).length > 1)
    return 'heading'
  if (part !== '' && isNoPartNumber(part)) return isTotal(first) ? 'total' : 'placeholder'
  return isTotalRow(row) ? 'total' : isFooter(row) ? 'footer' : undefined
}

function isTotalRow(row: RowText): boolean {
  const { part, first } = row
  // `SUM 5` with an item and a description is a part number.
  if (isTotal(part)) return !/\s[\d.,]+$/.test(part) || countFilled(row.cells) <= 2
  const label = TOTAL_LABEL.exec(first)
  if (label !== null && (part === '' || (first === part && label[1] !== ''))) return true
  if (first === part || !isTotal(first)) return false
  return part === '' || row.isFirstInPosition || countFilled(row.cells) <= 2
}

function isFooter(row: RowText): boolean {
  const { part, first, quantity } = row
  // `Price of one board` beside an amount.
  if (part === '' && first === quantity && /^\D*\p{L} \p{L}\D*$/u.test(first)) {
    const others = row.cells.filter((cell) => /\p{L}/u.test(cell.replace(/\b[A-Z]{3}\b/, '')))
    if (others.length === 1) return true
  }
  if (first === part && LONE_DATE.test(part)) {
    const isAlone = countFilled(row.cells) === 1
    return isAlone ? quantity !== undefined : row.cells.some((cell) => PAGE.test(cell.trim()))
  }
  // Nearly all part numbers have neither a space nor a colon.
  if (part !== '' && first === part && !/[\s:：©]|^\P{N}+$/u.test(part)) return false
  // `Date:` beside a day, where rows have their number and quantity.
  if (/[:：]$/.test(first) && LABEL_WORD.test(first)) return true
  if (quantity !== undefined && /\d/.test(quantity)) {
    return (
      first !== part &&
      (part === '' || row.isFirstInPosition) &&
      (LABEL_WORD.test(first) || FOOTER.test(first))
    )
  }
  if (LABEL_WORD.test(first)) return true
  if (FOOTER.test(first)) return part === '' || countFilled(row.cells) <= 2
  if (PAGE.test(first))
    return countFilled(row.cells) === 1 || (countFilled(row.cells) === 2 && PAGE_OF.test(first))
  if (part === '') return countFilled(row.cells) <= 2 && (LABEL.test(first) || isSentence(first))
  if (LABEL.test(first)) return countFilled(row.cells) === 1 || row.isFirstInPosition || /[:：]$/.test(first)
  return countFilled(row.cells) === 1 && quantity !== undefined && isSentence(part)
}

function isSentence(text: string): boolean {
  return text.split(/\s+/).filter((word) => /^\p{L}{2,}[.,;:!]?$/u.test(word)).length >= 4
}

function wordKey(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}
