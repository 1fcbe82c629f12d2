import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { api, event, request, rowsOf } from '../support/api.ts'
import { engineOf } from '../support/engine.ts'
import { toMmdb } from '../support/mmdb.ts'
import { type RunningService, runUntilEnd, startService, temporaryFolder } from '../support/startService.ts'

const folder = temporaryFolder()
const ranges = join(folder, 'ranges.csv')
writeFileSync(ranges, '203.0.113.0,203.0.113.255,DE\n198.51.100.0,198.51.100.255,FR\n2001:db8::,2001:db8::ffff,NL\n')

const cities = join(folder, 'cities.mmdb')
writeFileSync(cities, toMmdb({ '192.0.2.128/25': { country_code: 'NO', state1: 'Oslo County', city: 'Oslo' } }))

let service: RunningService
beforeAll(async () => {
  service = await startService({ env: { TRAILMARK_GEOIP_FILE: `${ranges}, ${cities}`, TRAILMARK_GEOIP_CITY: '1' } })
})
afterAll(() => service.stop())

/** Sends events as a visitor with the IP `address` behind a proxy on this machine. */
const from = (address: string, ...batch: object[]) =>
  request(`${service.url}/e/`, {
    method: 'POST',
    headers: { 'x-forwarded-for': address },
    body: JSON.stringify({ api_key: service.token, batch }),
  })
const read = async (name: string, ...columns: string[]) =>
  (
    await rowsOf(
      service,
      `SELECT ${columns.map((each) => `properties.${each}`).join(', ')} FROM events WHERE event = '${name}' ORDER BY timestamp`,
    )
  )[0]

test.each([
  ['the IP of a visitor behind the proxy', 'v4', '203.0.113.7', {}, 'DE'],
  ['an IPv6 visitor', 'v6', '2001:db8::7', {}, 'NL'],
  ['a visitor who spoofs X-Forwarded-For', 'spoof', '198.51.100.1, 203.0.113.7', {}, 'DE'],
  ['an IP outside all ranges', 'none', '192.0.2.1', {}, null],
  ['an IP that a backend sets in $ip', 'told', '203.0.113.7', { $ip: '198.51.100.9' }, 'FR'],
  ['an event with $geoip_disable', 'disabled', '203.0.113.7', { $geoip_disable: true }, null],
  ['an event with its own country', 'known', '203.0.113.7', { $geoip_country_code: 'IT' }, 'IT'],
])('resolves the country of %s', async (_, name, address, properties, country) => {
  expect((await from(address, event(name, {}, properties))).status).toBe(200)
  expect(await read(name, '$geoip_country_code')).toEqual([country])
})

test('events get the region and the city of a database, and the overview groups by them', async () => {
  await from(
    '192.0.2.200',
    event('$pageview', {}, { $session_id: 's', $current_url: 'https://example.com/', $host: 'example.com' }),
  )
  expect(await read('$pageview', '$geoip_country_code', '$geoip_subdivision_1_name', '$geoip_city_name')).toEqual([
    'NO',
    'Oslo County',
    'Oslo',
  ])
  for (const [breakdownBy, place] of [
    ['Region', 'Oslo County'],
    ['City', 'Oslo'],
  ]) {
    const query = { kind: 'WebStatsTableQuery', breakdownBy, dateRange: { date_from: '-1d' }, properties: [] }
    const { body } = await api(service, 'POST', '/query', { query })
    expect(body.results.map(([name]: [string]) => name)).toEqual([place])
  }
})

test('the service does not store the visitor IP', async () => {
  await from('203.0.113.77', event('kept'), { event: '', properties: { distinct_id: 'x' } })
  const engine = engineOf(service.data)
  for (const table of ['events', 'refused_events', 'person_properties'])
    expect(
      await engine.ask(
        'writer',
        `SELECT count() FROM db.${table} AS t WHERE position(toString(tuple(t.*)), '203.0.113.77') > 0`,
      ),
    ).toEqual([[0]])
  expect(service.output()).not.toContain('203.0.113.77')
})

test('a user agent on the bot list is marked as a bot even if the page did not detect it', async () => {
  const agent = (text: string, more: object = {}) => ({ $raw_user_agent: text, ...more })
  await from(
    '192.0.2.1',
    event('crawl', {}, agent('Mozilla/5.0 (compatible; GPTBot/1.2)', { $browser_type: 'browser' })),
    event('visit', {}, agent('Mozilla/5.0 Firefox/140.0')),
    event('driven', {}, agent('Mozilla/5.0 Chrome/140.0', { $browser_type: 'bot' })),
    event('backend'),
  )
  const columns = ['$browser_type', '$bot_name', '$bot_category']
  expect(await read('crawl', ...columns)).toEqual(['bot', 'gptbot', 'ai'])
  expect(await read('visit', ...columns)).toEqual(['browser', null, null])
  expect(await read('driven', ...columns)).toEqual(['bot', null, null])
  expect(await read('backend', ...columns)).toEqual([null, null, null])
})

test('an unreadable country file aborts the start and reports the invalid line', async () => {
  writeFileSync(join(folder, 'wrong.csv'), 'start,end,country\n')
  const { code, stderr } = await runUntilEnd({
    TRAILMARK_PORT: '0',
    TRAILMARK_DATA: temporaryFolder(),
    TRAILMARK_GEOIP_FILE: join(folder, 'wrong.csv'),
  })
  expect(code).not.toBe(0)
  expect(stderr).toContain('line 1')
  expect(stderr).not.toContain(' at ')
})
