import { expected, shown } from '../lib/expected'
import { isPlainObject } from '../lib/json'
import type { Log } from '../lib/log'
import { own } from '../lib/objects'
import type { Config } from '../types'
import { accepts } from './accepts'
import type { Members, Row } from './options'
import { readable } from './readable'
import { RENAMES } from './renames'
import type { Check, UserConfig } from './settings'

type Console = Pick<Log, 'error' | 'warn'>

/** Whether `value` has the option's type. If not, logs one line that names the value used instead. */
const isValid = (name: string, takes: string, value: unknown, instead: string, log: Console): boolean => {
  if (accepts(takes, value)) return true
  log.error(expected(name, takes, value, `Using ${instead}`))
  return false
}

/** Returns the members of an option, or of a member, without those of a wrong type. Unknown ones are kept. */
const checkedMembers = (name: string, value: UserConfig, types: Members | undefined, log: Console): UserConfig => {
  const result: UserConfig = {}
  for (const [member, each] of Object.entries(readable(value))) {
    const [path, type] = [`${name}.${member}`, types && own(types, member)]
    const isNested = typeof type === 'object'
    result[member] = isNested && isPlainObject(each) ? checkedMembers(path, each, type, log) : each
    if (each === undefined || !types) continue
    if (type === undefined) log.warn(`there is no option ${path}; it has no effect`)
    else if (type && !isValid(path, isNested ? 'object' : type, each, 'its default', log)) delete result[member]
  }
  return result
}

/** Checks options and their members, and explains what is wrong. Options that lack a part have no effect. */
export const checked: Check = (input, current, log, { rows, members, missing }) => {
  const result: UserConfig = {}
  if (!isPlainObject(input)) {
    if (input !== undefined && input !== null)
      log.error(expected('The configuration', 'object', input, 'It is ignored'))
    return result
  }
  const options = readable(input)
  for (const [name, value] of Object.entries(options)) {
    const renamed = own(RENAMES as Record<string, keyof Config>, name)
    if (value === undefined || (renamed && options[renamed] !== undefined)) continue
    const option = renamed ?? (name as keyof Config)
    const row = own(rows as Record<string, Row>, option)
    if (row && !isValid(name, row[1], value, shown(current[option]), log)) continue
    const reason = missing?.(name, value)
    // An option that turns a missing feature off needs no line.
    if (reason && value !== false) log.warn(`${name} ${reason}; it has no effect`)
    // Kept, because another release or the page's own code may use it.
    if (!row && !reason) log.warn(`there is no option ${name}; it has no effect`)
    const types = own(members as Members, option)
    result[option] = row && isPlainObject(value) ? checkedMembers(name, value, types as Members, log) : value
  }
  return result
}
