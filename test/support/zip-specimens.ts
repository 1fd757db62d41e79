import { DATA_SPECIMENS, LIMIT_SPECIMENS } from './zip-data.ts'
import { GOOD_SPECIMENS } from './zip-good.ts'
import { KIND_SPECIMENS, NAME_SPECIMENS } from './zip-hostile-names.ts'
import type { Specimen } from './zip-specimen.ts'
import { FOREIGN_SPECIMENS, STRUCTURE_SPECIMENS } from './zip-structures.ts'

export type { Specimen } from './zip-specimen.ts'

/** Every archive of the corpus, good and hostile. */
export const SPECIMENS: readonly Specimen[] = [
  ...GOOD_SPECIMENS,
  ...NAME_SPECIMENS,
  ...KIND_SPECIMENS,
  ...STRUCTURE_SPECIMENS,
  ...FOREIGN_SPECIMENS,
  ...DATA_SPECIMENS,
  ...LIMIT_SPECIMENS,
]

export type Outcome = 'accepted' | 'damaged' | 'refused'

/** The expected outcome of a specimen: the first word of its file name. */
export function outcomeOf({ file }: Specimen): Outcome {
  return file.slice(0, file.indexOf('-')) as Outcome
}
