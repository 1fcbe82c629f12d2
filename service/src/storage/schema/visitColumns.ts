// The expressions of migrations 11 and 12. Like the migrations, they never change after their release. An event's row has
// their values from when it is stored, because reading them from `properties` takes most of the time of web analytics.
// Ingest sends the values (`ingest/visitValues.ts`), because planning the expressions takes more than a third of a small
// insert. The engine computes those that are not sent.

const string = (property: string) => `CAST(properties.\`${property}\`, 'Nullable(String)')`

/** A property as the compiler reads it: arrays and objects as JSON. */
const fullString = (property: string) =>
  `if(isNotNull(${string(property)}),
    if(startsWith(${string(property)}, '[') AND startsWith(dynamicType(properties.\`${property}\`), 'Array'),
      toJSONString(properties.\`${property}\`), ${string(property)}),
    nullIf(toJSONString(properties.^\`${property}\`), '{}'))`

/** A property as a finite number, otherwise NaN. */
const finite = (property: string) => {
  const number = `toFloat64OrNull(${string(property)})`
  return `if(isFinite(ifNull(${number}, nan)), assumeNotNull(${number}), nan)`
}

const REPEATS_ARRIVAL = 'isNotNull(properties.`$session_entry_url`)'

const namesOfArrival = (nameOf: (property: string) => string) => ({
  source: nameOf('utm_source'),
  medium: nameOf('utm_medium'),
  campaign: nameOf('utm_campaign'),
  domain: nameOf('$referring_domain'),
  host: nameOf('$host'),
  // Properties that only links of advertisements contain: those of search engines, and others.
  searchClickIds: ['gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'gad_source', 'msclkid'].map(nameOf),
  otherClickIds: ['twclid', 'ttclid', 'li_fat_id', 'rdt_cid', 'epik', 'qclid', 'sccid', 'irclid'].map(nameOf),
})

/** Names of the properties that tell how a visitor arrived. */
export type ArrivalNames = ReturnType<typeof namesOfArrival>

/** Names of an event's own properties. */
export const OWN_ARRIVAL = namesOfArrival((property) => property)

/** Names of the properties in which an event repeats how its session began. */
export const REPEATED_ARRIVAL = namesOfArrival((property) => `$session_entry_${property.replace('$', '')}`)

/** Origin of a visitor, as JSON. */
const arrivalJson = ({ source, medium, campaign, domain, host, searchClickIds, otherClickIds }: ArrivalNames) => {
  const firstOf = (names: readonly string[]) => `coalesce(${names.map(string).join(', ')}, '')`
  // Most events have no click id. Whether a property exists is known much sooner than its value.
  const hasAny = (ids: readonly string[]) =>
    `if(${ids.map((id) => `isNotNull(properties.\`${id}\`)`).join(' OR ')}, notEmpty(${firstOf(ids)}), 0)`
  // A visitor who continues on the site after a pause has the site itself as referrer.
  const from = `coalesce(${string(source)}, if(ifNull(${string(domain)} = ${string(host)}, false), '$direct', ${string(domain)}), '')`
  return `toJSONString(tuple(${from}, ${firstOf([medium])}, ${firstOf([campaign])}, ${hasAny(searchClickIds)}, ${hasAny(otherClickIds)}))`
}

/** Type and value of each column of `db.events` that describes a visit. */
export const VISIT_COLUMNS = [
  // Whether the event repeats how its session began, in properties named `$session_entry_…`.
  ['repeats_arrival', 'Bool', REPEATS_ARRIVAL],
  // Origin of the session's visitor, according to this event: [source, medium, campaign, has a click id of search engines, has another
  // click id].
  [
    'arrival',
    'LowCardinality(String)',
    `if(${REPEATS_ARRIVAL}, ${arrivalJson(REPEATED_ARRIVAL)}, ${arrivalJson(OWN_ARRIVAL)})`,
  ],
  [
    'entry_pathname',
    'LowCardinality(Nullable(String))',
    `if(${REPEATS_ARRIVAL}, ${string('$session_entry_pathname')}, ${string('$pathname')})`,
  ],
  ['pathname', 'LowCardinality(Nullable(String))', fullString('$pathname')],
  // The page before this one: its path, seconds on it and the share of it that was seen.
  ['prev_pathname', 'LowCardinality(Nullable(String))', string('$prev_pageview_pathname')],
  ['prev_seconds', 'Float64', finite('$prev_pageview_duration')],
  ['prev_seen', 'Float64', finite('$prev_pageview_max_content_percentage')],
] as const satisfies readonly (readonly [name: string, type: string, value: string])[]

/** Name of a column that describes a visit. */
export type VisitColumn = (typeof VISIT_COLUMNS)[number][0]
