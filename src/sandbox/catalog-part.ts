import type { CatalogPart } from './catalog-schema.ts'
import type { ListFacts, MaterialDeclarationFacts, PartFacts, SupplierFacts } from './facts.ts'
import { EXEMPTION_LIST, reachList, rohsList } from './lists.ts'
import { materialsOf } from './made-up-composition.ts'

/** When the made-up declarations of a catalogue file were approved. */
const MADE_UP_DAY = '2024-09-02'

/** What a part of a catalogue file declares. One that names neither class gets a plain, compliant declaration of both. */
export function partFacts(supplier: SupplierFacts, part: CatalogPart): PartFacts {
  const { number, name = number, requesterNumber, otherNumbers = [], massMg = 1_000, classC, classD } = part
  const { unitType, mode, accepted } = part
  const declared =
    classC === undefined && classD === undefined
      ? {
          regulatory: { approved: MADE_UP_DAY, lists: [reachList('EUREACH-0624'), rohsList('EUROHS-1907')] },
          material: { approved: MADE_UP_DAY, materials: materialsOf(massMg, 'plain') },
        }
      : {
          regulatory: classC && { approved: classC.approved, lists: classC.lists.map(listFacts) },
          material: classD && materialFacts(classD),
        }
  return {
    supplier,
    numbers: [{ number, name, requesterNumber }, ...otherNumbers.map((other) => ({ name, ...other }))],
    massMg,
    unitType,
    mode,
    accepted,
    style: {},
    ...declared,
  }
}

type ClassC = NonNullable<CatalogPart['classC']>
type ClassD = NonNullable<CatalogPart['classD']>

function listFacts({ identity, authority = 'IPC', categories }: ClassC['lists'][number]): ListFacts {
  return {
    identity,
    authority,
    categories: categories.map(({ exemptions = [], ...category }) => ({
      ...category,
      over: category.over,
      threshold: category.threshold ?? '0.1% by weight (1 000 ppm)',
      application: category.application ?? 'All',
      exemptions: exemptions.length === 0 ? undefined : { list: EXEMPTION_LIST, items: exemptions },
    })),
  }
}

function materialFacts({ approved, withClassC = false, materials }: ClassD): MaterialDeclarationFacts {
  return {
    approved,
    withRegulatory: withClassC,
    materials: materials.map(({ name, group = '', mass, substances }) => ({
      name,
      group,
      mass,
      substances: substances.map((substance) => ({ ...substance, authority: 'CAS', category: 'Supplier' })),
    })),
  }
}
