import type { Fields } from '../lib/fields.ts'
import { exceptionsOf } from './exceptions.ts'
import { stackIdOf } from './fingerprint.ts'
import { type CompiledRule, possibleRules } from './matchRules.ts'

const NOTHING: Fields = {}
// Removes what a client sent under these names.
const NO_STACK: Fields = { $exception_stack: undefined, $exception_rules: undefined }

/** Returns the id of an exception's stack, by which issues are found, and those of `rules` that may decide its issue. */
export const stackOf = (properties: Fields, all: readonly CompiledRule[]): Fields => {
  const { $exception_list: list, $exception_fingerprint: given } = properties
  if (!Array.isArray(list) || !list.length)
    return '$exception_stack' in properties || '$exception_rules' in properties ? NO_STACK : NOTHING
  const exceptions = exceptionsOf(list)
  const rules = typeof given !== 'string' || given === '' ? possibleRules(all, exceptions) : []
  return {
    ...NO_STACK,
    $exception_stack: stackIdOf(exceptions, { given, rules }),
    ...(rules.length ? { $exception_rules: rules.map(({ id }) => id) } : {}),
  }
}
