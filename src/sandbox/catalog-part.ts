import type {
  ListFacts,
  MaterialDeclarationFacts,
  PartFacts,
  PartNumber,
  Quantity,
  SupplierFacts,
} from './facts.ts'
import { EXEMPTION_LIST, reachList, rohsList } from './lists.ts'
import { materialsOf } from './made-up-composition.ts'

/** A part as a catalogue file describes it; whatever is left out is made up. */
export interface CatalogPart {
  readonly number: string
  readonly name?: string | undefined
  readonly requesterNumber?: string | undefined
  readonly otherNumbers?:
    | readonly { readonly number: string; readonly requesterNumber?: string | undefined }[]
    | undefined
  readonly massMg?: number | undefined
  readonly classC?: { readonly approved: string; readonly lists: readonly CatalogList[] } | undefined
  readonly classD?: CatalogMaterials | undefined
}

export interface CatalogList {
  readonly identity: string
  readonly authority?: string | undefined
  readonly categories: readonly {
    readonly code: string
    readonly name: string
    readonly threshold?: string | undefined
    readonly application?: string | undefined
    readonly over?: boolean | undefined
    readonly amount?: Quantity | undefined
    readonly concentrationPercent?: number | undefined
    readonly exemptions?: readonly string[] | undefined
  }[]
}

export interface CatalogMaterials {
  readonly approved: string
  readonly withClassC?: boolean | undefined
  readonly materials: readonly {
    readonly name: string
    readonly group?: string | undefined
    readonly mass: Quantity
    readonly substances: readonly {
      readonly name: string
      readonly cas: string
      readonly mass?: Quantity | undefined
      readonly concentrationPercent?: number | undefined
    }[]
  }[]
}

/** The day on which made-up declarations of a catalogue file were approved. */
export const MADE_UP_DAY = '2024-09-02'

/** What a part of a catalogue file declares: what it says, or where it names no class at all, a plain part of both. */
export function partFacts(supplier: SupplierFacts, part: CatalogPart): PartFacts {
  const massMg = part.massMg ?? 1_000
  const plain = part.classC === undefined && part.classD === undefined
  const regulatory = plain
    ? { approved: MADE_UP_DAY, lists: [reachList('EUREACH-0624'), rohsList('EUROHS-1907')] }
    : part.classC && { approved: part.classC.approved, lists: part.classC.lists.map(listFacts) }
  const material = plain
    ? { approved: MADE_UP_DAY, materials: materialsOf(massMg, 'plain') }
    : part.classD && materialFacts(part.classD)
  return {
    supplier,
    numbers: numbersOf(part),
    massMg,
    style: {},
    ...(regulatory === undefined ? {} : { regulatory }),
    ...(material === undefined ? {} : { material }),
  }
}

function numbersOf(part: CatalogPart): readonly [PartNumber, ...PartNumber[]] {
  const { number, name = number, requesterNumber, otherNumbers = [] } = part
  const numbered = (own: string, requester: string | undefined): PartNumber => ({
    number: own,
    name,
    ...(requester === undefined ? {} : { requesterNumber: requester }),
  })
  return [
    numbered(number, requesterNumber),
    ...otherNumbers.map((other) => numbered(other.number, other.requesterNumber)),
  ]
}

function listFacts({ identity, authority = 'IPC', categories }: CatalogList): ListFacts {
  return {
    identity,
    authority,
    categories: categories.map((category) => {
      const { code, name, over, amount, concentrationPercent, exemptions = [] } = category
      return {
        code,
        name,
        over,
        threshold: category.threshold ?? '0.1% by weight (1 000 ppm)',
        application: category.application ?? 'All',
        ...(amount === undefined ? {} : { amount }),
        ...(concentrationPercent === undefined ? {} : { concentrationPercent }),
        ...(exemptions.length === 0 ? {} : { exemptions: { list: EXEMPTION_LIST, items: exemptions } }),
      }
    }),
  }
}

function materialFacts({
  approved,
  withClassC = false,
  materials,
}: CatalogMaterials): MaterialDeclarationFacts {
  return {
    approved,
    withRegulatory: withClassC,
    materials: materials.map(({ name, group = '', mass, substances }) => ({
      name,
      group,
      mass,
      substances: substances.map((substance) => ({
        name: substance.name,
        cas: substance.cas,
        authority: 'CAS',
        category: 'Supplier',
        ...(substance.mass === undefined ? {} : { mass: substance.mass }),
        ...(substance.concentrationPercent === undefined
          ? {}
          : { concentrationPercent: substance.concentrationPercent }),
      })),
    })),
  }
}
