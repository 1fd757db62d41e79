import type { PartFacts } from './facts.ts'
import type { Writer } from './xml-writer.ts'

const LEGAL =
  'Made-up data of a mock service: it describes no real product and must not be relied on.\nSupplier certifies nothing.'

/** The head of a file: who declares and when, or in a request who asks. */
export function businessInfo(e: Writer, facts: PartFacts, approved: string): string {
  const { mode = 'Distribute', accepted = mode !== 'Request' } = facts
  return e('BusinessInfo', { mode }, [
    mode === 'Request' ? request(e, approved) : response(e, facts, approved),
    e('Declaration', {
      legalType: 'Standard',
      supplierAcceptance: String(accepted),
      legalDef: LEGAL,
      uncertaintyStatement: '',
    }),
  ])
}

function response(e: Writer, { supplier, style }: PartFacts, approved: string): string {
  const company = style.taxNumber
    ? { identity: 'XX 00 000 000', authority: 'VAT' }
    : { identity: supplier.id, authority: 'DUNS' }
  const person = personXml(e, 'compliance@supplier.example')
  return e(
    'Response',
    {
      date: style.dateText ?? (style.oddDate ? `${approved}-00-00` : approved),
      fieldLock: 'false',
      comment: 'Made-up data',
    },
    [
      e('Authorizer', { name: 'Compliance desk' }, person),
      e('SupplyCompany', { name: supplier.name }, [e('CompanyID', company)]),
      e('Contact', { name: 'Compliance desk' }, person),
    ],
  )
}

function request(e: Writer, date: string): string {
  return e('Request', { date, comment: 'Made-up data' }, [
    e('RequestCompany', { name: 'Example Buyer' }, [
      e('CompanyID', { identity: '999999999', authority: 'DUNS' }),
    ]),
    e('Contact', { name: 'Purchasing' }, personXml(e, 'purchasing@buyer.example')),
  ])
}

function personXml(e: Writer, address: string): readonly string[] {
  return [e('Email', { address }), e('Phone', { number: '+00 00 000000' })]
}
