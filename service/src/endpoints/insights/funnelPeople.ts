import { call, infix, name, type SelectSql, type Sql, text } from '../../sql/catalog/physical.ts'
import { keyOf, missingKeyOf, OTHER } from './breakdown.ts'
import { type FilterContext, type FilterGroup, passes } from './filters.ts'
import { hasProperties, isNamed } from './nodes.ts'
import type { Period } from './period.ts'
import { column, element, from, lambda, number, part } from './select.ts'
import { breakdownLimitOf, breakdownsOf, type Node, type SharedQuery } from './shared.ts'
import { actorOf, bound, createSource, every, isWithin, not, type Reading, some } from './source.ts'

export interface Exclusion extends Node {
  /** Between these two steps, from 0. */
  readonly funnelFromStep: number
  readonly funnelToStep: number
}

/** A funnel over the events of a period. */
export interface FunnelPlan {
  readonly query: SharedQuery & { readonly aggregation_group_type_index?: number | null }
  readonly order: 'ordered' | 'strict' | 'unordered'
  readonly steps: readonly Node[]
  readonly exclusions: readonly Exclusion[]
  readonly windowMs: number
  readonly attribution: 'first_touch' | 'last_touch' | 'all_events' | 'step'
  /** With the attribution `step`: the step whose event has the breakdown value, from 0. */
  readonly attributionStep: number
  readonly period: Period
  /** Starts of intervals: a person counts once in each in which they start. Absent: once in all. */
  readonly buckets?: readonly number[]
  readonly filters: FilterGroup
  readonly context: FilterContext
  readonly reading: Reading
}

const isBit = (mask: Sql, bit: number): Sql => infix(call('bitTest', mask, number(bit)), '=', number(1))
const isByValue = ({ attribution, query }: FunnelPlan) => attribution === 'all_events' && breakdownsOf(query).length > 0

// One row per event: the steps and exclusions that it matches as the bits of `mask`, and the first step that it matches, 0 for none.
const eventRows = (plan: FunnelPlan): SelectSql => {
  const source = createSource(plan.reading)
  const actor = actorOf(source, plan.query.aggregation_group_type_index)
  const tests = [...plan.steps, ...plan.exclusions].map((node) =>
    every([isNamed(source, node), hasProperties(source, node, plan.context)]),
  )
  const bits = tests.map((test, bit) => call('if', test, number(2 ** bit), number(0)))
  const step = call('multiIf', ...plan.steps.flatMap((_, index) => [tests[index]!, number(index + 1)]), number(0))
  // A strict funnel is interrupted by any event.
  const where = every([
    ...actor.isThere,
    ...isWithin(source, plan.period),
    passes(source, plan.filters, plan.context),
    ...(plan.order === 'strict' ? [] : [some(tests)]),
  ])
  return {
    kind: 'select',
    items: [
      column(actor.id, 'person'),
      column(source.instant, 'instant'),
      column(call('toUInt128', source.uuid), 'uuid'),
      column(keyOf(source, plan.query), 'key'),
      column(
        call('toUInt64', {
          kind: 'infix',
          first: bits[0]!,
          rest: bits.slice(1).map((right) => ({ operator: '+', right })),
        }),
        'mask',
      ),
      column(step, 'step'),
    ],
    from: source.from(),
    where,
  }
}

// One row per person who can start, or per person and value: their events in order. Events of the same ms: those
// without a step first, then by step.
const personRows = (plan: FunnelPlan): SelectSql => {
  const row = (of: string) => name('e', of)
  const groupBy = [row('person'), ...(isByValue(plan) ? [row('key')] : [])]
  const events = call(
    'arraySort',
    call('groupArray', call('tuple', row('instant'), row('step'), row('mask'), row('uuid'), row('key'))),
  )
  const isStart = plan.order === 'unordered' ? infix(row('step'), '>', number(0)) : isBit(row('mask'), 0)
  return {
    kind: 'select',
    items: [column(row('person'), 'person'), column(events, 'events')],
    from: from(eventRows(plan), 'e'),
    groupBy,
    having: infix(call('countIf', isStart), '>', number(0)),
  }
}

