import type { Table } from '../model'
import { plainText } from '../read/cells'

/** Spreadsheets run text that begins like this as a formula, also after spaces. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/
// A number in text form is not a formula.
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

const toCell = (value: unknown): string => {
  const text = plainText(value)
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",;\t\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns a table as CSV (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe in front. */
export const toCsv = ({ columns, rows }: Table): string =>
  [columns, ...rows].map((row) => row.map(toCell).join(',')).join('\r\n')
