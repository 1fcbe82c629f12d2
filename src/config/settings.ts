import { isPlainObject, toJson } from '../lib/json'
import type { Log } from '../lib/log'
import { has, objectOf, own, pick } from '../lib/objects'
import type { Config } from '../types'
import { datedDefaults, NEWEST } from './datedDefaults'
import type { OptionMembers, OptionRows, Row } from './options'

/** Options that the site passed, under their current names and of the right types. */
export type UserConfig = Record<string, unknown>

/** Returns what an option with a value needs to have an effect, as `needs trailmark/clicks`; undefined if nothing is missing. */
export type MissingOption = (name: string, value: unknown) => string | undefined

/** Rules for options, by the features of a build. */
export interface OptionRules {
  /** The options of the core and of the features. */
  rows: OptionRows
  /** The types of the members of options. */
  members: OptionMembers
  check: Check
  /** Names what options need to have an effect, in builds that may lack parts. */
  missing?: MissingOption
}

type Console = Pick<Log, 'error' | 'warn'>

/**
 * Returns the options that the site passed, under their current names and of the right types. Others are left out, with
 * one log line each. `current`: the values used instead.
 */
export type Check = (input: unknown, current: Config, log: Console, rules: OptionRules) => UserConfig

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
  withDefaults(Object.assign(userConfig, rules.check(input, fallbacks(rules), log, rules)), rules)

/** Adds types of members of options. Returns the site's values of these options, unless they were checked already. */
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
  const wanted = rules.check(changes, config, log, rules)
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
