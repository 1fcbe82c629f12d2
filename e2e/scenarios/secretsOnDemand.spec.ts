import { ALL_PARTS, QUESTION, setUpAllParts } from '../support/allParts'
import { AROUND, COMPONENTS, EDITORS, field, FORMS, makeSecret, randomFrom } from '../support/editors'
import { pause } from '../support/pause'
import { startProxy } from '../support/proxy'
import { ready, waitUntil } from '../support/ready'
import { cut, recording } from '../support/recording'
import { SEEDS } from '../support/seeds'
import { expect, pageWith, test } from '../support/scenario'
import { fillField, fire, typeInto } from '../support/typing'

// With all on-demand parts on one page, nothing that a person types may leave it.

// Requests are not recorded on localhost.
test.use({ hostName: 'shop.example.localhost' })

const WORD = 'hiddenword'
/** A secret of letters only, which may be an id, a class or an identifier. */
const makeWord = (random: () => number) =>
  WORD + Array.from({ length: 10 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('')

const SLOWEST = 'names of a text'
// web-vitals reports the slowest interaction, or another of the ten slowest if there are many.
const SLOW_CLICKS = 12

/** Fields whose value the page repeats where only names are expected, or that the browser fills in. */
const MIRRORED: Record<string, string> = {
  ...Object.fromEntries(
    ['text', 'password', 'search'].map((type) => [
      `own attributes of a ${type} field`,
      `<div><input type="${type}" data-type data-own="title data-value alt aria-valuetext aria-description summary"></div>`,
    ]),
  ),
  'names of a button': '<div><input data-type><button type="button" data-field="names" class="slow">Go</button></div>',
  [SLOWEST]: '<div><input data-type><p data-field="names" class="slow">Go</p></div>',
  'a card number': '<form><input autocomplete="cc-number" data-type data-own="data-value"></form>',
  'a one-time code': '<form><input autocomplete="one-time-code" data-type data-own="data-value"></form>',
  'a combo box with a drawn value':
    '<div role="combobox"><input data-type><span data-field="text"></span><i data-field="title"></i></div>',
}

const PARTS = [
  'recorder',
  'recorderPage',
  'recorderPlugins',
  'heatmaps',
  'webVitalsAttribution',
  'clicks',
  'surveys',
  'surveysView',
  'toolbar',
]

for (const seed of SEEDS)
  test(`sends nothing that a person types with all parts on, generated from seed ${seed}`, async ({
    page,
    site,
    service,
  }) => {
    const random = randomFrom(seed)
    const own = await service.createProject()
    const proxy = await startProxy(own.url)
    await setUpAllParts(own)
    expect((await own.api('PATCH', '', { toolbar_origins: [site.url] })).status).toBe(200)

    const around = (html: string): string => {
      const possible = AROUND.filter((wrap) => !/<(button|a|form)\b.*<\1\b/.test(wrap(html)))
      return possible[Math.floor(random() * possible.length)]!(html)
    }
    const all = {
      ...EDITORS,
      ...MIRRORED,
      ...Object.fromEntries(Object.keys(FORMS).map((type) => [type, field(type)])),
    }
    const cases = Object.entries(all).map(([name, html], index) => ({
      name,
      secret: FORMS[name]?.(random) ?? (name.startsWith('names') ? makeWord(random) : makeSecret(random, 'word')),
      id: `c${index}`,
      // Browsers report no target for an interaction in a shadow root.
      html: name === SLOWEST ? html : around(html),
    }))
    const options = {
      autocapture: { capture_copied_text: true },
      ...ALL_PARTS,
      session_recording: { full_snapshot_interval_millis: 2000, recordSameOriginIframes: true },
      rate_limiting: { events_per_second: 10_000, events_burst_limit: 100_000 },
    }
    const answer = 'an answer to the survey'
    site.page(
      '/',
      pageWith(
        'script',
        { url: proxy.url, token: own.token },
        '/',
        `${COMPONENTS}<iframe id="frame" srcdoc="<section><input><textarea></textarea><input type=password><div contenteditable><p>x</p></div></section>"></iframe>
        <script>
          let busyMs = 80
          addEventListener('click', ({ target }) => {
            const until = performance.now() + (target.closest?.('.busy') ? busyMs : 0)
            while (performance.now() < until);
          })
          for (const [id, html] of ${JSON.stringify(cases.map(({ id, html }) => [id, html])).replace(/</g, '\\u003c')}) {
            const section = document.body.appendChild(document.createElement('section'))
            section.id = id
            section.className = 'busy'
            section.innerHTML = html
            wire(section)
            reflect(section)
            shell(section)
          }
        </script>`,
        options,
      ),
    )
    const { body } = await own.api('POST', '/toolbar/codes', { origin: site.url, path: '/' })
    await page.goto(body.url as string)
    await ready(page)
    await recording(page)
    await page.evaluate(() => document.body.click())
    await expect(page.getByRole('toolbar', { name: 'Trailmark toolbar' })).toBeVisible()
    const question = page.getByRole('textbox', { name: QUESTION })
    await question.fill(answer)
    await waitUntil(
      page,
      (names) => {
        const loaded = Object(
          (window as unknown as { __trailmark_extensions__?: object }).__trailmark_extensions__,
        ) as object
        return names.every((name) => name in loaded)
      },
      PARTS,
    )

    for (const { id, secret, name } of cases) {
      const editor = page.locator(`#${id} [data-type]`)
      if (FORMS[name]) await fillField(editor, name, secret)
      else await typeInto(page, editor, secret)
    }
    const inFrame = makeSecret(random, 'word')
    const frame = page.frameLocator('#frame')
    for (const each of await frame.locator('input, textarea, [contenteditable]').all())
      await each.pressSequentially(inFrame)

    // Real clicks on what repeats a word, which are slow: interactions and heat points with a selector of it.
    for (const { id, name } of cases.filter((each) => each.name.startsWith('names'))) {
      const part = page.locator(`#${id} [data-field]`)
      await part.scrollIntoViewIfNeeded()
      await part.hover()
      await pause(page, 600)
      await part.click()
      expect(await part.getAttribute('id'), name).toContain(WORD)
    }
    const { id: slowest, secret: word } = cases.find(({ name }) => name === SLOWEST)!
    await page.evaluate('busyMs = 400')
    for (let time = 0; time < SLOW_CLICKS; time += 1) await page.locator(`#${slowest} [data-field]`).click()
    await page.evaluate('busyMs = 0')
    const text = cases.find(({ name }) => name === 'input of type text')!.secret
    await page.evaluate(
      ([typed, name]) => {
        console.log('searched', typed)
        console.error(`nothing found for ${typed}`)
        // The browser's own error messages quote the value.
        void Promise.resolve(typed!).then(JSON.parse)
        setTimeout(() => document.querySelector(`#${name} >`))
        setTimeout(() => {
          throw new Error(`No product is called ${typed}`, { cause: new RangeError(typed) })
        })
      },
      [text, word],
    )
    await fire(page, ['click', 'click', 'click'])
    await pause(page, 3000)
    await fire(page, ['change', 'submit'])
    await question.press('Tab')
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.evaluate(() => window.analytics.capture('last'))
    await cut(page)
    await page.evaluate(() => window.analytics.flush())
    await expect.poll(() => proxy.seen().includes('"last"')).toBe(true)
    // The next page sends what did not fit into beacons.
    site.page('/next', pageWith('script', { url: proxy.url, token: own.token }, '/next', '', options))
    await page.goto(`${site.url}/next`)
    // Everything was on, and has sent something.
    const SENT = [
      '$pageleave',
      '$autocapture',
      '$rageclick',
      '$dead_click',
      '$$heatmap',
      '$web_vitals',
      'interactionTarget',
      '$exception',
      'survey sent',
      '$snapshot',
      'rrweb/console@1',
      '/toolbar/session',
    ]
    await expect.poll(() => SENT.filter((name) => !proxy.seen().includes(name))).toEqual([])
    const seen = proxy.seen()
    // The answer is sent by the survey alone. The next page may repeat a delivery.
    const answered = proxy.deliveries().filter(({ text }) => text.includes(answer))
    expect(seen.split(answer).length - 1).toBe(3 * answered.length)
    const formsOf = (secret: string) => {
      const start = secret.slice(0, 12)
      return [
        start,
        encodeURIComponent(start),
        String(new URLSearchParams({ '': start })),
        ...['', '1', '12'].map((before) => btoa(before + secret).slice(before.length ? 4 : 0, 12)),
      ]
    }
    const leaks = [...cases, { name: 'in a frame', secret: inFrame, html: '' }].flatMap(({ name, secret, html }) =>
      formsOf(secret)
        .filter((form) => seen.includes(form))
        .slice(0, 1)
        .map((form) => {
          const at = seen.indexOf(form)
          return `${name}: ${html}\n  ${seen.slice(Math.max(0, at - 160), at + 60)}`
        }),
    )
    expect(leaks).toEqual([])
    await proxy.stop()
  })

test('sends no hash and no masked parameter of a URL with all parts on', async ({ page, site, service }) => {
  const own = await service.createProject()
  const proxy = await startProxy(own.url)
  await setUpAllParts(own)
  const [hash, parameter] = ['hash0secret', 'parameter0secret']
  const away = `https://else.example/x?gclid=${parameter}&kept=yes#${hash}`
  const nested = `/?to=${encodeURIComponent(away)}#${hash}`
  const options = {
    ...ALL_PARTS,
    autocapture: { capture_copied_text: true },
    session_recording: { full_snapshot_interval_millis: 2000, recordHeaders: true },
    capture_pageview: 'history_change' as const,
    disable_capture_url_hashes: true,
    mask_personal_data_properties: true,
    custom_personal_data_properties: ['partner'],
    rate_limiting: { events_per_second: 10_000, events_burst_limit: 100_000 },
  }
  const html = `<a id="away" target="_blank" href="${away}">away</a> <a id="near" href="#${hash}">near</a>
    <a id="nested" href="${nested}">nested</a> <a id="page" href="page#${hash}" onclick="return false">page</a> <img src="/i.png?gclid=${parameter}#${hash}" alt="">
    <form action="/next?gclid=${parameter}#${hash}" onsubmit="return false"><button formaction="?gclid=${parameter}">Go</button></form>`
  for (const path of ['/', '/last'])
    site.page(path, pageWith('script', { url: proxy.url, token: own.token }, path, html, options))
  await page.goto(`${site.url}/?gclid=${parameter}&partner=${parameter}#${hash}`)
  await ready(page)
  await recording(page)
  for (const id of ['near', 'page']) await page.locator(`#${id}`).click()
  await page.getByRole('button', { name: 'Go' }).click()
  await page.evaluate(
    async ([link, name]) => {
      document.querySelector('#away')!.addEventListener('click', (event) => event.preventDefault())
      document.querySelector<HTMLElement>('#away')!.click()
      getSelection()!.selectAllChildren(document.querySelector('#away')!)
      document.querySelector('#away')!.dispatchEvent(new Event('copy', { bubbles: true }))
      console.error(`cannot open ${link}`)
      await fetch(`/api?gclid=${name}&kept=yes`).catch(() => {})
      history.pushState(null, '', `/cart?partner=${name}#/${name}`)
      setTimeout(() => {
        throw new Error(`cannot load ${link}`)
      })
    },
    [away, parameter],
  )
  await page.evaluate((link) => document.querySelector('#near')!.setAttribute('href', link), `#${hash}`)
  await pause(page, 3000)
  await page.evaluate(() => window.analytics.capture('last'))
  await cut(page)
  await page.goto(`${site.url}/last#${hash}`)
  const SENT = [
    '"last"',
    '$autocapture',
    '$$heatmap',
    '$web_vitals',
    '$exception',
    '$snapshot',
    'rrweb/network@1',
    '$external_click_url',
  ]
  await expect.poll(() => SENT.filter((name) => !proxy.seen().includes(name))).toEqual([])
  // Except in the address that the browser itself sends as the referrer.
  const seen = proxy.seen().replace(/^referer:.*$/gim, '')
  expect(seen).toContain('gclid=<masked>')
  for (const secret of [hash, parameter]) {
    const at = seen.indexOf(secret)
    expect(at < 0 ? '' : seen.slice(Math.max(0, at - 200), at + 60)).toBe('')
  }
  await proxy.stop()
})
