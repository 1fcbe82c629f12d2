// The expressions of migration 11. Like the migration, they never change after their release. An event's row has their
// values from when it is stored, because reading them from `properties` takes most of the time of web analytics.

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

// Properties that only links of advertisements contain: those of search engines, and others.
const SEARCH_CLICK_IDS = ['gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'gad_source', 'msclkid']
const OTHER_CLICK_IDS = ['twclid', 'ttclid', 'li_fat_id', 'rdt_cid', 'epik', 'qclid', 'sccid', 'irclid']

/** How a visitor arrived, as JSON, with the properties that `nameOf` returns. */
const arrivalJson = (nameOf: (property: string) => string) => {
  const firstOf = (properties: readonly string[]) =>
    `coalesce(${properties.map((property) => string(nameOf(property))).join(', ')}, '')`
  // Most events have no click id. Whether a property exists is known much sooner than its value.
  const hasAny = (ids: readonly string[]) =>
    `if(${ids.map((id) => `isNotNull(properties.\`${nameOf(id)}\`)`).join(' OR ')}, notEmpty(${firstOf(ids)}), 0)`
  const domain = string(nameOf('$referring_domain'))
  // A visitor who continues on the site after a pause has the site itself as referrer.
  const source = `coalesce(${string(nameOf('utm_source'))}, if(ifNull(${domain} = ${string(nameOf('$host'))}, false), '$direct', ${domain}), '')`
  return `toJSONString(tuple(${source}, ${firstOf(['utm_medium'])}, ${firstOf(['utm_campaign'])}, ${hasAny(SEARCH_CLICK_IDS)}, ${hasAny(OTHER_CLICK_IDS)}))`
}

const own = (property: string) => property
const repeated = (property: string) => `$session_entry_${property.replace('$', '')}`

/** Type and value of each column of `db.events` that describes a visit. */
export const VISIT_COLUMNS: readonly (readonly [name: string, type: string, value: string])[] = [
  // Whether the event repeats how its session began, in properties named `$session_entry_…`.
  ['repeats_arrival', 'Bool', REPEATS_ARRIVAL],
  // How the session's visitor arrived, according to this event: [source, medium, campaign, has a click id of search
  // engines, has another click id].
  ['arrival', 'LowCardinality(String)', `if(${REPEATS_ARRIVAL}, ${arrivalJson(repeated)}, ${arrivalJson(own)})`],
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
]
