import type { Signatures } from './signatures.ts'

/** Type conversions that are not casts (see `CAST_FUNCTIONS`), and UUID generators. */
export const CONVERSION_FUNCTIONS: Signatures = {
  toInt64OrNull: 'text -> number?',
  toInt64OrZero: 'text -> number!',
  toInt32OrNull: 'text -> number?',
  toInt32OrZero: 'text -> number!',
  toUInt64OrNull: 'text -> number?',
  toUInt64OrZero: 'text -> number!',
  toFloat64OrNull: 'text -> number?',
  toFloat64OrZero: 'text -> number!',
  toUUIDOrNull: 'text -> uuid?',
  toUUIDOrZero: 'text -> uuid!',
  toDecimal64: 'number number -> number',
  toDecimal128: 'number number -> number',
  toInt8: 'number -> number',
  toInt16: 'number -> number',
  toUInt8: 'number -> number',
  toUInt16: 'number -> number',
  generateUUIDv4: '-> uuid!',
  generateUUIDv7: '-> uuid!',
}
