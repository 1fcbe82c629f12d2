import type { Refuse } from '../parse/queryError.ts'
import { createAgreement } from './agree.ts'
import { asBoolean, asNumber, asText, createConversions } from './coerce.ts'
import { createComparable } from './compare.ts'

/** How values are read as the kind that their context requires. */
export const createCoercions = (refuse: Refuse) => {
  const conversions = createConversions(refuse)
  return {
    ...conversions,
    asText,
    asNumber,
    asBoolean,
    agree: createAgreement(conversions),
    comparable: createComparable(refuse, conversions),
  }
}

export type Coercions = ReturnType<typeof createCoercions>
