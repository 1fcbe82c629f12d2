/**
 * What is asked: as an endpoint's query, and the same as somebody would write it for ClickHouse who knows these events. Both
 * take `event` and `since`, and answer the same rows.
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
    // Whole numbers: the last digits of a sum of fractions depend on the order in which they are added.
    name: 'items_by_plan',
    endpoint:
      'SELECT properties.plan AS plan, sum(toInt(properties.items)) AS items FROM events WHERE event = {variables.event} AND timestamp >= {variables.since} GROUP BY plan ORDER BY plan',
    byHand: `SELECT properties.plan::Nullable(String) AS plan, sum(toInt64OrNull(properties.items::Nullable(String))) AS items FROM db.events
      WHERE project_id = 1 AND event = {event:String} AND timestamp >= parseDateTime64BestEffort({since:String}, 3, 'UTC') GROUP BY plan ORDER BY plan`,
  },
]

/** Of the variables: a tenth of the events, and a time that is another one each time, so that no answer is kept from the run before. */
export const variablesOf = (turn) => ({
  event: 'purchase',
  since: new Date(Date.UTC(2026, 0, 5) + turn * 7_919).toISOString(),
})
