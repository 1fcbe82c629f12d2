/** The variables of the endpoints below, which read them as `{variables.<code_name>}`. */
export const VARIABLES = [
  { name: 'Shop since', code_name: 'shop_since', type: 'Date' },
  { name: 'Shop event', code_name: 'shop_event', type: 'String' },
  { name: 'Shop uuids', code_name: 'shop_uuids', type: 'String' },
]

/** Minutes covered by `activity`. */
export const ACTIVITY_MINUTES = 30

/** The shop's endpoints. The server creates them at start. */
export const ENDPOINTS = {
  topPages: {
    name: 'shop_top_pages',
    description: 'The pages seen most since a day that the visitor chooses.',
    sql: `SELECT properties.$pathname AS page, count() AS views, uniq(distinct_id) AS visitors
FROM events
WHERE event = '$pageview' AND timestamp >= {variables.shop_since}
GROUP BY page
ORDER BY views DESC, page
LIMIT 8`,
  },
  purchasesByDay: {
    name: 'shop_purchases_by_day',
    description: 'Purchases and what they came to, day by day, since a day that the visitor chooses.',
    sql: `SELECT toDate(timestamp) AS day, count() AS purchases, sum(toFloat(properties.amount)) AS revenue
FROM events
WHERE event = 'purchase' AND timestamp >= {variables.shop_since}
GROUP BY day
ORDER BY day`,
  },
  eventNames: {
    name: 'shop_event_names',
    description: 'Every event since a day that the visitor chooses, and how often it came.',
    sql: `SELECT event, count() AS times
FROM events
WHERE timestamp >= {variables.shop_since}
GROUP BY event
ORDER BY times DESC, event
LIMIT 40`,
  },
  activity: {
    name: 'shop_activity',
    description: 'One event, chosen by the visitor, minute by minute over the last half hour.',
    sql: `SELECT toStartOfMinute(timestamp) AS minute, count() AS times
FROM events
WHERE event = {variables.shop_event} AND timestamp >= now() - toIntervalMinute(${ACTIVITY_MINUTES})
GROUP BY minute
ORDER BY minute`,
  },
  stored: {
    name: 'shop_stored',
    description: 'Which of these events (comma-separated UUIDs) the service has stored.',
    sql: `SELECT toString(uuid) AS id
FROM events
WHERE has(splitByChar(',', {variables.shop_uuids}), toString(uuid)) AND timestamp >= now() - toIntervalHour(24)
LIMIT 100`,
  },
}
