import { isPlainObject } from '../lib/json'
import { isDate } from './datedDefaults'
import { STRINGS, TEN_STRINGS } from './options'

const areStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

/** Types beyond those of `typeof`. */
const CHECKS: Record<string, (value: unknown) => boolean> = {
  array: Array.isArray,
  [STRINGS]: areStrings,
  [TEN_STRINGS]: (value) => areStrings(value) && value.length <= 10,
  integer: Number.isInteger,
  null: (value) => value === null,
  number: (value) => typeof value === 'number' && !isNaN(value),
  object: isPlainObject,
  'YYYY-MM-DD': isDate,
}

const isOf = (type: string, value: unknown): boolean =>
  type[0] === "'" ? value === type.slice(1, -1) : CHECKS[type] ? CHECKS[type](value) : typeof value === type

/** Whether a value has an option's type. */
export const accepts = (takes: string, value: unknown): boolean => takes.split(' | ').some((type) => isOf(type, value))
