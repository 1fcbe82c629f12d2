import { ARRAY_FUNCTIONS } from './arrays.ts'
import { CONDITION_FUNCTIONS } from './conditions.ts'
import { CONVERSION_FUNCTIONS } from './conversions.ts'
import { DATE_FUNCTIONS } from './dates.ts'
import { HASH_FUNCTIONS } from './hashes.ts'
import { JSON_FUNCTIONS } from './json.ts'
import { NUMBER_FUNCTIONS } from './numbers.ts'
import { STRING_FUNCTIONS } from './strings.ts'
import { TUPLE_FUNCTIONS } from './tuples.ts'
import { URL_FUNCTIONS } from './urls.ts'
import type { Signatures } from './signatures.ts'

/** Scalar functions that a query may call. */
export const SCALARS: Signatures = {
  ...STRING_FUNCTIONS,
  ...URL_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...CONDITION_FUNCTIONS,
  ...DATE_FUNCTIONS,
  ...CONVERSION_FUNCTIONS,
  ...ARRAY_FUNCTIONS,
  ...TUPLE_FUNCTIONS,
  ...JSON_FUNCTIONS,
  ...HASH_FUNCTIONS,
}