const personKey = (plan: FunnelPlan, steps: Sql, keys: Sql): Sql => {
  const missing = text(missingKeyOf(plan.query))
  if (!breakdownsOf(plan.query).length || plan.attribution === 'step') return missing
  if (plan.attribution === 'all_events') return element(keys, 1)
  const touched = call(
    plan.attribution === 'first_touch' ? 'arrayFirst' : 'arrayLast',
    lambda(['k', 's'], every([infix(name('s'), '>', number(0)), infix(name('k'), '!=', missing)])),
    keys,
    steps,
  )
  return call('if', call('empty', touched), missing, touched)
}

const NEVER = Number.MAX_SAFE_INTEGER

// For each event: the instant and position of the next event that an exclusion matches.
const nextExclusion = (bit: number, times: Sql, places: Sql, masks: Sql): Sql => {
  const never = call('tuple', bound('Int64', NEVER), call('toUInt32', number(0)))
  const isExclusion = isBit(name('m'), bit)
  const own = call(
    'arrayMap',
    lambda(['t', 'i', 'm'], call('if', isExclusion, call('tuple', name('t'), name('i')), never)),
    times,
    places,
    masks,
  )
  return call(
    'arrayPushBack',
    call('arrayPopFront', call('arrayReverseFill', lambda(['x', 'm'], isExclusion), own, masks)),
    never,
  )
}

const POINT = { instant: 1, place: 2, key: 3, firstExclusion: 4 } as const

// Each event as a point of a chain: (instant, position, key, next exclusions).
const pointRows = (plan: FunnelPlan): SelectSql => {
  const events = name('p', 'events')
  const [times, steps, masks, keys] = [part(events, 1), part(events, 2), part(events, 3), part(events, 5)]
  const places = call('arrayEnumerate', events)
  const exclusions = plan.exclusions.map((_, index) => nextExclusion(plan.steps.length + index, times, places, masks))
  return {
    kind: 'select',
    items: [
      column(name('p', 'person'), 'person'),
      column(personKey(plan, steps, keys), 'key'),
      column(call('arrayZip', times, places, keys, ...exclusions), 'points'),
      column(masks, 'masks'),
      column(steps, 'steps'),
    ],
    from: from(personRows(plan), 'p'),
  }
}

const ofRow = (of: string) => name('q', of)
const [POINTS, MASKS] = [ofRow('points'), ofRow('masks')]
const NOTHING = call('array')
// For each event an empty list of points.
const NONES = call('arrayMap', lambda(['p'], call('arrayPopBack', call('array', name('p')))), POINTS)

// The chains that begin with each event of a step, given the chains that may follow each event.
const begun = (bit: number, rests: Sql): Sql =>
  call(
    'arrayMap',
    lambda(['p', 'r', 'm'], call('if', isBit(name('m'), bit), call('arrayPushFront', name('r'), name('p')), NOTHING)),
    POINTS,
    rests,
    MASKS,
  )

// The chains that begin at or after each event: for an event without the step, those of the next event; in a strict
// funnel only while the previous step is repeated.
const filled = (bit: number, lists: Sql, { order }: FunnelPlan): Sql => {
  const stays =
    order === 'strict' ? some([isBit(name('m'), bit), not(isBit(name('m'), bit - 1))]) : isBit(name('m'), bit)
  return call('arrayReverseFill', lambda(['c', 'm'], stays), lists, MASKS)
}

