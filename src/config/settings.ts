import { expected, shown } from '../lib/expected'
import { guarded } from '../lib/guard'
import { isPlainObject } from '../lib/json'
import type { Log } from '../lib/log'
import { objectOf, own, pick } from '../lib/objects'
import type { Config } from '../types'
import { datedDefaults, LATEST } from './datedDefaults'
import { accepts, MEMBERS, OPTIONS } from './options'
import { RENAMES } from './renames'

/** Options that the site passed, under their current names and of the right types. */
export type UserConfig = Record<string, unknown>

type Console = Pick<Log, 'error' | 'warn'>

/** Copies what the site passed. A getter that throws logs a line and leaves its member undefined. */
const readable = (options: UserConfig): UserConfig =>
  objectOf(Object.keys(options), (name) => guarded(() => options[name]))

/** Whether an option takes `value`. Logs one line if not; `instead` is what holds then. */
const isRight = (name: string, takes: string, value: unknown, instead: string, log: Console): boolean => {
  if (accepts(takes, value)) return true
  log.error(expected(name, takes, value, `Using ${instead}`))
  return false
}

/**
 * Returns the options that the site passed, under their current names and of the right types. Others are left out, with
 * one log line each. `current`: what holds instead.
 */
const checked = (given: unknown, current: Config, log: Console): UserConfig => {
  const result: UserConfig = {}
  if (!isPlainObject(given)) {
    if (given !== undefined && given !== null)
      log.error(expected('The configuration', 'object', given, 'It is ignored'))
    return result
  }
  const options = readable(given)
  for (const [name, value] of Object.entries(options)) {
    const renamed = own(RENAMES as Record<string, keyof Config>, name)
    if (value === undefined || (renamed && options[renamed] !== undefined)) continue
    const option = renamed ?? (name as keyof Config)
    const row = own(OPTIONS, option)
    if (!row) {
      // Kept, not used: another release, or the page's own code, may know it.
      log.warn(`there is no option ${name}; it has no effect`)
      result[option] = value
      continue
    }
    const [, takes, later] = row
    if (!isRight(name, takes, value, shown(current[option]), log)) continue
    if (later) log.warn(`${name} has no effect in this version`)
    const members = MEMBERS[option] ?? {}
    result[option] = isPlainObject(value)
      ? pick(
          readable(value),
          (member, each) =>
            each === undefined ||
            !own(members, member) ||
            isRight(`${name}.${member}`, members[member]!, each, 'its default', log),
        )
      : value
  }
  return result
}

const fallbacks = () => objectOf(Object.keys(OPTIONS), (name) => OPTIONS[name as keyof Config][0]) as unknown as Config

/**
 * Returns the site's options, filled up from the defaults of its date: an object is laid over the dated one, and a plain
 * `true` is the dated one.
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

/** Returns the configuration: the site's options over the dated defaults it selected over the plain ones. */
const settled = (userConfig: UserConfig): Config & UserConfig => {
  const dated = datedDefaults(userConfig.defaults) as UserConfig
  return { ...fallbacks(), ...dated, ...withDatedMembers(userConfig, dated) }
}

/** Returns the configuration of an `init`. Fills `userConfig` with the options that the site passed. */
export const resolveConfig = (given: unknown, log: Console, userConfig: UserConfig = {}): Config =>
  settled(Object.assign(userConfig, checked(given, fallbacks(), log)))

/**
 * Changes a live configuration; every reader of it sees the change. Returns whether anything changed. `userConfig`: the
 * options the site has passed so far; a date that is passed later changes only the others.
 */
export const changeConfig = (config: Config, changes: unknown, log: Console, userConfig: UserConfig): boolean => {
  const wanted = checked(changes, config, log)
  const names = [...Object.keys(wanted), ...(wanted.defaults ? Object.keys(datedDefaults(LATEST)) : [])]
  Object.assign(
    config,
    pick(settled(Object.assign(userConfig, wanted)), (name) => names.includes(name)),
  )
  return names.length > 0
}
