import { expected, shown } from '../lib/expected'
import { guarded } from '../lib/guard'
import { isPlainObject, toJson } from '../lib/json'
import type { Log } from '../lib/log'
import { has, objectOf, own, pick } from '../lib/objects'
import type { Config } from '../types'
import { datedDefaults, NEWEST } from './datedDefaults'
import { accepts, type Members, type OptionMembers, type OptionRows, type Row } from './options'
import { RENAMES } from './renames'

/** Options that the site passed, under their current names and of the right types. */
export type UserConfig = Record<string, unknown>

/** What the features of a build know about options. */
export interface OptionRules {
  /** The options of the core and of the features. */
  rows: OptionRows
  /** The types of the members of options. */
  members: OptionMembers
  /** Returns what an option needs to have an effect; undefined if nothing is missing. */
  missing(name: string, value: unknown): string | undefined
}

type Console = Pick<Log, 'error' | 'warn'>

/** Copies what the site passed. A getter that throws logs a line and leaves its member undefined. */
const readable = (options: UserConfig): UserConfig =>
  objectOf(Object.keys(options), (name) => guarded(() => options[name]))

/** Whether `value` has the option's type. Logs one line if not, with the value that is used instead. */
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

/**
 * Returns the options that the site passed, under their current names and of the right types. Others are left out, with
 * one log line each. `current`: the values used instead. Options that lack a part have no effect and get a log line.
 */
const checked = (
  input: unknown,
  current: Config,
  log: Console,
  { rows, members, missing }: OptionRules,
): UserConfig => {
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
    const reason = missing(name, value)
    // An option that turns a missing feature off needs no line.
    if (reason && value !== false) log.warn(`${name} ${reason}; it has no effect`)
    // Kept, because another release or the page's own code may use it.
    if (!row && !reason) log.warn(`there is no option ${name}; it has no effect`)
    const types = own(members as Members, option)
    result[option] = row && isPlainObject(value) ? checkedMembers(name, value, types as Members, log) : value
  }
  return result
}

const fallbacks = ({ rows }: OptionRules) =>
  objectOf(Object.keys(rows), (name) => rows[name as keyof Config]![0]) as unknown as Config

/**
 * Returns the site's options, completed by the dated defaults: an object is merged over the dated one, and `true` becomes
 * the dated one.
 */
const withDatedMembers = (wanted: UserConfig, dated: UserConfig): UserConfig => {
  const result = { ...wanted }
  for (const [name, members] of Object.entries(dated)) {
    if (!isPlainObject(members)) continue
    if (isPlainObject(wanted[name])) result[name] = { ...members, ...wanted[name] }
    if (wanted[name] === true) result[name] = members
  }
  return result
}

/**
 * Returns the configuration: the site's options over the dated defaults it selected over the plain ones. Replaces `'latest'`
 * in `userConfig` by its date.
 */
const withDefaults = (userConfig: UserConfig, rules: OptionRules): Config & UserConfig => {
  if (userConfig.defaults === 'latest') userConfig.defaults = NEWEST
  const dated = datedDefaults(userConfig.defaults) as UserConfig
  return { ...fallbacks(rules), ...dated, ...withDatedMembers(userConfig, dated) }
}

/** Returns the configuration of an `init`. Fills `userConfig` with the options that the site passed. */
export const resolveConfig = (input: unknown, log: Console, rules: OptionRules, userConfig: UserConfig = {}): Config =>
  withDefaults(Object.assign(userConfig, checked(input, fallbacks(rules), log, rules)), rules)

/** Adds types of members of options. Returns what the site has passed of these options, unless they were checked already. */
export const addMembers = ({ members }: OptionRules, added: OptionMembers, userConfig: UserConfig): UserConfig => {
  const unchecked = pick(userConfig, (name) => has(added, name) && !has(members, name))
  Object.assign(members, added)
  return unchecked
}

/**
 * Changes a live configuration in place. Returns whether anything changed. `userConfig`: the options the site has passed
 * so far, which a later `defaults` date does not change.
 */
export const changeConfig = (
  config: Config,
  changes: unknown,
  log: Console,
  rules: OptionRules,
  userConfig: UserConfig,
): boolean => {
  const wanted = checked(changes, config, log, rules)
  for (const [name, value] of Object.entries(wanted)) {
    const current = (config as unknown as UserConfig)[name]
    const isChange = value !== current && !(isPlainObject(value) && toJson(value) === toJson(current))
    if (isChange && own(rules.rows as Record<string, Row>, name)?.[2])
      log.warn(`${name} is read by init() only; the change has no effect`)
  }
  const names = [...Object.keys(wanted), ...(wanted.defaults ? Object.keys(datedDefaults(NEWEST)) : [])]
  Object.assign(
    config,
    pick(withDefaults(Object.assign(userConfig, wanted), rules), (name) => names.includes(name)),
  )
  return names.length > 0
}
