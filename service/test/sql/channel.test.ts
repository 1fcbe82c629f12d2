import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { deliver, startIngest } from '../ingest/support/startIngest.ts'
import { compile } from './support/compile.ts'
import { startTestEngine, type TestEngine } from './support/engine.ts'
import { TABLES } from '../support/schema.ts'

/** Properties of a session's first event, and the channel of the session. */
const CASES: readonly (readonly [properties: Readonly<Record<string, string>>, channel: string])[] = [
  [{}, 'Direct'],
  [{ $referring_domain: '$direct' }, 'Direct'],
  [{ utm_source: '(direct)', utm_medium: '(none)' }, 'Direct'],
  [{ $referring_domain: 'www.google.com' }, 'Organic Search'],
  [{ $referring_domain: 'www.google.co.uk' }, 'Organic Search'],
  [{ $referring_domain: 'duckduckgo.com' }, 'Organic Search'],
  [{ $referring_domain: 'notgoogle.com' }, 'Referral'],
  [{ $referring_domain: 'google.example.dev-blog' }, 'Referral'],
  [{ $referring_domain: 'news.example' }, 'Referral'],
  [{ $referring_domain: 'www.google.com', gclid: 'abc' }, 'Paid Search'],
  [{ gclid: 'abc' }, 'Paid Search'],
  [{ ttclid: 'abc' }, 'Paid Unknown'],
  [{ $referring_domain: 'www.tiktok.com', ttclid: 'abc' }, 'Paid Social'],
  [{ utm_source: 'Google', utm_medium: 'CPC' }, 'Paid Search'],
  [{ utm_source: 'facebook', utm_medium: 'paid_social' }, 'Paid Social'],
  [{ $referring_domain: 'l.facebook.com' }, 'Organic Social'],
  [{ $referring_domain: 't.co' }, 'Organic Social'],
  [{ $referring_domain: 'cat.co' }, 'Referral'],
  [{ $referring_domain: 'news.ycombinator.com' }, 'Organic Social'],
  [{ utm_source: 'partner', utm_medium: 'social media' }, 'Organic Social'],
  [{ $referring_domain: 'm.youtube.com' }, 'Organic Video'],
  [{ utm_source: 'youtube', utm_medium: 'cpc' }, 'Paid Video'],
  [{ $referring_domain: 'chatgpt.com' }, 'AI'],
  [{ $referring_domain: 'gemini.google.com' }, 'AI'],
  [{ $referring_domain: 'www.amazon.de' }, 'Organic Shopping'],
  [{ utm_source: 'amazon', utm_medium: 'ppc' }, 'Paid Shopping'],
  [{ utm_campaign: 'summer-shopping' }, 'Organic Shopping'],
  [{ utm_campaign: 'workshop' }, 'Unknown'],
  [{ utm_campaign: 'cross-network-7' }, 'Cross Network'],
  [{ utm_source: 'adnetwork', utm_medium: 'banner' }, 'Display'],
  [{ utm_source: 'somewhere', utm_medium: 'cpa' }, 'Paid Unknown'],
  [{ utm_source: 'newsletter', $referring_domain: 'mail.google.com' }, 'Email'],
  [{ utm_source: 'spring', utm_medium: 'e-mail' }, 'Email'],
  [{ utm_medium: 'affiliate', utm_source: 'blog' }, 'Affiliate'],
  [{ utm_source: 'sms' }, 'SMS'],
  [{ utm_medium: 'audio', utm_source: 'podcast' }, 'Audio'],
  [{ utm_medium: 'webpush', utm_source: 'app' }, 'Push'],
  [{ utm_medium: 'referral', utm_source: 'partner' }, 'Referral'],
  [{ utm_source: 'partner' }, 'Unknown'],
  [{ gclid: '' }, 'Direct'],
  [{ $referring_domain: 'www.google.com', gclid: '' }, 'Organic Search'],
  [{ utm_source: 'NEWSLETTER' }, 'Email'],
  [{ utm_source: 'google\n"x"' }, 'Unknown'],
  // The arrival that an event repeats from its session replaces all properties of the event itself.
  [{ $session_entry_url: 'https://shop.example/', utm_source: 'facebook', gclid: 'abc' }, 'Direct'],
  [{ $session_entry_url: 'https://shop.example/', $session_entry_gclid: 'abc' }, 'Paid Search'],
  [{ $session_entry_url: 'https://shop.example/', $session_entry_ttclid: 'abc' }, 'Paid Unknown'],
  [{ $session_entry_url: 'https://shop.example/', $session_entry_utm_source: 'Bing' }, 'Organic Search'],
  [{ $session_entry_utm_source: 'bing' }, 'Direct'],
]

let engine: TestEngine

beforeAll(async () => {
  engine = await startTestEngine()
  const place = { url: engine.url }
  const storage = createClickhouse(() => place, { tables: TABLES })
  const events = CASES.flatMap(([properties], at) => [
    {
      event: '$pageview',
      timestamp: '2026-01-01T10:00:00Z',
      properties: { distinct_id: 'ann', $session_id: `s${at}`, $referring_domain: '$direct', ...properties },
    },
    // Later pages do not affect the channel.
    {
      event: '$pageview',
      timestamp: '2026-01-01T10:01:00Z',
      properties: { distinct_id: 'ann', $session_id: `s${at}`, $referring_domain: 'shop.example' },
    },
  ])
  await deliver(startIngest(storage), 1, events)
  await storage.close()
})
afterAll(() => engine.stop())

let channels: ReadonlyMap<string, string>
test('every session has a channel', async () => {
  channels = new Map(
    (await engine.rows(compile('SELECT session_id, $channel_type FROM sessions'))) as [string, string][],
  )
  expect(channels.size).toBe(CASES.length)
})

test.each(CASES.map(([properties, channel], at) => [JSON.stringify(properties), channel, `s${at}`]))(
  'a session with the properties %s has the channel %s',
  (_, channel, session) => {
    expect(channels.get(session)).toBe(channel)
  },
)

test('the session channel can be selected from events and used as a group key', async () => {
  const sql = "SELECT session.$channel_type, count() FROM events WHERE session.$channel_type = 'AI' GROUP BY 1"
  expect(await engine.rows(compile(sql))).toEqual([['AI', 4]])
})
