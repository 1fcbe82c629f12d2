import { createHash } from 'node:crypto'
import { HOSTED_STYLE } from './hostedStyle.ts'

/** What the page of a hosted survey needs. */
export interface HostedPage {
  readonly surveyId: string
  /** Project token. */
  readonly token: string
  readonly name: string
  /** Whether pages of other sites may have it in a frame. */
  readonly mayBeFramed: boolean
}

interface Page {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

// The parameters of the URL: the person, answers (q0, q1, …), and properties of the events. Anyone can write such a URL,
// so the person is marked as unverified, and the events change no properties of people.
const SCRIPT = `
const { token, surveyId } = JSON.parse(document.getElementById('survey-data').textContent)
const query = new URLSearchParams(location.search)
const person = query.get('distinct_id')
const properties = {}
for (const [name, value] of [...query].slice(0, 50)) {
  if (/^(q\\d+|distinct_id|embed|auto_submit|\\$.*|token)$/.test(name) || name.length > 200) continue
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value))
  properties[name] = value === 'true' || value === 'false' ? value === 'true' : isNumber ? Number(value) : value.slice(0, 1000)
}
analytics.init(token, {
  api_host: new URL('..', location.href).href.replace(/\\/$/, ''),
  persistence: 'memory',
  person_profiles: 'never',
  autocapture: false,
  capture_pageview: false,
  capture_pageleave: false,
  capture_dead_clicks: false,
  capture_heatmaps: false,
  capture_exceptions: false,
  capture_performance: false,
  disable_session_recording: true,
  advanced_disable_feature_flags: true,
  advanced_enable_surveys: true,
  disable_surveys_automatic_display: true,
  surveys: { prefillFromUrl: true },
  ...(person ? { bootstrap: { distinctID: person } } : {}),
})
analytics.register({ ...properties, ...(person ? { $survey_person_unverified: true } : {}) })
analytics.renderSurvey(surveyId, '#survey')
if (query.get('embed') === 'true') document.querySelector('h1').hidden = true
`

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const HASHES = { style: hashOf(HOSTED_STYLE), script: hashOf(SCRIPT) }

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** Serializes a value as JSON that cannot close the `<script>` element around it. */
const asData = (value: unknown) => JSON.stringify(value).replace(/</g, '\\u003c')

const headersOf = (mayBeFramed: boolean) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'self' ${HASHES.script}`,
    `style-src ${HASHES.style}`,
    "connect-src 'self'",
    'img-src https: data:',
    "base-uri 'none'",
    // A separate origin: otherwise a script in this page could use the session of the console, which is on this host.
    'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox',
    "form-action 'none'",
    `frame-ancestors ${mayBeFramed ? '*' : "'none'"}`,
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
})

const documentOf = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${HOSTED_STYLE}</style>
</head>
<body>
${content}
</body>
</html>
`

/** Returns the page of a hosted survey. The SDK shows the survey in it. */
export const hostedPage = ({ surveyId, token, name, mayBeFramed }: HostedPage): Page => ({
  status: 200,
  headers: headersOf(mayBeFramed),
  body: documentOf(
    name,
    `<main>
<h1>${escapeHtml(name)}</h1>
<div id="survey"></div>
<noscript>This survey needs JavaScript.</noscript>
</main>
<script type="application/json" id="survey-data">${asData({ token, surveyId })}</script>
<script src="../static/analytics.js"></script>
<script>${SCRIPT}</script>`,
  ),
})

const messagePage = (status: number, text: string): Page => ({
  status,
  headers: headersOf(false),
  body: documentOf('Survey', `<main><h1>${text}</h1></main>`),
})

/** Returns the page for every URL without a running hosted survey. It does not reveal which ids exist. */
export const missingPage = (): Page => messagePage(404, 'This survey does not exist or is closed.')

/** Returns the page for visitors who open a survey too often. */
export const limitedPage = (): Page => messagePage(429, 'Too many requests. Try again in a minute.')
