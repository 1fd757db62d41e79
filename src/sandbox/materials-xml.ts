import type { MaterialFacts, SubstanceFacts, XmlStyle } from './facts.ts'
import { exemptionsXml } from './substance-lists-xml.ts'
import { decimal, quantity, type Writer } from './xml-writer.ts'

/** A homogeneous material of class D, its substances grouped by category. */
export function materialXml(
  e: Writer,
  style: XmlStyle,
  { name, group, mass, substances }: MaterialFacts,
): string {
  const categories = [...new Set(substances.map(({ category }) => category))]
  const list = e('SubstanceCategoryList', {}, [
    e('SubstanceCategoryListID', { identity: 'EUROHS-1907', authority: 'IPC' }),
    ...categories.map((regulated) =>
      e(
        'SubstanceCategory',
        { name: regulated },
        substances
          .filter(({ category }) => category === regulated)
          .map((substance) => substanceXml(e, substance)),
      ),
    ),
  ])
  return style.massAttributes
    ? e('HomogeneousMaterial', { name, materialGroupName: group, ...quantity(mass) }, [list])
    : e('HomogeneousMaterial', { name, materialGroupName: group }, [e('Amount', quantity(mass)), list])
}

function substanceXml(e: Writer, substance: SubstanceFacts): string {
  const { name, cas, authority, mass, concentrationPercent, exemptions } = substance
  return e('Substance', { name }, [
    e('SubstanceID', { identity: cas, authority }),
    ...(mass === undefined ? [] : [e('Amount', quantity(mass))]),
    ...(concentrationPercent === undefined
      ? []
      : [e('Concentration', { value: decimal(concentrationPercent) })]),
    ...(exemptions === undefined ? [] : [exemptionsXml(e, exemptions)]),
  ])
}
