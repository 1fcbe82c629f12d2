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
export const coarseCheck: Check = (input, _current, log, { rows }) => {
  const result: UserConfig = {}
  for (const [name, value] of Object.entries(readable(isPlainObject(input) ? input : {}))) {
    const row = own(rows as Record<string, Row>, name)
    const isWrong = row && !mayBe(row[1], value)
    if (value === undefined) continue
    if (isWrong || (!row && value !== false))
      log.warn(
        `${name} ${row ? 'has a wrong type' : 'is not an option of the imported parts'}. trailmark/checks says more`,
      )
    if (!isWrong) result[name] = value
  }
  return result
}
