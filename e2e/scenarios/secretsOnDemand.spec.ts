import type { Frame, Page } from 'playwright/test'
import type { Survey } from '../../src/types'
import { AROUND, COMPONENTS, EDITORS, field, FORMS, makeSecret, randomFrom } from '../support/editors'
import { pause } from '../support/pause'
import { startProxy } from '../support/proxy'
import { ready, waitUntil } from '../support/ready'
import { cut, recording } from '../support/recording'
import { expect, pageWith, test } from '../support/scenario'

// Every part that loads on demand, together on one page: what a person types must not leave it.

// Requests are not recorded on localhost.
test.use({ hostName: 'shop.example.localhost' })

const WORD = 'hiddenword'
/** A secret of letters only, which may be an id, a class or an identifier. */
const makeWord = (random: () => number) =>
  WORD + Array.from({ length: 10 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('')

/** Fields whose value the page repeats where only names are expected, or that the browser fills in. */
const MIRRORED: Record<string, string> = {
  ...Object.fromEntries(
    ['text', 'password', 'search'].map((type) => [
      `own attributes of a ${type} field`,
      `<div><input type="${type}" data-type data-own="title data-value alt aria-valuetext aria-description summary"></div>`,
    ]),
  ),
  'names of a button': '<div><input data-type><button type="button" data-field="names" class="slow">Go</button></div>',
  'names of a text': '<div><input data-type><p data-field="names" class="slow">Go</p></div>',
  'a card number': '<form><input autocomplete="cc-number" data-type data-own="data-value"></form>',
  'a one-time code': '<form><input autocomplete="one-time-code" data-type data-own="data-value"></form>',
  'a combo box with a drawn value':
    '<div role="combobox"><input data-type><span data-field="text"></span><i data-field="title"></i></div>',
}

const PARTS = [
  'recorder',
  'recorderPlugins',
  'heatmaps',
  'webVitalsAttribution',
  'clicks',
  'surveys',
  'surveysView',
  'toolbar',
]

/** Fires events on every element of the sections, including covered and hidden ones that no mouse reaches. */
const fire = (page: Page | Frame, types: string[]) =>
  page.evaluate((given) => {
    let x = 0
    const visit = (element: Element) => {
      x += 100
      for (const type of given) {
        const init = { bubbles: true, composed: true, cancelable: true, clientX: x }
        element.dispatchEvent(type === 'click' ? new MouseEvent(type, init) : new Event(type, init))
      }
      ;[...element.children, ...(element.shadowRoot?.children ?? [])].forEach(visit)
    }
    const prevent = (event: Event) => event.preventDefault()
    addEventListener('click', prevent)
    document.querySelectorAll('section').forEach(visit)
    removeEventListener('click', prevent)
  }, types)

for (const seed of [1, 2])
  test(`sends nothing that a person types with all parts on, generated from seed ${seed}`, async ({
    page,
    site,
    service,
  }) => {
    const random = randomFrom(seed)
    const own = await service.createProject()
    const proxy = await startProxy(own.url)
    const configured = await Promise.all([
      own.api('PATCH', '/remote_config', { sessionRecording: { consoleLogRecordingEnabled: true } }),
      own.api('PATCH', '', { toolbar_origins: [site.url] }),
      own.api('POST', '/surveys', {
        name: 'Improvements',
        type: 'popover',
        questions: [{ type: 'open', question: 'What can we do better?' }],
        start_date: new Date(Date.now() - 60_000).toISOString(),
      } satisfies Partial<Survey>),
    ])
    expect(configured.map(({ status }) => status)).toEqual([200, 200, 201])

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
      html: around(html),
    }))
    const options = {
      autocapture: { capture_copied_text: true },
      capture_dead_clicks: true,
      rageclick: true,
      capture_heatmaps: { flush_interval_milliseconds: 500 },
      capture_performance: { web_vitals: true, web_vitals_attribution: true, web_vitals_delayed_flush_ms: 500 },
      capture_exceptions: {
        capture_unhandled_errors: true,
        capture_unhandled_rejections: true,
        capture_console_errors: true,
      },
      enable_recording_console_log: true,
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
          addEventListener('click', ({ target }) => {
            const until = performance.now() + (target.closest?.('.busy') ? 80 : 0)
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
    const question = page.getByRole('textbox', { name: 'What can we do better?' })
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
      if (FORMS[name]) {
        if (name === 'file')
          await editor.setInputFiles({ name: secret, mimeType: 'application/pdf', buffer: Buffer.of(1) })
        else await editor.fill(secret)
        continue
      }
      await editor.focus()
      await page.keyboard.type(secret)
      const typed = await editor.evaluate((element) => {
        const input = element as HTMLInputElement
        return `${input.value} ${input.textContent} ${input.getAttribute('value')}`
      })
      // Some ancestors swallow key presses, as a button does for its content.
      if (!typed.includes(secret))
        await editor.evaluate((element, text) => {
          const input = element as HTMLInputElement
          if ('value' in input) input.value = text
          else element.innerHTML = `<p><span>${text}</span></p>`
          input.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }))
        }, secret)
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
    const word = cases.find(({ name }) => name === 'names of a text')!.secret
    const text = cases.find(({ name }) => name === 'input of type text')!.secret
    await page.evaluate(
      ([typed, name]) => {
        console.log('searched', typed)
        console.error(`nothing found for ${typed}`)
        // What browsers say of a value.
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
      '$exception',
      'survey sent',
      '$snapshot',
      'rrweb/console@1',
      '/toolbar/session',
    ]
    await expect.poll(() => SENT.filter((name) => !proxy.seen().includes(name))).toEqual([])
    const seen = proxy.seen()
    // The answer is sent by the survey alone.
    expect(seen.split(answer).length - 1).toBe(3)
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
