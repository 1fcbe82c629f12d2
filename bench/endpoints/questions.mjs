/**
 * The measured queries: as the query of an endpoint, and hand-written for ClickHouse by someone who knows these events. Both
 * have the variables `event` and `since`, and return the same rows.
 */
export const QUESTIONS = [
  {
    name: 'events_by_day',
    endpoint:
      'SELECT toStartOfDay(timestamp) AS day, count() AS events FROM events WHERE event = {variables.event} AND timestamp >= {variables.since} GROUP BY day ORDER BY day',
    byHand: `SELECT toStartOfDay(timestamp) AS day, count() AS events FROM db.events
      WHERE project_id = 1 AND event = {event:String} AND timestamp >= parseDateTime64BestEffort({since:String}, 3, 'UTC') GROUP BY day ORDER BY day`,
  },
  {
    name: 'people_by_day',
    endpoint:
      'SELECT toStartOfDay(timestamp) AS day, uniq(distinct_id) AS people FROM events WHERE event = {variables.event} AND timestamp >= {variables.since} GROUP BY day ORDER BY day',
    byHand: `SELECT toStartOfDay(timestamp) AS day, uniq(distinct_id) AS people FROM db.events
      WHERE project_id = 1 AND event = {event:String} AND timestamp >= parseDateTime64BestEffort({since:String}, 3, 'UTC') GROUP BY day ORDER BY day`,
  },
  {
    // Integers, because the last digits of a sum of fractions depend on the order of addition.
    name: 'items_by_plan',
    endpoint:
      'SELECT properties.plan AS plan, sum(toInt(properties.items)) AS items FROM events WHERE event = {variables.event} AND timestamp >= {variables.since} GROUP BY plan ORDER BY plan',
    byHand: `SELECT properties.plan::Nullable(String) AS plan, sum(toInt64OrNull(properties.items::Nullable(String))) AS items FROM db.events
      WHERE project_id = 1 AND event = {event:String} AND timestamp >= parseDateTime64BestEffort({since:String}, 3, 'UTC') GROUP BY plan ORDER BY plan`,
  },
]

/** Returns the values of a run: a tenth of the events, and a different time for each turn, so that no result is cached. */
export const variablesOf = (turn) => ({
  event: 'purchase',
  since: new Date(Date.UTC(2026, 0, 5) + turn * 7_919).toISOString(),
})
