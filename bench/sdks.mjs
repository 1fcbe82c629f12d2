import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BENCH = fileURLToPath(new URL('.', import.meta.url))
const inBench = (path) => join(BENCH, 'node_modules', path)
const require = createRequire(import.meta.url)

/** Returns the installed version of an SDK's package. */
export const versionOf = ({ package: name }) =>
  require(name === 'trailmark' ? '../package.json' : inBench(`${name}/package.json`)).version

// The protocol's remote configuration (trailmark and posthog), with autocapture on and everything else off.
const REMOTE = {
  supportedCompression: ['gzip', 'gzip-js'],
  hasFeatureFlags: true,
  autocapture_opt_out: false,
  elementsChainAsString: true,
  capturePerformance: false,
  autocaptureExceptions: false,
  sessionRecording: false,
  heatmaps: false,
  captureDeadClicks: false,
  surveys: false,
  siteApps: [],
}
const FLAGS = {
  flags: Object.fromEntries(
    ['new-checkout', 'dark-mode'].map((key, index) => [
      key,
      {
        key,
        enabled: true,
        variant: null,
        reason: { code: 'condition_match', condition_index: 0 },
        metadata: { id: index + 1, version: 1, payload: null },
      },
    ]),
  ),
  errorsWhileComputingFlags: false,
  requestId: '0190a1b2-0000-7000-8000-000000000000',
}
const json = (value) => ['application/json', JSON.stringify(value)]
const PROTOCOL = [
  [/^\/flags\//, json({ ...FLAGS, ...REMOTE })],
  [
    /^\/array\/[^/]+\/config\.js/,
    ['text/javascript', `window._POSTHOG_REMOTE_CONFIG={'bench-token':{config:${JSON.stringify(REMOTE)},siteApps:[]}}`],
  ],
  [/^\/array\/[^/]+\/config/, json(REMOTE)],
  [/^\/static\//, ['text/javascript', '']],
  [/./, json({ status: 1 })],
]

/**
 * All measured SDKs, Trailmark first. `pages/NAME.js` uses the SDK as a site does: with its own defaults, pageviews
 * and, if it has it, click capture. `forms`: other builds, of which only the size is measured. `global`: the object of
 * `script`, for the pages with a script tag. `events` matches the paths that events are sent to. `click`: name of the
 * event that it captures for a click. `answers`: responses of its service, as [path, response]; the first matching row
 * counts. `isInQuick`: whether it is measured with --quick, because a target refers to it.
 */
export const SDKS = [
  {
    name: 'trailmark',
    isInQuick: true,
    package: 'trailmark',
    script: join(ROOT, 'dist/analytics.js'),
    global: 'analytics',
    forms: ['trailmark-core'],
    events: /^\/(e|i\/v0\/e)\//,
    click: '$autocapture',
    answers: PROTOCOL,
  },
  {
    name: 'posthog',
    isInQuick: true,
    package: 'posthog-js',
    script: inBench('posthog-js/dist/array.js'),
    global: 'posthog',
    events: /^\/(e|i\/v0\/e)\//,
    click: '$autocapture',
    answers: PROTOCOL,
  },
  { name: 'posthog-slim', package: 'posthog-js', events: /^\/(e|i\/v0\/e)\//, answers: PROTOCOL },
  {
    name: 'mixpanel',
    package: 'mixpanel-browser',
    script: inBench('mixpanel-browser/dist/mixpanel.min.js'),
    forms: ['mixpanel-core'],
    events: /^\/track/,
    click: '$mp_click',
    answers: [[/./, json({ status: 1, error: null })]],
  },
  {
    name: 'amplitude',
    isInQuick: true,
    package: '@amplitude/analytics-browser',
    script: inBench('@amplitude/analytics-browser/lib/scripts/amplitude-min.js'),
    events: /^\/2\/httpapi/,
    click: '[Amplitude] Element Clicked',
    answers: [
      [/^\/config/, json({ configs: {} })],
      [/./, json({ code: 200, events_ingested: 1, payload_size_bytes: 1, server_upload_time: 1 })],
    ],
  },
  {
    name: 'segment',
    package: '@segment/analytics-next',
    script: inBench('@segment/analytics-next/dist/umd/standalone.js'),
    events: /^\/v1\/[a-z]$/,
    answers: [
      [/settings/, json({ integrations: { 'Segment.io': { apiKey: 'bench-key' } }, plan: { track: {} } })],
      [/./, json({ success: true })],
    ],
  },
  {
    name: 'openpanel',
    package: '@openpanel/web',
    script: inBench('@openpanel/web/dist/src/tracker.global.js'),
    events: /^\/track/,
    answers: [[/./, json({ deviceId: 'bench', sessionId: 'bench' })]],
  },
  {
    name: 'faro',
    package: '@grafana/faro-web-sdk',
    script: inBench('@grafana/faro-web-sdk/dist/bundle/faro-web-sdk.iife.js'),
    events: /^\/collect/,
    answers: [[/./, json({})]],
  },
]

/** The page without an SDK, which is measured too and subtracted. */
export const NONE = { name: 'none', events: /^$/, answers: [[/./, json({})]] }