// From the last step backwards, each in its own select: the engine would take seconds to parse twenty of them nested in one expression.
const restRows = (plan: FunnelPlan): SelectSql => {
  const kept = [
    column(ofRow('person'), 'person'),
    column(ofRow('key'), 'key'),
    column(POINTS, 'points'),
    column(MASKS, 'masks'),
  ]
  const last: SelectSql = { kind: 'select', items: [...kept, column(NONES, 'rests')], from: from(pointRows(plan), 'q') }
  const later = plan.steps.slice(1).map((_, index) => index + 1)
  return later.reduceRight<SelectSql>((rows, bit) => {
    const rests = call('arrayShiftLeft', filled(bit, begun(bit, ofRow('rests')), plan), number(1))
    return { kind: 'select', items: [...kept, column(rests, 'rests')], from: from(rows, 'q') }
  }, last)
}

const anyOrder = (plan: FunnelPlan): Sql => {
  const lists = plan.steps.map((_, index) => filled(index, begun(index, NONES), plan))
  const names = lists.map((_, index) => `c${index}`)
  const all = call('arraySort', call('arrayConcat', ...names.map((each) => name(each))))
  return call(
    'arrayMap',
    lambda(['s', ...names], call('if', infix(name('s'), '>', number(0)), all, NOTHING)),
    ofRow('steps'),
    ...lists,
  )
}

/**
 * For each event that can start: how the funnel continues from it, regardless of time, as a list of points. Computed in passes over whole
 * lists: a lambda that indexes another list would copy that list for each event.
 */
const chainRows = (plan: FunnelPlan): SelectSql => {
  const isUnordered = plan.order === 'unordered'
  const chains = isUnordered ? anyOrder(plan) : begun(0, ofRow('rests'))
  return {
    kind: 'select',
    items: [
      column(ofRow('person'), 'person'),
      column(ofRow('key'), 'key'),
      column(call('arrayFilter', lambda(['c'], call('notEmpty', name('c'))), chains), 'chains'),
    ],
    from: from(isUnordered ? pointRows(plan) : restRows(plan), 'q'),
  }
}

const startRows = (plan: FunnelPlan): SelectSql => ({
  kind: 'select',
  items: [
    column(name('c', 'person'), 'person'),
    column(name('c', 'key'), 'key'),
    column(name('chain'), 'chain'),
    column(part(element(name('chain'), 1), POINT.instant), 'start'),
  ],
  from: from(chainRows(plan), 'c'),
  arrayJoin: { isLeft: false, items: [column(name('c', 'chains'), 'chain')] },
})

const reachedRows = (plan: FunnelPlan): SelectSql => {
  const row = (of: string) => name('s', of)
  const isInTime = infix(infix(part(name('x'), POINT.instant), '-', row('start')), '<=', bound('Int64', plan.windowMs))
  return {
    kind: 'select',
    items: [
      column(row('person'), 'person'),
      column(row('key'), 'key'),
      column(row('start'), 'start'),
      column(call('arrayFilter', lambda(['x'], isInTime), row('chain')), 'chain'),
      column(plan.buckets ? call('roundDown', row('start'), bound('Array(Int64)', plan.buckets)) : number(0), 'bucket'),
    ],
    from: from(startRows(plan), 's'),
  }
}

// Prefers the longest chain, then the one completed first, then the one begun last. Other ties give the same result.
const bestOf = (list: Sql, instantOf: (place: Sql) => Sql): Sql => {
  const length = call('length', list)
  return call(
    'argMin',
    list,
    call(
      'tuple',
      call('negate', length),
      instantOf(call('arrayElement', list, length)),
      call('negate', instantOf(element(list, 1))),
      list,
    ),
  )
}

const bestRows = (plan: FunnelPlan): SelectSql => {
  const row = (of: string) => name('r', of)
  return {
    kind: 'select',
    items: [
      column(row('key'), 'key'),
      column(row('person'), 'person'),
      column(row('bucket'), 'bucket'),
      column(
        bestOf(row('chain'), (point) => part(point, POINT.instant)),
        'chain',
      ),
    ],
    from: from(reachedRows(plan), 'r'),
    groupBy: [row('person'), row('key'), row('bucket')],
  }
}

