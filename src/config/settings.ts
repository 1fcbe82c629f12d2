import { isPlainObject } from '../lib/json'
import type { Log } from '../lib/log'
import { pick } from '../lib/objects'
import type { Config } from '../types'
import { datedDefaults, LATEST } from './datedDefaults'
import { accepts, MEMBERS, OPTIONS } from './options'
import { RENAMES } from './renames'

/** Options that a site gave, under today's names and of the right types. */
export type Given = Record<string, unknown>

/** A value in a message: short, and never the reason of another error. */
const shown = (value: unknown): string => {
  try {
    const text = JSON.stringify(value) ?? String(value)
    return text.length > 60 ? `${text.slice(0, 60)}…` : text
  } catch {
    return typeof value
  }
}

/** An object given for an option, less the members of wrong types, with one readable line each. */
const withoutWrongMembers = (
  name: string,
  given: Given,
  members: Record<string, string> = {},
  log: Pick<Log, 'error'>,
): Given =>
  Object.fromEntries(
    Object.entries(given).filter(([member, value]) => {
      const takes = members[member]
      const isRight = value === undefined || !takes || accepts(takes, value)
      if (!isRight) log.error(`${name}.${member} takes ${takes}, not ${shown(value)}; using its default`)
      return isRight
    }),
  )

/**
 * What a site gave, under today's names and of the right types. What is not is left out, with one readable line each.
 * `current`: what holds instead.
 */
const checked = (given: unknown, current: (name: keyof Config) => unknown, log: Pick<Log, 'error' | 'warn'>): Given => {
  const result: Given = {}
  if (given === undefined || given === null) return result
  if (!isPlainObject(given)) {
    log.error(`the configuration is an object, not ${shown(given)}; it is ignored`)
    return result
  }
  for (const [name, value] of Object.entries(given)) {
    const renamed = (RENAMES as Record<string, keyof Config>)[name]
    if (value === undefined || (renamed && (given as Given)[renamed] !== undefined)) continue
    const option = (renamed ?? name) as keyof Config
    if (!Object.hasOwn(OPTIONS, option)) {
      // Kept, not used: another release, or the page's own code, may know it.
      log.warn(`there is no option ${name}; it has no effect`)
      result[option] = value
      continue
    }
    const [, takes, later] = OPTIONS[option]
    if (!accepts(takes, value)) {
      log.error(`${name} takes ${takes}, not ${shown(value)}; using ${shown(current(option))}`)
      continue
    }
    if (later) log.warn(`${name} is accepted, but has no effect in this version`)
    result[option] = isPlainObject(value) ? withoutWrongMembers(name, value, MEMBERS[option], log) : value
  }
  return result
}

const FALLBACKS = () =>
  Object.fromEntries(Object.entries(OPTIONS).map(([name, [fallback]]) => [name, fallback])) as unknown as Config

/**
 * What a site said, with what the date it chose says of the members it did not speak of: an object is laid over the
 * dated one, and a plain `true` is the dated one.
 */
const withDatedMembers = (wanted: Given, dated: Given): Given => {
  const result = { ...wanted }
  for (const [name, members] of Object.entries(dated)) {
    if (!isPlainObject(members)) continue
    if (isPlainObject(wanted[name])) result[name] = { ...members, ...wanted[name] }
    if (wanted[name] === true) result[name] = members
  }
  return result
}

/** What holds for a site that has said this: that, over the dated defaults it selected, over the plain ones. */
const settled = (said: Given): Config & Given => {
  const dated = datedDefaults((said.defaults as string | undefined) ?? 'unset') as Given
  return { ...FALLBACKS(), ...dated, ...withDatedMembers(said, dated) } as Config & Given
}

/** The configuration of an `init`. `said` is filled with what the site gave of it. */
export const resolveConfig = (given: unknown, log: Pick<Log, 'error' | 'warn'>, said: Given = {}): Config => {
  const plain = FALLBACKS()
  return settled(
    Object.assign(
      said,
      checked(given, (name) => plain[name], log),
    ),
  )
}

/**
 * Changes a live configuration; every reader of it sees the change. Answers whether anything changed. `said`: what the
 * site has given so far; a date that is given later changes only what it has not spoken of.
 */
export const changeConfig = (
  config: Config,
  changes: unknown,
  log: Pick<Log, 'error' | 'warn'>,
  said: Given,
): boolean => {
  const wanted = checked(changes, (name) => config[name], log)
  const names = [...Object.keys(wanted), ...(wanted.defaults ? Object.keys(datedDefaults(LATEST)) : [])]
  Object.assign(
    config,
    pick(settled(Object.assign(said, wanted)), (name) => names.includes(name)),
  )
  return names.length > 0
}
