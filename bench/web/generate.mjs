const CHUNK = 500_000
const MERGES_WAIT_MS = 600_000

/** Days that the events cover: a period of 30 days and the previous one. */
export const DAYS = 60

/**
 * Inserts events `from` to `to`: sessions of eight events over the last 60 days, 2.4 sessions a visitor, 25 properties,
 * among them how the session began, as the SDK repeats it on each event. One visitor in ten has been merged.
 */
const insertEvents = (from, to) => `INSERT INTO db.events
  (project_id, uuid, event, distinct_id, timestamp, properties, elements_chain, \`$session_id\`, inserted_at)
  WITH cityHash64(s, 7) AS hs, cityHash64(n, 8) AS hn, concat('/products/', toString(hn % 300)) AS path,
    ['$direct', 'www.google.com', 'news.example', 't.co', 'shop.example'][1 + hs % 5] AS referrer,
    ['', 'newsletter', 'ads', ''][1 + intDiv(hs, 7) % 4] AS source
  SELECT 1, generateUUIDv7(),
    ['$pageview', '$pageview', '$autocapture', '$pageview', '$autocapture', 'added', '$pageleave', '$pageview'][1 + n % 8],
    concat('visitor-', toString(hs % {people:UInt64})),
    now64(3, 'UTC') - toIntervalMillisecond(hs % ${DAYS * 86_400_000}) + toIntervalSecond((n % 8) * (1 + hs % 90)),
    concat('{"$pathname":"', path, '","$current_url":"https://shop.example', path, '","$host":"shop.example","$referring_domain":"', referrer,
      '","$referrer":"https://', referrer, '/","$browser":"', ['Chrome', 'Safari', 'Firefox'][1 + hs % 3], '","$browser_version":"', toString(100 + hs % 40),
      '","$os":"', ['Mac OS X', 'Windows', 'Linux', 'iOS', 'Android'][1 + hs % 5], '","$device_type":"', ['Desktop', 'Mobile', 'Tablet'][1 + hs % 3],
      '","$viewport_width":', toString(400 + hs % 9 * 200), ',"$viewport_height":', toString(600 + hs % 5 * 100), ',"$screen_width":1920,"$screen_height":1080',
      ',"$timezone":"Europe/Berlin","$browser_language":"', ['de', 'en-US', 'fr'][1 + hs % 3], '","$geoip_country_code":"', ['DE', 'US', 'FR', 'GB'][1 + hs % 4],
      '","$lib":"web","$lib_version":"2.0.0","title":"Product","$insert_id":"', toString(hn),
      '","$session_entry_url":"https://shop.example/products/', toString(hs % 300), '","$session_entry_pathname":"/products/', toString(hs % 300),
      '","$session_entry_host":"shop.example","$session_entry_referring_domain":"', referrer, '"',
      if(source = '', '', concat(',"$session_entry_utm_source":"', source, '","utm_source":"', source, '"')),
      if(n % 8 IN (1, 3, 6, 7), concat(',"$prev_pageview_pathname":"/products/', toString(cityHash64(n - 1, 8) % 300), '","$prev_pageview_duration":', toString(hn % 4000),
        ',"$prev_pageview_max_content_percentage":', toString(hn % 101 / 100)), ''), '}'),
    '', hex(hs), now64(3, 'UTC')
  FROM (SELECT number AS n, intDiv(number, 8) AS s FROM system.numbers LIMIT ${to - from} OFFSET ${from})`

const insertMerges = `INSERT INTO db.person_distinct_ids (project_id, distinct_id, person, is_identified, version)
  SELECT 1, concat('visitor-', toString(number * 10)), concat('visitor-', toString(number * 10 + 1)), 1, 1
  FROM numbers(intDiv({people:UInt64}, 10))`

/** Inserts `rows` events directly into the empty engine, bypassing the service, and waits until it has merged their parts. */
export const generate = async (engine, { from, rows, say }) => {
  const people = Math.round(rows / 19)
  for (let next = from; next < rows; next += CHUNK) {
    await engine.ask(insertEvents(next, Math.min(rows, next + CHUNK)), { people })
    say(`${Math.min(rows, next + CHUNK).toLocaleString('en')} events`)
  }
  await engine.ask(insertMerges, { people })
  const deadline = Date.now() + MERGES_WAIT_MS
  while (Date.now() < deadline && Number((await engine.ask('SELECT count() FROM system.merges'))[0][0]))
    await new Promise((done) => setTimeout(done, 500))
}