// Whether an exclusion comes after the event of its first step and before that of its last step, or within the window
// if that was not reached.
const isExcluded = (
  chain: Sql,
  { funnelFromStep, funnelToStep }: Exclusion,
  index: number,
  { windowMs }: FunnelPlan,
): Sql => {
  const reaches = (step: number) => infix(call('length', chain), '>', number(step))
  const exclusion = part(element(chain, funnelFromStep + 1), POINT.firstExclusion + index)
  const end = element(chain, funnelToStep + 1)
  const isBefore = infix(exclusion, '<', call('tuple', part(end, POINT.instant), part(end, POINT.place)))
  const isInTime = infix(
    infix(part(exclusion, 1), '-', part(element(chain, 1), POINT.instant)),
    '<=',
    bound('Int64', windowMs),
  )
  return every([reaches(funnelFromStep), call('if', reaches(funnelToStep), isBefore, isInTime)])
}

const countedRows = (plan: FunnelPlan): SelectSql => {
  const chain = name('b', 'chain')
  const isByStep = plan.attribution === 'step' && breakdownsOf(plan.query).length > 0
  const { attributionStep } = plan
  const stepKey = call(
    'if',
    infix(call('length', chain), '>', number(attributionStep)),
    part(element(chain, attributionStep + 1), POINT.key),
    text(missingKeyOf(plan.query)),
  )
  return {
    kind: 'select',
    items: [
      column(name('b', 'person'), 'person'),
      column(name('b', 'bucket'), 'bucket'),
      column(isByStep ? stepKey : name('b', 'key'), 'key'),
      column(part(chain, POINT.instant), 'times'),
    ],
    from: from(bestRows(plan), 'b'),
    where: not(some(plan.exclusions.map((each, index) => isExcluded(chain, each, index, plan)))),
  }
}

// The counted people, with `OTHER` as the key of values beyond the limit. A window function ranks the values, so that the
// people are computed only once.
const shownRows = (plan: FunnelPlan): SelectSql => {
  const row = (of: string) => name('n', of)
  const kept = [column(row('person'), 'person'), column(row('bucket'), 'bucket'), column(row('times'), 'times')]
  const size: Sql = { kind: 'call', name: 'count', args: [], over: { partitionBy: [row('key')], orderBy: [] } }
  const sized: SelectSql = {
    kind: 'select',
    items: [...kept, column(row('key'), 'key'), column(size, 'size')],
    from: from(countedRows(plan), 'n'),
  }
  const orderBy = [
    { by: row('size'), isDescending: true },
    { by: row('key'), isDescending: false },
  ]
  const rank: Sql = { kind: 'call', name: 'dense_rank', args: [], over: { partitionBy: [], orderBy } }
  const ranked: SelectSql = {
    kind: 'select',
    items: [...kept, column(row('key'), 'key'), column(rank, 'rank')],
    from: from(sized, 'n'),
  }
  const isShown = infix(row('rank'), '<=', bound('UInt64', breakdownLimitOf(plan.query)))
  return {
    kind: 'select',
    items: [...kept, column(call('if', isShown, row('key'), text(OTHER)), 'key')],
    from: from(ranked, 'n'),
  }
}

/**
 * Returns the people of a funnel, one row per person, or per person and bucket: `person`, `key` (of the breakdown),
 * `bucket`, and `times`, the instants at which they reached the steps in order.
 */
export const peopleOf = (plan: FunnelPlan): SelectSql => {
  const shown = breakdownsOf(plan.query).length ? shownRows(plan) : countedRows(plan)
  if (!isByValue(plan)) return shown
  // A person with several values under "Other" counts once.
  const merged = (of: string) => name('m', of)
  return {
    kind: 'select',
    items: [
      column(merged('person'), 'person'),
      column(merged('bucket'), 'bucket'),
      column(merged('key'), 'key'),
      column(
        bestOf(merged('times'), (time) => time),
        'times',
      ),
    ],
    from: from(shown, 'm'),
    groupBy: [merged('person'), merged('bucket'), merged('key')],
  }
}
