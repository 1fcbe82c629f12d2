const CHUNKS_OF_SESSION = 40
const INSERTED_AT_ONCE = 500_000
const POINTS_OF_ROW = 20
const MERGES_WAIT_MS = 600_000

/** Inserts chunks `from` to `to`: sessions of 40 chunks of five seconds, evenly over the last 30 days, 5 sessions a visitor. */
const insertChunks = (from, to) => `INSERT INTO db.recording_chunks
  (project_id, session_id, window_id, seq, part, distinct_id, first_at, last_at, is_anchor, is_last_part, events, clicks,
    keypresses, console_errors, active_slots, urls, policy, bytes, payload, expires_on)
  WITH intDiv(number, ${CHUNKS_OF_SESSION}) AS s, number % ${CHUNKS_OF_SESSION} AS n, cityHash64(s) AS hash,
    now64(3, 'UTC') - toIntervalMillisecond(hash % (30 * 86400000)) AS started
  SELECT 1, concat(lower(leftPad(hex(toUnixTimestamp64Milli(started)), 12, '0')), '-7', lower(hex(hash))),
    concat('w', toString(hash)), n, 0, concat('visitor-', toString(s % {people:UInt64})),
    started + toIntervalSecond(n * 5), started + toIntervalSecond(n * 5 + 5), n = 0, 1, 50, hash % 3, hash % 7,
    if(hash % 20 = 0 AND n = 3, 1, 0), [toUnixTimestamp(started) DIV 5 + n],
    [concat('https://shop.example/products/', toString(hash % 300 + intDiv(n, 10)))], 'default', 20000,
    '{"type":3}', toDate(started) + 30
  FROM numbers(${from}, ${to - from})`

const insertSessions = `INSERT INTO db.recording_sessions
  SELECT project_id, session_id, groupUniqArray(distinct_id), min(first_at), max(last_at), max(console_errors > 0),
    groupUniqArrayArray(urls), expires_on
  FROM db.recording_chunks GROUP BY project_id, session_id, expires_on`

/** Inserts points of clicks on one page, at most 20 a row. */
const insertPoints = (rows) => `INSERT INTO db.heatmaps
  (project_id, url, type, timestamp, uuid, part, distinct_id, view, viewport_width, viewport_height, page_height, x, y, fixed,
    element, element_x, element_y)
  SELECT 1, 'https://shop.example/', 'click', now64(3, 'UTC') - toIntervalSecond(cityHash64(number) % (7 * 86400)),
    generateUUIDv7(), 0, concat('visitor-', toString(number % 10000)), toString(number), 1280 + number % 5 * 100, 800, 4000,
    arrayMap(at -> toInt32(cityHash64(number, at) % 1280), range(${POINTS_OF_ROW})),
    arrayMap(at -> toInt32(cityHash64(number, at, 1) % 4000), range(${POINTS_OF_ROW})),
    arrayMap(at -> toUInt8(0), range(${POINTS_OF_ROW})),
    arrayMap(at -> concat('button.n', toString(cityHash64(number, at, 2) % 50)), range(${POINTS_OF_ROW})),
    arrayMap(at -> toFloat32(0.5), range(${POINTS_OF_ROW})), arrayMap(at -> toFloat32(0.5), range(${POINTS_OF_ROW}))
  FROM numbers(${rows})`

/** Inserts directly into the empty engine, bypassing the service, and waits until it has merged the parts. */
export const generate = async (engine, { chunks, points, say }) => {
  const people = Math.ceil(chunks / CHUNKS_OF_SESSION / 5)
  for (let from = 0; from < chunks; from += INSERTED_AT_ONCE) {
    const to = Math.min(chunks, from + INSERTED_AT_ONCE)
    await engine.ask(insertChunks(from, to), { people })
    say(`${to.toLocaleString('en')} chunks`)
  }
  await engine.ask(insertSessions)
  await engine.ask(insertPoints(Math.ceil(points / POINTS_OF_ROW)))
  const deadline = Date.now() + MERGES_WAIT_MS
  while (Date.now() < deadline && Number((await engine.ask('SELECT count() FROM system.merges'))[0][0]))
    await new Promise((done) => setTimeout(done, 500))
}
