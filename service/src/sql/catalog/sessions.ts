import { channelOf, CLICK_IDS } from './channel.ts'
import { createItems, type DerivedOptions, type DerivedRows, item, nullable } from './derivedRows.ts'
import { guarded } from './guard.ts'
import { call, infix, name, type Sql, text } from './physical.ts'
import { EVENTS } from './tables.ts'
import { value, type Value } from './value.ts'

const number = (digits: number): Sql => ({ kind: 'number', digits: String(digits) })

const EVENT_COUNTS: Readonly<Record<string, string>> = {
  $pageview_count: '$pageview',
  $screen_count: '$screen',
  $autocapture_count: '$autocapture',
}

const ENTRY_PROPERTIES: Readonly<Record<string, string>> = {
  $entry_current_url: '$current_url',
  $entry_pathname: '$pathname',
  $entry_referring_domain: '$referring_domain',
  $entry_utm_source: 'utm_source',
  $entry_utm_medium: 'utm_medium',
  $entry_utm_campaign: 'utm_campaign',
  $entry_utm_term: 'utm_term',
  $entry_utm_content: 'utm_content',
}

const EXIT_PROPERTIES: Readonly<Record<string, string>> = {
  $exit_current_url: '$current_url',
  $exit_pathname: '$pathname',
}

/** Names under which SDKs repeat on every event how its session began, where they are not `$session_entry_` and the property. */
const REPEATED_AS: Readonly<Record<string, string>> = {
  $current_url: '$session_entry_url',
  $pathname: '$session_entry_pathname',
  $referring_domain: '$session_entry_referring_domain',
  $host: '$session_entry_host',
}

/** A session shorter than this, with one view or click, is a bounce. */
export const BOUNCE_SECONDS = 10

/** The events that open a page or a screen. */
export const VIEWS = ['$pageview', '$screen'] as const

/** The events of which a bounce has exactly one. */
export const INTERACTIONS = [...VIEWS, '$autocapture'] as const

/** The referring domain of a visit without a referrer. */
export const DIRECT = '$direct'

export const isAnyOf = (event: Sql, names: readonly string[]): Sql => ({
  kind: 'in',
  isNot: false,
  left: event,
  right: call('tuple', ...names.map(text)),
})

/** A property of stored events as a nullable string; nested values have none. */
const propertyOf = (property: string): Sql =>
  call('CAST', { kind: 'subColumn', of: name('properties'), path: [property] }, text('Nullable(String)'))

/**
 * A property of a session's arrival, according to one stored event: what the SDK repeats on every event of the session
 * (`$session_entry_…`), otherwise the event's own property.
 */
const arrivalProperty = (property: string): Sql =>
  call(
    'if',
    call('isNotNull', propertyOf('$session_entry_url')),
    propertyOf(REPEATED_AS[property] ?? `$session_entry_${property}`),
    propertyOf(property),
  )

// A visitor who continues on the site after a pause has the site itself as referrer.
const referringDomain = (): Sql => {
  const [domain, host] = [arrivalProperty('$referring_domain'), arrivalProperty('$host')]
  return call('if', call('ifNull', infix(domain, '=', host), { kind: 'boolean', value: false }), text(DIRECT), domain)
}

const readArrival = (property: string): Sql =>
  property === '$referring_domain' ? referringDomain() : arrivalProperty(property)

const firstOf = (...properties: readonly string[]): Sql =>
  call('lower', call('coalesce', ...properties.map(readArrival), text('')))

/** How a session's visitor arrived, according to one stored event: source, medium, campaign, click ids of search engines and of others. */
export const arrivalTuple = (): Sql =>
  call(
    'tuple',
    firstOf('utm_source', '$referring_domain'),
    firstOf('utm_medium'),
    firstOf('utm_campaign'),
    firstOf(...CLICK_IDS.search),
    firstOf(...CLICK_IDS.other),
  )

/** The channel of an arrival, as `arrivalTuple` reads it. */
export const channelOfArrival = (arrival: Sql): Sql => {
  const part = (position: number): Sql => call('tupleElement', arrival, number(position))
  return channelOf({ source: part(1), medium: part(2), campaign: part(3), searchId: part(4), otherId: part(5) })
}

