import type { Reject } from '../parse/queryError.ts'
import { createAgreement } from './agree.ts'
import { asBoolean, asNumber, asString, createConversions } from './coerce.ts'
import { createComparable } from './compare.ts'

/** Creates the functions that read values as the kind that their context requires. */
export const createCoercions = (reject: Reject) => {
  const conversions = createConversions(reject)
  return {
    ...conversions,
    asString,
    asNumber,
    asBoolean,
    agree: createAgreement(conversions),
    comparable: createComparable(reject, conversions),
  }
}

export type Coercions = ReturnType<typeof createCoercions>
