import { isPlainObject } from '../lib/json'
import { own } from '../lib/objects'
import type { Row } from './options'
import { readable } from './readable'
import type { Check, UserConfig } from './settings'

/** Whether a value may be of a type, by the words that describe it. */
const mayBe = (takes: string, value: unknown): boolean => {
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  if (kind === 'string') return /'|string\b|YYYY/.test(takes)
  return kind === 'number' ? /number|integer/.test(takes) && !isNaN(value as number) : takes.includes(kind)
}

/** Checks options where the site has no part that explains what is wrong: none has a value of a wrong kind. */
export const coarseCheck: Check = (input, _current, log, { rows, missing }) => {
  const result: UserConfig = {}
  for (const [name, value] of Object.entries(readable(isPlainObject(input) ? input : {}))) {
    const row = own(rows as Record<string, Row>, name)
    const isWrong = row && value !== undefined && !mayBe(row[1], value)
    const reason = isWrong
      ? 'has a wrong type. Import trailmark/checks to see why'
      : value !== false && missing(name, value)
    if (reason) log.warn(`${name} ${reason}; it has no effect`)
    if (!isWrong && value !== undefined) result[name] = value
  }
  return result
}
