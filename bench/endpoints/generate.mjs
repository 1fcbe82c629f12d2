// Enough rows per insert for large parts, few enough for the engine's memory.
const CHUNK = 500_000
const MERGES_WAIT_MS = 600_000

/** Returns the insert of events `from` to `to`: 90 days, 20 events per visitor, 10 per session, 8 properties. */
const insert = (
  from,
  to,
) => `INSERT INTO db.events (project_id, uuid, event, distinct_id, timestamp, properties, elements_chain, \`$session_id\`, inserted_at)
  SELECT
    1,
    generateUUIDv4(),
    ['$pageview', '$pageview', '$pageview', '$pageview', '$pageview', '$autocapture', '$autocapture', '$autocapture', 'signed up', 'purchase'][1 + h % 10],
    concat('visitor-', toString(cityHash64(intDiv(n, 20)))),
    toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalMillisecond(intDiv(h, 10) % 7776000000),
    concat('{"$browser":"', ['Chrome', 'Safari', 'Firefox'][1 + h % 3], '","$os":"', ['Mac OS X', 'Windows', 'Linux', 'iOS'][1 + h % 4],
      '","$pathname":"/products/', toString(h % 500), '","$current_url":"https://shop.example/products/', toString(h % 500),
      '","$referring_domain":"', ['$direct', 'google.com', 'news.example'][1 + h % 3], '","plan":"', ['free', 'pro', 'team', 'max'][1 + intDiv(h, 100) % 4],
      '","price":', toString(h % 20000 / 100), ',"items":', toString(1 + h % 5), '}'),
    '',
    hex(cityHash64(intDiv(n, 10), 1)),
    now64(3, 'UTC') - toIntervalDay(1)
  FROM (SELECT number AS n, cityHash64(number) AS h FROM system.numbers LIMIT ${to - from} OFFSET ${from})`

/**
 * Inserts generated events `from` to `to` directly into the engine, and waits until it has merged their parts. Their time
 * of insertion is yesterday, so a table that is materialized afterwards contains all of them.
 */
export const generate = async (engine, { from, to, say }) => {
  for (let next = from; next < to; next += CHUNK) {
    await engine.ask(insert(next, Math.min(to, next + CHUNK)))
    say(`${Math.min(to, next + CHUNK).toLocaleString('en')} events`)
  }
  const deadline = Date.now() + MERGES_WAIT_MS
  while (Date.now() < deadline && Number((await engine.ask('SELECT count() FROM system.merges'))[0][0]))
    await new Promise((done) => setTimeout(done, 500))
}
