import type { CatalogPart } from './catalog-schema.ts'
import type { ListFacts, MaterialDeclarationFacts, PartFacts, SupplierFacts } from './facts.ts'
import { EXEMPTION_LIST, reachList, rohsList } from './lists.ts'
import { materialsOf } from './made-up-composition.ts'

/** When the made-up declarations of a catalog file were approved. */
const MADE_UP_DAY = '2024-09-02'

/** What a part of a catalog file declares. One without any declaration gets a plain, compliant one of both classes. */
export function partFacts(supplier: SupplierFacts, part: CatalogPart): PartFacts {
  const { number, name = number, requesterNumber, otherNumbers = [], massMg = 1_000 } = part
  const { unitType, revisions = [] } = part
  const numbers = [
    { number, name, requesterNumber },
    ...otherNumbers.map((other) => ({ name, ...other })),
  ] as const
  const common = { supplier, numbers, massMg, unitType, style: {} } as const
  const isDeclared = part.classC !== undefined || part.classD !== undefined || revisions.length > 0
  return {
    ...common,
    ...declarationFacts(part),
    ...(isDeclared ? {} : plainDeclarations(massMg)),
    revisions: revisions.map((revision) => ({ ...common, ...declarationFacts(revision) })),
  }
}

function plainDeclarations(massMg: number): Pick<PartFacts, 'regulatory' | 'material'> {
  return {
    regulatory: { approved: MADE_UP_DAY, lists: [reachList('EUREACH-0624'), rohsList('EUROHS-1907')] },
    material: { approved: MADE_UP_DAY, materials: materialsOf(massMg, 'plain') },
  }
}

function declarationFacts({
  mode,
  accepted,
  classC,
  classD,
}: Pick<CatalogPart, 'mode' | 'accepted' | 'classC' | 'classD'>): Pick<
  PartFacts,
  'mode' | 'accepted' | 'regulatory' | 'material'
> {
  return {
    mode,
    accepted,
    regulatory: classC && { approved: classC.approved, lists: classC.lists.map(listFacts) },
    material: classD && materialFacts(classD),
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
