import type { Signatures } from './signatures.ts'

/** Tuple functions. */
export const TUPLE_FUNCTIONS: Signatures = {
  tuple: 'any... -> tuple!',
  tupleElement: 'any any any? -> unknown',
  tupleConcat: 'any... -> tuple',
}
