import { breakdownValue, dayIn, type SeenEvent } from './reference.ts'

export interface ReferenceStep {
  readonly event: string | null
  /** Only events with this plan. */
  readonly plan?: string
}

export interface ReferenceFunnel {
  readonly order: 'ordered' | 'strict' | 'unordered'
  readonly steps: readonly ReferenceStep[]
  readonly exclusions: readonly (ReferenceStep & { readonly from: number; readonly to: number })[]
  readonly windowMs: number
  readonly zone: string
  /** First and last day. */
  readonly from: string
  readonly to: string
  /** A property, and how a person's value is chosen. */
  readonly breakdown?: string | undefined
  readonly attribution: 'first_touch' | 'last_touch' | 'all_events' | 'step'
  readonly attributionStep: number
  readonly limit: number
  /** Whether a person counts on each day on which they start. */
  readonly isByDay: boolean
}

/** A person who started: their breakdown value, the day of their start, and when they reached the steps. */
export interface Funnelled {
  readonly value: string
  readonly day: string
  readonly times: readonly number[]
}

const isOf = ({ event, plan }: ReferenceStep, each: SeenEvent) =>
  (event === null || each.event === event) && (plan === undefined || each.properties.plan === plan)

type Chain = readonly number[]

/** Returns every way through the steps, complete or not, as indexes of the person's events. */
const allChains = (events: readonly SeenEvent[], { order, steps, windowMs }: ReferenceFunnel): Chain[] => {
  if (order === 'unordered') {
    return events.flatMap((start, place) => {
      if (!steps.some((step) => isOf(step, start))) return []
      const firsts = steps.map((step) =>
        events.findIndex((each, at) => at >= place && isOf(step, each) && each.at - start.at <= windowMs),
      )
      return [firsts.filter((at) => at >= 0).sort((a, b) => a - b)]
    })
  }
  const chains: Chain[] = []
  const extend = (chain: Chain) => {
    if (chain.length) chains.push(chain)
    const step = steps[chain.length]
    if (!step) return
    const last = chain.at(-1) ?? -1
    for (let place = last + 1; place < events.length; place += 1) {
      const isInTime = !chain.length || events[place]!.at - events[chain[0]!]!.at <= windowMs
      const isDirect =
        !chain.length ||
        events.slice(last + 1, place).every((each) => isOf(steps[chain.length - 1]!, each) && !isOf(step, each))
      if (isOf(step, events[place]!) && isInTime && (order === 'ordered' || isDirect)) extend([...chain, place])
    }
  }
  extend([])
  return chains
}

const compareLists = (a: readonly number[], b: readonly number[]): number => {
  const at = a.findIndex((value, index) => value !== b[index])
  return at < 0 ? a.length - b.length : a[at]! - b[at]!
}

/** Sorts ways: longest, then completed first, then begun last. */
const compareTimes = (a: readonly number[], b: readonly number[]) =>
  b.length - a.length || a.at(-1)! - b.at(-1)! || b[0]! - a[0]! || 0

/** Returns the people of a funnel, by trying every way through it. */
export const funnelOf = (all: readonly SeenEvent[], question: ReferenceFunnel): Funnelled[] => {
  const {
    order,
    steps,
    exclusions,
    windowMs,
    zone,
    from,
    to,
    breakdown,
    attribution,
    attributionStep,
    limit,
    isByDay,
  } = question
  const days = new Map(all.map((each) => [each, dayIn(zone, each.at)]))
  const dayOf = (each: SeenEvent) => days.get(each)!
  const valueOf = (each: SeenEvent) => breakdownValue(each, breakdown)
  const stepOf = (each: SeenEvent) => steps.findIndex((step) => isOf(step, each)) + 1
  const maskOf = (each: SeenEvent) =>
    [...steps, ...exclusions].reduce((mask, step, bit) => mask + (isOf(step, each) ? 2 ** bit : 0), 0)
  const matters = (each: SeenEvent) => order === 'strict' || maskOf(each) > 0
  // Sorting is stable: equal events remain in the order of their ids.
  const seen = all
    .filter((each) => dayOf(each) >= from && dayOf(each) <= to && matters(each))
    .sort((a, b) => a.at - b.at || stepOf(a) - stepOf(b) || maskOf(a) - maskOf(b))
  const isByValue = attribution === 'all_events'

  const found = [...new Set(seen.map(({ person }) => person))].flatMap((person) => {
    const mine = seen.filter((each) => each.person === person)
    const values = isByValue ? [...new Set(mine.map(valueOf))] : [undefined]
    return values.flatMap((value) => {
      const events = mine.filter((each) => value === undefined || valueOf(each) === value)
      const touched = events
        .filter((each) => stepOf(each) > 0)
        .map(valueOf)
        .filter((each) => each !== 'null')
      const chains = allChains(events, question)
      const dayOfChain = (chain: Chain) => (isByDay ? dayOf(events[chain[0]!]!) : '')
      return [...new Set(chains.map(dayOfChain))].flatMap((day) => {
        const timesOf = (chain: Chain) => chain.map((place) => events[place]!.at)
        const best = chains
          .filter((chain) => dayOfChain(chain) === day)
          .sort((a, b) => compareTimes(timesOf(a), timesOf(b)) || compareLists(a, b))[0]!
        const isExcluded = exclusions.some((exclusion) => {
          const [begin, end] = [best[exclusion.from], best[exclusion.to]]
          if (begin === undefined) return false
          return events.some(
            (each, place) =>
              isOf(exclusion, each) &&
              place > begin &&
              (end === undefined ? each.at - events[best[0]!]!.at <= windowMs : place < end),
          )
        })
        if (isExcluded) return []
        const stepEvent = events[best[attributionStep]!]
        const byAttribution = {
          first_touch: touched[0],
          last_touch: touched.at(-1),
          all_events: value,
          step: stepEvent && valueOf(stepEvent),
        }[attribution]
        return [
          { person, value: breakdown === undefined ? 'null' : (byAttribution ?? 'null'), day, times: timesOf(best) },
        ]
      })
    })
  })

  if (breakdown === undefined) return found
  const keyText = (value: string) => (value === 'null' ? '[null]' : JSON.stringify([value]))
  const values = [...new Set(found.map(({ value }) => value))]
  const countOf = (value: string) => found.filter((each) => each.value === value).length
  const shown = values.sort((a, b) => countOf(b) - countOf(a) || (keyText(a) < keyText(b) ? -1 : 1)).slice(0, limit)
  const named = found.map((each) => ({ ...each, value: shown.includes(each.value) ? each.value : 'Other' }))
  // A person with two values under "Other" counts once.
  const isSame = (a: (typeof named)[number], b: (typeof named)[number]) =>
    a.person === b.person && a.value === b.value && a.day === b.day
  return named.filter(
    (each) =>
      named
        .filter((other) => isSame(each, other))
        .sort((a, b) => compareTimes(a.times, b.times) || compareLists(a.times, b.times))[0] === each,
  )
}
