import type { Query } from '../../api/query.ts'
import { oneOf, sharedFields, toNode } from '../insightQuery.ts'

export const ORDERS = [
  { value: 'ordered', label: 'In this order' },
  { value: 'strict', label: 'With nothing in between' },
  { value: 'unordered', label: 'In any order' },
] as const

export const WINDOW_UNITS = [
  { value: 'day', label: 'days' },
  { value: 'minute', label: 'minutes' },
  { value: 'hour', label: 'hours' },
  { value: 'week', label: 'weeks' },
] as const

export const MIN_STEPS = 2
export const MAX_STEPS = 8
const DEFAULT_WINDOW = 14

/** The settings of a funnel, from the URL: `step` repeated, `order`, `window` such as `14day`. */
export const funnelOf = (search: URLSearchParams) => {
  const steps = search.getAll('step').slice(0, MAX_STEPS)
  const [, length = '', unit = ''] = /^(\d+)([a-z]+)$/.exec(search.get('window') ?? '') ?? []
  return {
    steps,
    order: oneOf(search.get('order'), ORDERS),
    window: { length: Math.max(1, Number(length) || DEFAULT_WINDOW), unit: oneOf(unit, WINDOW_UNITS) },
    breakdown: search.get('by') ?? '',
  }
}

/** Returns the query of a funnel, from the URL. `undefined`: it needs more steps. */
export const funnelQuery = (search: URLSearchParams): Query | undefined => {
  const { steps, order, window } = funnelOf(search)
  if (steps.length < MIN_STEPS) return undefined
  return {
    kind: 'FunnelsQuery',
    ...sharedFields(search),
    series: steps.map(toNode),
    funnelsFilter: {
      funnelOrderType: order,
      funnelWindowInterval: window.length,
      funnelWindowIntervalUnit: window.unit,
    },
  }
}
