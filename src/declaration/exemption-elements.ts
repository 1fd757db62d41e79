import type { XmlAttributes } from '../base/xml.ts'
import { type ClaimsDraft, type ExemptionDraft, text } from './build.ts'

/** An open element about exemptions. */
export type ExemptionLevel =
  | {
      readonly in: 'exemptions'
      readonly claims: ClaimsDraft
      readonly added: ExemptionDraft[]
      list: string
    }
  | {
      readonly in: 'exemption'
      readonly claims: ClaimsDraft
      readonly exemption: ExemptionDraft
      isNamed: boolean
    }

/** True for the name of an element or attribute that states something about exemptions. */
export function isAboutExemptions(name: string): boolean {
  const first = name.charCodeAt(0) | 0x20
  return first === 0x65 && /^exemption/i.test(name)
}

/** True when a start tag itself states an exemption, in an attribute: no such form is known. */
export function hasExemptionAttribute(attributes: XmlAttributes): boolean {
  return attributes.hasNamedLike('exemption')
}

/** Takes an element named `Exemption…` into what it is stated for. Undefined: its children are not read. */
export function enterExemption(
  claims: ClaimsDraft,
  name: string,
  attributes: XmlAttributes,
): ExemptionLevel | undefined {
  if (name === 'ExemptionList') return { in: 'exemptions', claims, added: [], list: '' }
  if (name === 'Exemption' || name === 'ExemptionID') return addExemption(claims, attributes, '')
  // The name of a list alone claims nothing.
  if (name !== 'ExemptionListID') claims.hasUnknownExemption = true
  return undefined
}

/** Takes an element inside an ExemptionList, an Exemption or an ExemptionID. */
export function enterInsideExemption(
  level: ExemptionLevel,
  name: string,
  attributes: XmlAttributes,
): ExemptionLevel | undefined {
  if (level.in === 'exemptions') {
    if (name === 'ExemptionListID') {
      level.list ||= text(attributes, 'identity').trim()
      for (const exemption of level.added) exemption.list ||= level.list
      return undefined
    }
    if (name === 'Exemption' || name === 'ExemptionID') {
      const added = addExemption(level.claims, attributes, level.list)
      level.added.push(added.exemption)
      return added
    }
    level.claims.hasUnknownExemption = true
    return undefined
  }
  if (name === 'ExemptionID') {
    level.exemption.identity ||= firstOf(attributes, ['identity', 'name'])
    level.isNamed = true
  } else if (name === 'ExemptionListID') {
    level.exemption.list ||= text(attributes, 'identity').trim()
  } else if (isAboutExemptions(name)) {
    level.claims.hasUnknownExemption = true
  }
  return undefined
}

/** At the end tag: an exemption that is named nowhere that is known may be named elsewhere, in its text for example. */
export function leaveExemption(level: ExemptionLevel): void {
  if (level.in === 'exemption' && !level.isNamed) level.claims.hasUnknownExemption = true
}

const NAMES = ['identity', 'name', 'description']

function addExemption(
  claims: ClaimsDraft,
  attributes: XmlAttributes,
  list: string,
): ExemptionLevel & { in: 'exemption' } {
  const exemption = {
    identity: firstOf(attributes, ['identity', 'name']),
    description: text(attributes, 'description').trim(),
    list,
  }
  claims.exemptions.push(exemption)
  const isNamed = NAMES.some((name) => attributes.get(name) !== undefined)
  return { in: 'exemption', claims, exemption, isNamed }
}

function firstOf(attributes: XmlAttributes, names: readonly string[]): string {
  return names.map((name) => text(attributes, name).trim()).find((value) => value !== '') ?? ''
}
