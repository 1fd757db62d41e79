/** An exemption in use, as declared: its number, or its text, and the list that it is from. */
export interface ExemptionId {
  readonly identity: string
  readonly list: string
}

type Annex = 'III' | 'IV'

/** A RoHS exemption by its legal number, such as `6(c)`, `7(c)-I`, `2(b)(3)` or `31a`. */
interface ExemptionNumber {
  readonly number: string
  /** The annex of Directive 2011/65/EU, where the declaration names it or only one has the number. */
  readonly annex: Annex | undefined
}

/** Words and marks before the number: `Exemption number: 8(b)-I`, `RoHS-6(c)`, `EL2011/534/EU 6(c)`, `III/6(c)`, `Ausnahme 6(c)`. */
const PREFIX =
  /^(?:(?:eu|rohs|directive|richtlinie|(?:el)?\d{4}\/\d+\/e[cgu]|exemptions?|exempt|ex|exempción|exención|excepción|esenzione|isenção|isenca?o|exceção|dérogation|derogation|ausnahmen?|ausnahmeregelung|number|numéro|nummer|entry|item|no|nr|nº|n°|id|(?:annexe?|anhang|anexo|allegato|annexes|bijlage|附属書|附件|附录|附錄)[\s._:-]*(iii|iv|3|4)|(iii|iv)(?=[\s._:/-]*\d)|適用除外|除外|免除|豁免|条款|條款|项目|項目)(?![a-z])|[\s.,:;#_/-])/
/** `7(c)-I` without blanks: number, letter, and up to two further parts. */
const WHOLE =
  /^(\d{1,2})[.-]?(?:\(?([a-z])\)?)?(?:[-.]*\(?([ivxl]+|\d{1,3})\)?)?(?:[-.]*\(?([ivxl]+|\d{1,3})\)?)?\.?$/
/** The number at the start of a longer text: `6(c) Copper alloy`, `34: Lead in cermet-based elements`, `34 鉛`. */
const START =
  /^(\d{1,2}(?: ?\([a-z]\)|[a-z])(?:(?: ?- ?\(?|\()(?:[ivxl]+|\d{1,2})\)?|[ivx]+)?|\d{1,2}(?=\s?:|\s[-–]\s|\s(?:lead|cadmium|mercury|hexavalent|bis\s?\(|dehp|olovo|lood|bly|plumb|kwik|blei|kadmium|quecksilber|sechswertig|plomb|mercure|chrome|plomo|mercurio|piombo|cadmio|chumbo|cromo)(?![\p{L}])|\s?[鉛铅镉汞水六]|\s?カドミウム))(?=[\s:,;(（、，：]|$|[^\p{ASCII}])/u
/** Hyphens and dashes of every kind, and the minus sign. */
const DASHES = /[\u00ad\u2010-\u2015\u2212]/g
/** Brackets of other kinds: `6[c]`. */
const OPENED = /[[{]/g
const CLOSED = /[\]}]/g
const ROMAN = ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X']

/**
 * The legal numbers that a declared exemption names, whatever its spelling; empty where none is understood. `list` is the identity of
 * the exemption list, which may name the annex.
 */
export function exemptionNumbers(declared: string, list = ''): readonly ExemptionNumber[] {
  const whole = numberIn(declared, list)
  if (whole !== undefined) return [whole]
  const pieces = declared.split(/[,;/&+\n]| and /)
  const several = pieces.flatMap((piece) => numberIn(piece, list) ?? numberIn(piece, list, START) ?? [])
  if (several.length === pieces.length) return several
  const start = numberIn(declared, list, START)
  return start === undefined ? [] : [start]
}

/** "Not" negates the exemption, unless it belongs to the words of the law: `not exceeding (per burner)`, `does not cover`, `nicht mehr als`. */
const NEGATION = String.raw`(?<!\p{L})(?:not|nicht|niet)(?!\p{L})(?!\s+(?:exceed|(?:more|less|greater|higher|meer|hoger|mehr als|weniger|h(?:ö|oe)her)(?!\p{L})|contain|cover|includ|specific|otherwise|intended|limited|only|listed|mentioned|(?:ü|ue)ber(?:steig|schreit)|spezi|ausdr(?:ü|ue)cklich|aufgef(?:ü|ue)hrt))`
/** Words beside a number, or in a description, that negate or postpone the exemption. */
const DOUBT = new RegExp(
  [
    NEGATION,
    String.raw`\b(?:pending|expired|ended|lapsed|obsolete|deprecated|false|on hold|deferred|postponed|disputed|waiting|deleted|removed|discontinued|superseded|suspended|cancell?ed|planned|proposed|draft|submitted|provisional|cannot|none|no longer|no (?:claim|exemption)|nor|never|without|withdrawn|withheld|ceased|former(?:ly)?|unneeded|revoked|repealed|rescinded|refused|rejected|declined|denied|disallowed|invalid|void(?!-)|inapplicable|ineligible|un(?:approved|confirmed|claimed|used|necessary)|requested|applied for|await(?:s|ing)?|in progress|(?:in|under|being) (?:review|evaluat|assess|consider|discuss)\w*|to be (?:confirmed|determined|advised|defined|checked|decided)|unknown|unless|if|tb[acd]|see|maybe|possibl[ey]|comments?|unclear|free(?!-|\s+flat))\b`,
    String.raw`\bno\s*$|n['\u2019]t\b|n\/a|\?`,
    // German, Dutch, Scandinavian, Polish
    String.raw`(?<!\p{L})(?:entf(?:ä|ae)ll\w*|entfallen|abgelehnt|abgelaufen|ausgelaufen|zur(?:ü|ue)ckgezogen|zur(?:ü|ue)ckgewiesen|beantragt|ausstehend|in (?:bearbeitung|kl(?:ä|ae)rung)|(?:wird|werden) gepr(?:ü|ue)ft|ung(?:ü|ue)ltig|keine?|kein|noch offen|in pr(?:ü|ue)fung|widerrufen|gestrichen|aufgehoben|vervallen|verlopen|geen|afgewezen|ingetrokken|(?:gäller|gælder|gjelder) (?:ej|inte|ikke)|ej (?:tillämplig|giltig)\p{L}*|utgått|nie (?:dotyczy|stosuje)|odrzucon\p{L}*|wygas\p{L}*)(?!\p{L})`,
    // French, Spanish, Italian, Portuguese
    String.raw`(?<!\p{L})(?:rejet\p{L}*|refus\p{L}*|retiré\p{L}*|caduque|ne s['\u2019]applique|n['\u2019]est (?:pas|plus)|sans objet|non (?:applicable|applicabile|aplicable|valable|valid\p{L}*|accord\p{L}*|si applica|più|retenue?|utilis\p{L}*|utilizzat\p{L}*|usat\p{L}*)|expir(?:é|ée|ada|ado)|en attente|à confirmer|demandée?|supprim\p{L}*|abrog\p{L}*|rechazad\p{L}*|denegad\p{L}*|indeferid\p{L}*|no (?:se )?(?:aplica|aplicable|procede|vigente|utiliza(?:do|da)?)|sin aplicación|solicitad\p{L}*|en trámite|anulad\p{L}*|cancelad\p{L}*|annullat\p{L}*|em análise|não utilizad\p{L}*|ya no|caducad\p{L}*|vencid\p{L}*|pendiente|derogad\p{L}*|scadut\p{L}*|decadut\p{L}*|respint\p{L}*|in attesa|revocat\p{L}*|não (?:se )?aplic\p{L}*|nao (?:se )?aplic\p{L}*|rejeitad\p{L}*|pendente|revogad\p{L}*)(?!\p{L})`,
    // Czech, Slovak, Hungarian, Romanian, Finnish, Turkish, Russian, Ukrainian, Korean
    String.raw`(?<!\p{L})(?:zamítnut\p{L}*|zamietnut\p{L}*|neplatí|neplatn\p{L}*|nevztahuje|nepouž[ií]\p{L}*|vypršel\p{L}*|zrušen\p{L}*|elutasít\p{L}*|lejárt|nem (?:alkalmazható|érvényes|vonatkozik)|respins\p{L}*|expirat\p{L}*|nu se aplică|hylätty|ei (?:sovelleta|voimassa|koske|käytössä|käytetä)|vanhentunut|reddedil\p{L}*|geçersiz|uygulanamaz|sona erd\p{L}*|avvist|avslag|afvist|udløbet|utgått|upphävd\p{L}*|отклон\p{L}*|не (?:применя\p{L}*|действ\p{L}*|применим\p{L}*|использу\p{L}*)|на рассмотрении|истек\p{L}*|истёк|отменен\p{L}*|відхилен\p{L}*|не застосов\p{L}*)(?!\p{L})|거부|거절|미적용|해당 ?없음|적용 ?(?:되지|하지|안|불가)|사용하지|보류|신청|만료|기각|취소`,
    // Japanese, Chinese; 未満 is "less than"
    '[不非][適适]用|不再|不使用|不涉及|不符合|非?該当(?:しない|せず|しません)|非該当|適用外|[適使]用(?:されない|されず|しない|していない|せず|できない|しません|不可|なし)|対象外|却下|失効|失效|無効|无效|申請(?:中|予定|済)|申请(?:中|被)|正在申请|承認待|待批|撤回|審査中|审核中|审批中|検討中|期限切れ|過期|过期|到期|已过|廃止|废止|撤销|撤銷|拒绝|拒絕|未(?![満满])|待定|なし|無し|驳回|取消|終了',
  ].join('|'),
  'iu',
)
/** Words before the day until which an exemption is claimed; most of them say "up to" as well. What is said to expire informs. */
const UNTIL =
  /(?<!\p{L})(?:until|till)(?!\p{L})|(?<!\p{L})(?:thru|through|to|bis(?: zum)?|l(?:ä|ae)uft|jusqu['\u2019](?:au|en|à)|hasta(?: el)?|fino (?:al?|alla)|até(?: a)?|scad\p{L}*|至)[^\d\p{L}]{0,4}(?:\d{1,2}[./-]){0,2}20\d\d\b|20\d\d\D{0,9}まで/iu
const DAY = /\b(20\d\d)(?:[-./](\d\d)(?:[-./](\d\d))?)?\b/g

/** True where words leave open whether an exemption is claimed. */
export function isDoubtful(text: string): boolean {
  return DOUBT.test(text) || UNTIL.test(text)
}

/** Lists of exemptions of other laws: vehicles, batteries, packaging, RoHS of other places. */
const OTHER_LAW =
  /(?<!\p{L})(?:elv|vehicle|batter\p{L}*|packag\p{L}*|reach|tsca|prop[\s_-]*65|china|korea|japan|india|taiwan)(?!\p{L})|2000\/53|2006\/66|2023\/1542|94\/62|1907\/2006/iu

/** True for an exemption whose list names another law than the RoHS directive: its numbers are others. */
export function isOfOtherLaw({ list }: Pick<ExemptionId, 'list'>): boolean {
  return OTHER_LAW.test(list)
}

/** True for a text that claims an exemption by its number: it begins with the number, and nothing in it negates or postpones it. */
export function claimsExemption({ identity, list }: ExemptionId, today: string): boolean {
  if (isOfOtherLaw({ list })) return false
  if (exemptionNumbers(identity, list).length === 0 || DOUBT.test(identity)) return false
  if (!UNTIL.test(identity)) return true
  // A day that has passed by its year alone, or by what is written of it.
  const days = [...identity.matchAll(DAY)].map(
    ([, year, month = '00', day = '00']) => `${year}-${month}-${day}`,
  )
  return days.length > 0 && days.every((day) => day >= today)
}

/** The number as text that names Annex IV, where the same number is another exemption in Annex III. */
export function exemptionLabel({ number, annex }: ExemptionNumber): string {
  return annex === 'IV' && number !== ANNEX_IV_ONLY ? `IV-${number}` : number
}

/** Written without brackets, and in no other annex. */
const ANNEX_IV_ONLY = '31a'

/** The number that a text is, or that this part of it is. */
function numberIn(declared: string, list: string, part?: RegExp): ExemptionNumber | undefined {
  let text = declared
    .normalize('NFKC')
    .toLowerCase()
    .replace(DASHES, '-')
    .replace(OPENED, '(')
    .replace(CLOSED, ')')
    .trim()
  let annex = annexNamed(/annex[\s._-]*(iii|iv|3|4)(?![a-z0-9])/i.exec(list)?.[1])
  for (let match = PREFIX.exec(text); match !== null; match = PREFIX.exec(text)) {
    annex = annexNamed(match[1] ?? match[2]) ?? annex
    text = text.slice(match[0].length)
  }
  const number = part === undefined ? text : (part.exec(text)?.[1] ?? '')
  const parts = WHOLE.exec(number.replace(/\s+/g, ''))
  return parts === null ? undefined : legalNumber(parts.slice(1), annex)
}

function annexNamed(text: string | undefined): Annex | undefined {
  if (text === undefined) return undefined
  return /^(?:iv|4)$/i.test(text) ? 'IV' : 'III'
}

function legalNumber(
  [digits, letter, third, fourth]: readonly (string | undefined)[],
  annex: Annex | undefined,
): ExemptionNumber | undefined {
  const entry = Number(digits)
  if (entry === 0) return undefined
  if (letter === undefined) {
    return third === undefined && fourth === undefined ? { number: `${entry}`, annex } : undefined
  }
  // Annex IV has 1a, 1b, 1c and 31a where Annex III has brackets.
  if (annex !== 'III' && entry === 31 && letter === 'a' && third === undefined) {
    return { number: ANNEX_IV_ONLY, annex: 'IV' }
  }
  if (annex === 'IV' && third === undefined) return { number: `${entry}${letter}`, annex }
  const start = `${entry}(${letter})`
  if (third === undefined) return { number: start, annex }
  const value = partValue(third)
  const next = fourth === undefined ? undefined : partValue(fourth)
  if (value === undefined || (fourth !== undefined && next === undefined)) return undefined
  // 2(a)(1) to 2(b)(4) keep their Arabic numbers.
  if (entry === 2) return { number: `${start}(${value})${next === undefined ? '' : roman(next)}`, annex }
  return next === undefined ? { number: `${start}${roman(value)}`, annex } : undefined
}

function roman(value: number): string {
  return `-${ROMAN[value - 1]}`
}

/** `ii`, `2`, and `11` or `ll` as mistyped for II. */
function partValue(text: string): number | undefined {
  const written = /^1{2,3}$|l/.test(text) ? text.replace(/[1l]/g, 'i') : text
  const value = /^\d+$/.test(written) ? Number(written) : ROMAN.indexOf(written.toUpperCase()) + 1
  return value >= 1 && value <= ROMAN.length ? value : undefined
}

/** A row of the table of RoHS exemptions: an exemption has one for each group of product categories. */
export interface ExemptionRow {
  readonly exemption: string
  readonly annex: Annex
  readonly categories: string
  /** The nominal date `YYYY-MM-DD`; empty where none is known. */
  readonly expires: string
  readonly status: string
  readonly confidence: string
  readonly source: string
  readonly note: string
  /** The restricted groups that it is for, separated by `; `; empty where the table does not say. */
  readonly substance?: string | undefined
}

/** What the table knows about one exemption. Nothing in it says that an exemption has ended: a date informs. */
export interface ExemptionDates {
  /** The legal number; empty where the declared text is not recognized. */
  readonly number: string
  /** `III`, `IV`, or empty where nothing names it. */
  readonly annex: string
  /** The earliest and the latest date over product categories, `YYYY-MM-DD`; empty where none is known. */
  readonly earliest: string
  readonly latest: string
  readonly status: string
  /** How sure the dates are, in the words of the table. */
  readonly confidence: string
  readonly source: string
  readonly remark: string
  /** The restricted groups that it is for; empty where the table does not say. */
  readonly substances: readonly string[]
}

/** Looks up an exemption as declared: one result for each number in it. */
export type ExemptionLookup = (declared: ExemptionId) => readonly ExemptionDates[]

export const NOT_JUDGED = 'not judged'
export const DATE_PASSED = 'nominal date passed'

/** `nominal date passed 2021-07-21, no renewal decision found`: a status that begins with `DATE_PASSED`, in a sentence. */
export function passedText({ earliest, status }: Pick<ExemptionDates, 'earliest' | 'status'>): string {
  const rest = status.slice(DATE_PASSED.length).replace(/^, /, '')
  return `${DATE_PASSED} ${earliest}, ${rest.replace(/^ \(([^()]*)\)/, '$1')}`
}

/** The lookup without a table: legal numbers, and no dates. */
export const NO_DATES: ExemptionLookup = createExemptionLookup([], '')

/** The lookup over the rows of a table; dates before `today` (`YYYY-MM-DD`) are passed. */
export function createExemptionLookup(rows: readonly ExemptionRow[], today: string): ExemptionLookup {
  const byNumber = new Map<string, ExemptionRow[]>()
  for (const row of rows) {
    const number = rowNumber(row)
    byNumber.set(number, [...(byNumber.get(number) ?? []), row])
  }
  return ({ identity, list }) => {
    const numbers = exemptionNumbers(identity, list)
    return (numbers.length === 0 ? [undefined] : numbers).map((id) => datesOf(id, byNumber, today))
  }
}

/** The legal number of a row; empty where its text is none. */
export function rowNumber({ exemption, annex }: Pick<ExemptionRow, 'exemption' | 'annex'>): string {
  return exemptionNumbers(exemption, `Annex ${annex}`)[0]?.number ?? ''
}

/** Undefined stands for a text that is not understood. */
function datesOf(
  id: ExemptionNumber | undefined,
  byNumber: ReadonlyMap<string, readonly ExemptionRow[]>,
  today: string,
): ExemptionDates {
  const known = id === undefined ? undefined : byNumber.get(id.number)
  const rows = (known ?? []).filter(({ annex }) => (id?.annex ?? annex) === annex)
  const annexes = [...new Set(rows.map(({ annex }) => annex))]
  const dates = rows.flatMap(({ expires }) => expires || []).sort()
  const [earliest = '', latest = ''] = [dates[0], dates.at(-1)]
  return {
    number: id === undefined ? '' : exemptionLabel(id),
    annex: id?.annex ?? (annexes.length === 1 ? annexes[0]! : ''),
    earliest,
    latest,
    status: statusOf(rows, earliest, latest, today),
    confidence: once(rows.map(({ confidence }) => confidence)),
    source: once(rows.flatMap(({ source }) => source.split(' ; '))),
    remark: once([...remarks(id, rows, byNumber), ...rows.map(({ note }) => note)]),
    substances: substancesOf(rows.length > 0 ? rows : partsOf(id, byNumber).flatMap(([, own]) => own)),
  }
}

function statusOf(rows: readonly ExemptionRow[], earliest: string, latest: string, today: string): string {
  if (earliest === '') return NOT_JUDGED
  // The words of the table, unless they are those for an end that no date proves.
  const words = once(rows.map(({ status }) => (/expired/i.test(status) ? '' : status)))
  const own = words.startsWith(DATE_PASSED) ? words : `${DATE_PASSED}, ${words || 'renewal status unknown'}`
  if (latest < today) return own
  if (earliest < today) return `${own} (for some product categories)`
  return words === '' ? 'nominal date ahead' : words
}

/** What the table has in parts: 7(c)-I and 7(c)-II of 7(c). */
function partsOf(
  id: ExemptionNumber | undefined,
  byNumber: ReadonlyMap<string, readonly ExemptionRow[]>,
): readonly (readonly [string, readonly ExemptionRow[]])[] {
  if (id === undefined) return []
  const { number } = id
  return [...byNumber].filter(([each]) => each.startsWith(`${number}-`) || each.startsWith(`${number}(`))
}

/** Nothing where one of them does not say. */
function substancesOf(rows: readonly ExemptionRow[]): readonly string[] {
  const each = rows.map(({ substance = '' }) =>
    substance
      .split(';')
      .map((one) => one.trim())
      .filter(Boolean),
  )
  return each.some((own) => own.length === 0) ? [] : [...new Set(each.flat())]
}

function remarks(
  id: ExemptionNumber | undefined,
  rows: readonly ExemptionRow[],
  byNumber: ReadonlyMap<string, readonly ExemptionRow[]>,
): string[] {
  if (id === undefined) return ['not an exemption number that is understood']
  const { number, annex } = id
  if (rows.length === 0) {
    const parts = partsOf(id, byNumber).map(([each]) => each)
    return [
      parts.length > 0
        ? `ambiguous: the table has ${parts.join(', ')}`
        : 'the table does not have this exemption',
    ]
  }
  // Both annexes count from 1: 34, for instance, is another exemption in each.
  if (!/^\d+$/.test(number) || annex !== undefined) return []
  const annexes = [...new Set(rows.map((row) => row.annex))]
  return [
    annexes.length > 1
      ? `the declaration does not name the annex: III and IV each have a ${number}`
      : `the declaration does not name the annex: read as Annex ${annexes[0]}`,
  ]
}

function once(texts: readonly string[]): string {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))].join('; ')
}
