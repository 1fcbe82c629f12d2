import { breakdownValue, dayIn, intervalOf, type SeenEvent } from './reference.ts'

export interface ReferenceRetention {
  readonly type: 'retention_first_time' | 'retention_recurring' | 'retention_first_ever_occurrence'
  readonly target: { readonly event: string; readonly plan?: string }
  readonly returning: { readonly event: string | null }
  readonly interval: 'day' | 'week' | 'month'
  readonly isCumulative: boolean
  /** The number of intervals that a cohort is observed for. */
  readonly width: number
  readonly zone: string
  /** First and last day on which people begin. */
  readonly from: string
  readonly to: string
  readonly breakdown?: string | undefined
  readonly limit: number
}

const nextDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
const distinct = (values: readonly string[]) => [...new Set(values)]

/**
 * Returns, for each breakdown value ('null' for none), a row per cohort: its people, and how many of them returned
 * after each number of intervals.
 */
export const retentionOf = (
  all: readonly SeenEvent[],
  { type, target, returning, interval, isCumulative, width, zone, from, to, breakdown, limit }: ReferenceRetention,
): Record<string, number[][]> => {
  const begins: string[] = []
  for (let day = intervalOf(interval, from); day <= to; day = nextDay(day))
    if (!begins.includes(intervalOf(interval, day))) begins.push(intervalOf(interval, day))
  const intervals = [...begins]
  for (let day = to; intervals.length < begins.length + width - 1; day = nextDay(day))
    if (!intervals.includes(intervalOf(interval, day))) intervals.push(intervalOf(interval, day))

  const days = new Map(all.map((each) => [each, dayIn(zone, each.at)]))
  const placeOf = (each: SeenEvent) => intervals.indexOf(intervalOf(interval, days.get(each)!))
  const isInRange = (each: SeenEvent) => days.get(each)! >= from && days.get(each)! <= to
  const isNamed = (each: SeenEvent) => each.event === target.event
  const isTarget = (each: SeenEvent) =>
    isNamed(each) && (target.plan === undefined || each.properties.plan === target.plan)
  const isReturn = (each: SeenEvent) =>
    (returning.event === null || each.event === returning.event) && days.get(each)! >= from
  const valueOf = (each: SeenEvent) => breakdownValue(each, breakdown)

  // Sorting is stable: simultaneous events remain in the order of their ids.
  const sorted = [...all].sort((a, b) => a.at - b.at)
  const people = distinct(sorted.map(({ person }) => person))
  const beginningsOf = (person: string): SeenEvent[] => {
    const mine = sorted.filter((each) => each.person === person)
    if (type === 'retention_recurring') return mine.filter((each) => isTarget(each) && isInRange(each))
    const first = mine.find(
      (each) => days.get(each)! <= to && (type === 'retention_first_time' ? isTarget(each) : isNamed(each)),
    )
    return first && isTarget(first) && isInRange(first) ? [first] : []
  }

  const memberships = distinct(
    people.flatMap((person) =>
      beginningsOf(person).map((each) => JSON.stringify([valueOf(each), person, placeOf(each)])),
    ),
  )
  const keyText = (value: string) => (value === 'null' ? '[null]' : JSON.stringify([value]))
  const countOf = (value: string) => memberships.filter((each) => JSON.parse(each)[0] === value).length
  const values = distinct(memberships.map((each) => JSON.parse(each)[0]))
  const shown = [...values]
    .sort((a, b) => countOf(b) - countOf(a) || (keyText(a) < keyText(b) ? -1 : 1))
    .slice(0, limit)
  const shownOf = (each: SeenEvent) =>
    breakdown === undefined || shown.includes(valueOf(each)) ? valueOf(each) : 'Other'

  const cell = (value: string, cohort: number, distance: number) =>
    people.filter((person) => {
      if (!beginningsOf(person).some((each) => shownOf(each) === value && placeOf(each) === cohort)) return false
      if (distance === 0) return true
      return all.some((each) => {
        const gap = placeOf(each) - cohort
        return (
          each.person === person &&
          isReturn(each) &&
          placeOf(each) >= 0 &&
          (isCumulative ? gap >= distance && gap < width : gap === distance)
        )
      })
    }).length
  const lines =
    breakdown === undefined ? ['null'] : distinct(values.map((value) => (shown.includes(value) ? value : 'Other')))
  return Object.fromEntries(
    lines.map((value) => [
      value,
      begins.map((_, cohort) => Array.from({ length: width }, (__, distance) => cell(value, cohort, distance))),
    ]),
  )
}
