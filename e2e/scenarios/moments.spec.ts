import type { Page } from 'playwright/test'
import { SEEDS } from '../support/seeds'
import { pause } from '../support/pause'
import { ready } from '../support/ready'
import { cut, test as base } from '../support/recording'
import { snippetPage } from '../support/snippetPage'
import { expect } from '../support/world'

// What happens to one person is never stored as another's. Each thing has a text that names its person (`who-3`); the page
// shows it, the visitor types it, URLs and errors contain it. Extensions and responses are slow. test/client/moments.test.ts
// has many more sequences without a browser.

const CONFIG = {
  autocapture: true,
  capture_pageview: 'history_change',
  capture_dead_clicks: true,
  rageclick: true,
  capture_exceptions: true,
  capture_heatmaps: { flush_interval_milliseconds: 1500 },
  capture_performance: { web_vitals: true, network_timing: true, web_vitals_delayed_flush_ms: 1500 },
  enable_recording_console_log: true,
  session_recording: { recordBody: true, recordHeaders: true, maskTextSelector: '.none' },
} as const

const BODY = `<main></main><script>
  let person = 0
  const who = () => 'who-' + person
  const render = () => {
    history.replaceState(null, '', '/' + who())
    document.querySelector('main').innerHTML =
      '<p id="p-' + who() + '" style="cursor:pointer">' + who() + '</p><button id="' + who() + '">' + who() + '</button><h1>' + who() + '</h1>'
  }
  render()
  const click = (selector) => document.querySelector(selector).dispatchEvent(
    new MouseEvent('click', { bubbles: true, composed: true, cancelable: true, clientX: 20, clientY: 20, detail: 1 }))
  const answer = (submits) => {
    const host = document.querySelector('[class^=PostHogSurvey]')
    const field = host && host.shadowRoot.querySelector('textarea')
    if (!field) return
    field.value = who()
    field.dispatchEvent(new Event('input', { bubbles: true }))
    if (submits) setTimeout(() => host.shadowRoot.querySelector('.form-submit')?.click(), 50)
  }
  const steps = {
    capture: () => analytics.capture('x', { note: who() }),
    identify: () => analytics.identify('id-' + person, { name: who() }),
    reset: () => { analytics.reset(); person += 1; render() },
    switch: () => { analytics.reset(); person += 1; render(); analytics.identify('id-' + person, { name: who() }) },
    register: () => analytics.register({ note: who() }),
    group: () => analytics.group('company', who(), { note: who() }),
    change: () => (document.querySelector('h1').textContent = who() + ' ' + Math.random()),
    click: () => click('button'),
    dead: () => click('p'),
    rage: () => [1, 2, 3].forEach(() => click('p')),
    throw: () => setTimeout(() => { throw new Error(who()) }),
    log: () => console.log(who()),
    fetch: () => void fetch('/data/' + who(), { method: 'POST', body: who() }).then((response) => response.text()),
    navigate: () => history.pushState(null, '', '/' + who() + '/' + Math.random()),
    flag: () => analytics.getFeatureFlag(who()),
    type: () => answer(false),
    answer: () => answer(true),
    survey: () => analytics.displaySurvey(window.survey, { properties: { note: who() }, ignoreConditions: true }),
    session: () => analytics.sessionManager.resetSessionId(),
  }
</script>`

/** Returns a generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
const createRandom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let next = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  next = (next + Math.imul(next ^ (next >>> 7), 61 | next)) ^ next
  return ((next ^ (next >>> 14)) >>> 0) / 4294967296
}

interface Sent {
  event: string
  properties: Record<string, unknown> & { distinct_id: string }
}

interface Fixtures {
  /** Plays steps (numbers are pauses, ms), and returns what left the page. `seed`: of how slow everything is. */
  play(steps: readonly (string | number)[], seed: number): Promise<Sent[]>
}

const test = base.extend<Fixtures>({
  play: async ({ page, site, service, network }, use) => {
    await use(async (steps, seed) => {
      const random = createRandom(seed)
      const own = await service.createProject()
      const answers = await Promise.all([
        own.api('PATCH', '/remote_config', { sessionRecording: true }),
        own.api('POST', '/surveys', {
          name: 'Wishes',
          type: 'popover',
          questions: [{ type: 'open', question: 'What can we do better?' }],
          start_date: new Date(Date.now() - 60_000).toISOString(),
        }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 201])
      const slowly = (most: number) => new Promise((done) => setTimeout(done, random() * most))
      await page.route(/\/(sdk|flags|e|s)\//, async (route) => {
        await slowly(/main\.js/.test(route.request().url()) ? 0 : 1200)
        await route.continue().catch(() => {}) // the page was closed
      })
      await page.route(/\/data\//, async (route) => {
        await slowly(2500)
        await route.fulfill({ contentType: 'text/plain', body: route.request().postData()! }).catch(() => {})
      })
      site.page('/', snippetPage({ ...own, url: network.url }, { body: BODY, config: CONFIG, build: 'npm' }))
      await page.goto(site.url)
      await ready(page)
      await page.evaluate((id) => Object.assign(window, { survey: id }), answers[1].body.id as string)
      for (const step of steps)
        if (typeof step === 'number') await pause(page, step)
        else await page.evaluate(`steps[${JSON.stringify(step)}]()`)
      return await drain(page, () => sentBy(own.token, network.seen()))
    })
  },
})

