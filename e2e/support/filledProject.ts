import { gzipSync } from 'node:zlib'
import type { Service } from './service'

const HOUR_MS = 3_600_000
const PERSON = 'grace.brewster.murray.hopper+newsletter@compilers-and-other-long-names.example'
const SESSION = '0195f000-0000-7000-8000-00000000000a'
const PAGE =
  'https://shop.example/collections/everything-for-the-winter/waterproof-trail-running-shoes-with-wide-toe-box'

const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * HOUR_MS).toISOString()

const visit = (who: string, hoursAgo: number, path: string, properties: object = {}) => ({
  event: '$pageview',
  distinct_id: who,
  timestamp: at(hoursAgo),
  properties: {
    $session_id: `${who}-${hoursAgo}`,
    $host: 'shop.example',
    $pathname: path,
    $current_url: `https://shop.example${path}`,
    $referring_domain: 'www.google.com',
    $geoip_country_code: 'NO',
    $browser: 'Chrome',
    $os: 'Mac OS X',
    $device_type: 'Desktop',
    ...properties,
  },
})

const vital = (index: number) => ({
  event: '$web_vitals',
  timestamp: at(1 + (index % 90)),
  properties: {
    distinct_id: `visitor-${index}`,
    $pathname: new URL(PAGE).pathname,
    $device_type: 'Mobile',
    $web_vitals_LCP_value: 1_000 + index * 20,
    $web_vitals_LCP_event: { id: `${index}`, value: 1_000 + index * 20, navigationType: 'navigate' },
  },
})

const EVENTS = [
  ...Array.from({ length: 40 }, (_, index) => visit(`visitor-${index % 20}`, 1 + index * 4, `/p${index % 12}`)),
  visit(PERSON, 3, new URL(PAGE).pathname, { $session_id: SESSION }),
  {
    event: '$identify',
    distinct_id: PERSON,
    timestamp: at(3),
    properties: { $session_id: SESSION, $anon_distinct_id: 'anonymous', $set: { email: PERSON, plan: 'free' } },
  },
  ...Array.from({ length: 30 }, (_, index) => ({
    event: index % 3 ? 'product added to the basket of the whole family' : 'signed up',
    distinct_id: PERSON,
    timestamp: at(2 + index / 60),
    properties: { $session_id: SESSION, $pathname: new URL(PAGE).pathname },
  })),
  {
    event: '$exception',
    distinct_id: PERSON,
    timestamp: at(2),
    properties: {
      $session_id: SESSION,
      $pathname: new URL(PAGE).pathname,
      $exception_list: [
        {
          type: 'RangeError',
          value: `Cannot read the price of ${'a_very_long_identifier_without_a_break'.repeat(4)}`,
          stacktrace: {
            type: 'raw',
            frames: [{ filename: 'https://shop.example/assets/checkout.js', function: 'pay', lineno: 3, colno: 9 }],
          },
        },
      ],
    },
  },
  ...Array.from({ length: 100 }, (_, index) => vital(index)),
  {
    event: '$$heatmap',
    distinct_id: PERSON,
    timestamp: at(2),
    properties: {
      $heatmap_data: {
        [PAGE]: [{ type: 'click', x: 640, y: 400, target_fixed: false, vw: 1280, vh: 800, ph: 2400, el: 'main > a' }],
      },
    },
  },
  // The service rejects it.
  { event: 'signed out', timestamp: at(1), properties: {} },
]

const RECORDING = [
  { type: 4, timestamp: Date.now() - 2 * HOUR_MS, data: { href: PAGE, width: 1280, height: 800 } },
  {
    type: 2,
    timestamp: Date.now() - 2 * HOUR_MS + 1,
    data: {
      node: {
        type: 0,
        id: 1,
        childNodes: [{ type: 2, id: 2, tagName: 'html', attributes: {}, childNodes: [] }],
      },
      initialOffset: { top: 0, left: 0 },
    },
  },
  { type: 3, timestamp: Date.now() - HOUR_MS, data: { source: 2, type: 2, id: 2, x: 1, y: 1 } },
]

const post = async (url: string, body: object) => {
  const compressed = new Uint8Array(gzipSync(JSON.stringify(body)))
  const response = await fetch(url, { method: 'POST', body: compressed })
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${await response.text()}`)
}

const SURVEY = {
  name: 'How likely are you to recommend our shop to a friend who runs on trails in the winter?',
  type: 'popover',
  questions: [
    { type: 'rating', question: 'How likely are you to recommend us?', display: 'number', scale: 10 },
    { type: 'single_choice', question: 'May we write to you?', choices: ['Yes', 'No'] },
  ],
  start_date: at(24),
}
const FLAG = {
  key: 'new-checkout-with-a-key-that-somebody-has-made-far-too-long-for-a-column',
  active: true,
  filters: {
    groups: [
      { properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['free'] }], rollout_percentage: 50 },
    ],
  },
}
const ENDPOINT = {
  name: 'visitors_of_each_page_by_country_and_browser',
  query: { kind: 'HogQLQuery', query: 'SELECT event, count() AS n FROM events GROUP BY event ORDER BY n DESC' },
}

/**
 * Fills a project so that each page of the console has something to show, with names and texts that are long.
 * Returns a path for each page that shows an item of a list, by its pattern in the table of pages.
 */
export const fillProject = async ({ url, token, api }: Service): Promise<Readonly<Record<string, string>>> => {
  const created = async (path: string, body: object) => {
    const answer = await api('POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const firstOf = async (path: string) => ((await api('GET', path)).body.results as [{ id: string }])[0].id
  const recorded = {
    token,
    distinct_id: PERSON,
    $session_id: SESSION,
    $window_id: 'w',
    $snapshot_sequence: 0,
    $snapshot_data: RECORDING,
  }
  await post(`${url}/batch/?compression=gzip-js`, { api_key: token, batch: EVENTS, historical_migration: true })
  await post(`${url}/s/?compression=gzip-js`, [{ event: '$snapshot', properties: recorded }])
  const [survey, flag] = [await created('/surveys/', SURVEY), await created('/feature_flags/', FLAG)]
  await created('/endpoints/', ENDPOINT)
  return {
    'people/:id': `people/${await firstOf('/persons?search=grace')}`,
    'recordings/:sessionId': `recordings/${SESSION}`,
    'errors/:id': `errors/${await firstOf('/error_tracking/issues')}`,
    'surveys/:id': `surveys/${String(survey.id)}`,
    'endpoints/:name': `endpoints/${ENDPOINT.name}`,
    'dashboards/:id': `dashboards/${await firstOf('/dashboards')}`,
    'flags/:id': `flags/${String(flag.id)}`,
  }
}
