import { isPlainObject } from '../lib/json'
import type { Log } from '../lib/log'
import type { Config } from '../types'
import { datedDefaults } from './datedDefaults'
import { accepts, OPTIONS } from './options'
import { RENAMES } from './renames'

type Given = Record<string, unknown>

/** A value in a message: short, and never the reason of another error. */
const shown = (value: unknown): string => {
  try {
    const text = JSON.stringify(value) ?? String(value)
    return text.length > 60 ? `${text.slice(0, 60)}…` : text
  } catch {
    return typeof value
  }
}

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
    const renamed = RENAMES[name]
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
    result[option] = value
  }
  return result
}

const FALLBACKS = () => Object.fromEntries(Object.entries(OPTIONS).map(([name, [fallback]]) => [name, fallback])) as unknown as Config

/**
 * The configuration of an `init`: what the site gave, over the dated defaults it selected, over the plain ones. An
 * object given for an option whose dated default is an object too is laid over it.
 */
export const resolveConfig = (given: unknown, log: Pick<Log, 'error' | 'warn'>): Config => {
  const plain = FALLBACKS()
  const wanted = checked(given, (name) => plain[name], log)
  const dated = datedDefaults((wanted.defaults as string | undefined) ?? 'unset') as Given
  const config = { ...plain, ...dated, ...wanted } as Config & Given
  for (const name of Object.keys(dated)) {
    if (isPlainObject(dated[name]) && isPlainObject(wanted[name])) config[name] = { ...dated[name], ...wanted[name] }
  }
  return config
}

/** Changes a live configuration; every reader of it sees the change. Answers whether anything changed. */
export const changeConfig = (config: Config, changes: unknown, log: Pick<Log, 'error' | 'warn'>): boolean => {
  const wanted = checked(changes, (name) => config[name], log)
  Object.assign(config, wanted)
  return Object.keys(wanted).length > 0
}