/** Sessions, made of the events that carry their id. */
export const sessions = ({ as, isJoined }: DerivedOptions): DerivedRows => {
  const { ask, all } = createItems(as)
  const read = new Map<string, Sql>()
  const row = (column: string) => name('__v', column)
  const [start, end] = [call('min', row('timestamp')), call('max', row('timestamp'))]
  const duration = call('dateDiff', text('second'), start, end)
  const made = (kind: Value['kind'], column: string, sql: Sql): Value =>
    value(kind, ask(column, nullable(isJoined, sql)), Boolean(isJoined))
  const readRow = (column: string, sql: Sql): Sql => {
    read.set(column, sql)
    return row(column)
  }
  const isView = isAnyOf(row('event'), VIEWS)
  // An event that repeats how its session began is the best source, then the first view, then the first event.
  const isRepeated = () => readRow('is repeated', call('isNotNull', propertyOf('$session_entry_url')))
  const atStart = () => call('tuple', call('not', isRepeated()), call('not', isView), row('timestamp'), row('uuid'))
  // In a tuple, because argMin skips rows whose value is NULL.
  const arrivalOf = (column: string, sql: Sql): Sql =>
    call('tupleElement', call('argMin', call('tuple', readRow(column, sql)), atStart()), number(1))
  const exitOf = (property: string): Sql => {
    const exit = readRow(`exit ${property}`, propertyOf(property))
    return call('argMaxIf', exit, call('tuple', isView, row('timestamp'), row('uuid')), call('isNotNull', exit))
  }
  const nullableProperty = (column: string, sql: Sql): Value => ({ ...made('property', column, sql), isNullable: true })
  const countOf = (...events: readonly string[]) => call('countIf', isAnyOf(row('event'), events))
  const interactions = countOf(...INTERACTIONS)
  const simple: Readonly<Record<string, () => Value>> = {
    session_id: () => made('text', 'session_id', row('$session_id')),
    distinct_id: () =>
      made('text', 'distinct_id', call('argMin', row('distinct_id'), call('tuple', row('timestamp'), row('uuid')))),
    $start_timestamp: () => made('time', '$start_timestamp', start),
    $end_timestamp: () => made('time', '$end_timestamp', end),
    $session_duration: () => made('number', '$session_duration', duration),
    $event_count: () => made('number', '$event_count', call('count')),
    $channel_type: () => made('text', '$channel_type', channelOfArrival(arrivalOf('arrival', arrivalTuple()))),
    // NULL for a session without a view or click, which shows nothing of how the visitor behaved.
    $is_bounce: () => ({
      ...made(
        'boolean',
        '$is_bounce',
        call(
          'if',
          infix(interactions, '=', number(0)),
          { kind: 'null' },
          call(
            'toBool',
            infix(infix(interactions, '=', number(1)), 'AND', infix(duration, '<', number(BOUNCE_SECONDS))),
          ),
        ),
      ),
      isNullable: true,
    }),
  }
  const column = (wanted: string): Value | undefined => {
    if (Object.hasOwn(EVENT_COUNTS, wanted)) return made('number', wanted, countOf(EVENT_COUNTS[wanted]!))
    if (Object.hasOwn(ENTRY_PROPERTIES, wanted))
      return nullableProperty(wanted, arrivalOf(wanted, readArrival(ENTRY_PROPERTIES[wanted]!)))
    if (Object.hasOwn(EXIT_PROPERTIES, wanted)) return nullableProperty(wanted, exitOf(EXIT_PROPERTIES[wanted]!))
    return simple[wanted]?.()
  }
  return {
    column,
    key: () => ask('key', row('$session_id')),
    toSql: () => {
      const stored = ['$session_id', 'event', 'distinct_id', 'timestamp', 'uuid'].map((each) => item(name(each), each))
      return {
        kind: 'named',
        name: as,
        query: {
          kind: 'select',
          items: all(),
          from: {
            kind: 'named',
            name: '__v',
            query: guarded(EVENTS, [...stored, ...[...read].map(([column, sql]) => item(sql, column))]),
          },
          where: infix(row('$session_id'), '!=', text('')),
          groupBy: [row('$session_id')],
        },
      }
    },
  }
}
