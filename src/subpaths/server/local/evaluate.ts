import { isMet } from './operators'
import type { FlagOptions, FlagValue, Properties } from '../types'

interface Condition {
  properties: { key: string; value?: unknown; operator?: string; type?: string }[]
  rollout_percentage: number | null
  variant: string | null
}

/** The definition of a flag, as `/flags/definitions` returns it. */
export interface Definition {
  id: number
  key: string
  version: number
  active: boolean
  filters: {
    groups: Condition[]
    multivariate: { variants: { key: string; rollout_percentage: number }[] } | null
    payloads: Record<string, string>
    aggregation_group_type_index: number | null
  }
}

export interface Definitions {
  flags: ReadonlyMap<string, Definition>
  groupTypes: Record<string, string>
}

/** One flag of a person. */
export interface Evaluated {
  value: FlagValue
  payload?: unknown
  id?: number
  version?: number
  reason?: string
  isLocal: boolean
}

const own = <Value>(values: Record<string, Value> | undefined, key: string): Value | undefined =>
  values && Object.hasOwn(values, key) ? values[key] : undefined

const encoder = () => new TextEncoder()

/**
 * Returns the position of an id between 0 and 1: the first 15 hex digits of sha1(`key.id` + salt), divided by their maximum.
 * It is the same in every SDK of this protocol.
 */
const shareOf = async (key: string, id: string, salt = ''): Promise<number> => {
  const digest = await crypto.subtle.digest('SHA-1', encoder().encode(`${key}.${id}${salt}`))
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return Number(`0x${hex.slice(0, 15)}`) / 2 ** 60
}

const variantFor = async ({ key, filters }: Definition, id: string): Promise<string | undefined> => {
  const variants = filters.multivariate?.variants ?? []
  const share = variants.length ? await shareOf(key, id, 'variant') : 0
  let upTo = 0
  return variants.find(({ rollout_percentage: percentage }) => share < (upTo += percentage / 100))?.key
}

/**
 * Evaluates flags for a person by their definitions, with the result of the service. Flags are left out if only the service
 * can evaluate them: those that depend on a property that is not in `options`.
 */
export const evaluateLocally = async (
  { flags, groupTypes }: Definitions,
  keys: readonly string[],
  distinctId: string,
  { groups = {}, personProperties, groupProperties }: FlagOptions,
): Promise<Map<string, Evaluated>> => {
  const person: Properties = { distinct_id: distinctId, ...personProperties }
  const known = new Map<string, Promise<FlagValue | undefined>>()

  /** Returns the value of a flag. `path`: the flags that depend on it. */
  const valueOf = (key: string, path: readonly string[]): Promise<FlagValue | undefined> => {
    const flag = flags.get(key)
    if (!flag || path.includes(key)) return Promise.resolve(undefined)
    if (!known.has(key)) known.set(key, flag.active ? decide(flag, [...path, key]) : Promise.resolve(false))
    return known.get(key)!
  }

  const holds = async ({ properties }: Condition, type: string | undefined, path: readonly string[]) => {
    let isKnown = true
    for (const { key, value, operator, type: kind } of properties) {
      let isHolding: boolean | undefined
      if (kind === 'flag') {
        const actual = await valueOf(key, path)
        isHolding = actual === undefined ? undefined : value === true ? actual !== false : actual === value
      } else {
        const actual = own(kind === 'group' ? own(groupProperties, type ?? '') : person, key)
        isHolding = actual === undefined ? undefined : isMet(operator, value, actual)
      }
      if (isHolding === false) return false
      isKnown &&= isHolding === true
    }
    return isKnown || undefined
  }

  const decide = async (flag: Definition, path: readonly string[]): Promise<FlagValue | undefined> => {
    const { groups: conditions, aggregation_group_type_index: index, multivariate } = flag.filters
    const type = index === null ? undefined : own(groupTypes, String(index))
    if (index !== null && !type) return undefined
    const id = type === undefined ? distinctId : String(own(groups, type) ?? '')
    if (!id) return false
    for (const condition of conditions) {
      const percentage = condition.rollout_percentage ?? 100
      if (percentage < 100 && (await shareOf(flag.key, id)) > percentage / 100) continue
      const isHolding = await holds(condition, type, path)
      if (isHolding === undefined) return undefined
      if (!isHolding) continue
      const override = multivariate?.variants.find(({ key }) => key === condition.variant)?.key
      return override ?? (await variantFor(flag, id)) ?? true
    }
    return false
  }

  const found = new Map<string, Evaluated>()
  for (const key of keys) {
    const value = await valueOf(key, [])
    const flag = flags.get(key)
    if (value === undefined || !flag?.active) continue
    const payload = value === false ? undefined : own(flag.filters.payloads, String(value))
    const { id, version } = flag
    found.set(key, { value, id, version, isLocal: true, ...(payload && { payload: JSON.parse(payload) as unknown }) })
  }
  return found
}