/** Returns the events of a project in the requests that a proxy has seen. */
const sentBy = (token: string, seen: string): Sent[] =>
  seen
    .split('\n')
    .filter((line) => /^\/(i\/v0\/)?[es]\//.test(line) && line.includes(`{"api_key":"${token}"`))
    .flatMap((line) => (JSON.parse(line.slice(line.indexOf('{"api_key"'))) as { batch: Sent[] }).batch)

/** Waits until the page has sent what it has captured. */
const drain = async (page: Page, sent: () => Sent[]): Promise<Sent[]> => {
  // Longer than a dead click is undecided, and than the last chunk and a slow request need.
  await pause(page, 3500)
  await cut(page)
  await pause(page, 4000)
  return sent()
}

/** Expects that each event has only texts of the person of its id, and that each session has one person. */
const expectOnePersonEach = (sent: readonly Sent[]): void => {
  /** The persons of ids: those of `identify`, and those of anonymous ids by the `$identify` that links them, or by texts. */
  const owners = new Map<unknown, string>()
  const sessions = new Map<unknown, string>()
  const wrong: unknown[] = []
  const namesIn = (value: unknown) => [...new Set(JSON.stringify(value).match(/who-\d+/g))]
  for (const each of sent) {
    const { distinct_id, $anon_distinct_id, $session_id } = each.properties
    const names = namesIn(each)
    for (const id of [distinct_id, $anon_distinct_id]) if (id && names[0] && !owners.has(id)) owners.set(id, names[0])
    const owner = owners.get(distinct_id) ?? names[0]
    if (owner && !sessions.has($session_id)) sessions.set($session_id, owner)
    const isOwn = names.every((name) => name === owner) && (!owner || sessions.get($session_id) === owner)
    const isOfId = !distinct_id.startsWith('id-') || owner === `who-${distinct_id.slice(3)}`
    if (!isOwn || !isOfId) wrong.push([each.event, distinct_id, owner, names, JSON.stringify(each).slice(0, 3000)])
  }
  expect(wrong).toEqual([])
}
const namesOf = (sent: readonly Sent[], owner: string) =>
  sent.filter((each) => JSON.stringify(each).includes(owner)).map(({ event }) => event)

test('what waits when the person changes is sent as that of the previous person, or not at all', async ({ play }) => {
  const sent = await play(
    // By then the recording runs. The last chunk of the first person is open when the next one comes.
    [
      ...['identify', 5000, 'navigate', 'change', 'throw', 'log', 'fetch', 'type', 'click', 'rage', 'dead', 700],
      ...['switch', 1000, 'change', 'log', 'fetch', 'dead', 'answer', 3500, 'capture'],
    ],
    1,
  )
  expectOnePersonEach(sent)
  const first = namesOf(sent, 'who-0')
  const second = namesOf(sent, 'who-1')
  for (const each of ['$snapshot', '$$heatmap', '$web_vitals', '$exception', '$autocapture'])
    expect(first).toContain(each)
  for (const each of ['$snapshot', '$$heatmap', 'x']) expect(second).toContain(each)
})

test('what waits for slow extensions when the person changes is not the next person’s', async ({ play }) => {
  const sent = await play(
    [
      'survey',
      'throw',
      'dead',
      'rage',
      'navigate',
      'switch',
      'throw',
      'dead',
      'log',
      3000,
      'answer',
      1000,
      'reset',
      2000,
      'change',
      'click',
    ],
    2,
  )
  expectOnePersonEach(sent)
})

test('random sequences of changes of the person and of what happens', async ({ play }) => {
  for (const seed of SEEDS) {
    const random = createRandom(seed)
    const oneOf = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!
    const changes = ['identify', 'reset', 'switch', 'switch', 'session']
    const things =
      'capture register group change click dead rage throw log fetch navigate flag type answer survey'.split(' ')
    const steps = Array.from({ length: 40 }, () =>
      random() < 0.25 ? oneOf([0, 100, 600, 1500]) : oneOf(random() < 0.15 ? changes : things),
    )
    const sent = await play(steps, seed)
    await test.step(`seed ${seed}: ${steps.join(', ')}`, () => expectOnePersonEach(sent))
  }
})
