import type { Page } from 'playwright/test'
import type { Config } from '../../src/types'
import { type Build, BUILDS } from '../support/scenario'
import { cut, recording, type RecordingFixtures, status, test, text, types } from '../support/recording'
import { expect, QUIET } from '../support/world'

// Requests are not recorded on localhost.
test.use({ hostName: 'shop.example.localhost' })

const stored = async (
  service: { api(method: string, path: string): Promise<{ body: Record<string, unknown> }> },
  id: string,
) => (await service.api('GET', `/session_recordings/${id}`)).body

for (const build of BUILDS)
  test(`${build} build: records the page, and the service stores the recording`, async ({
    page,
    site,
    put,
    network,
    record,
    chunks,
    service,
  }) => {
    await record(true)
    put(build, '/', '<h1>Shop</h1><input id="name"><div id="list"></div>', { ...QUIET, api_host: network.url })
    await page.goto(site.url)
    await recording(page)
    await page.locator('#name').fill('typed by a person')
    await page.evaluate(() => (document.querySelector('#list')!.textContent = 'added later'))
    await expect
      .poll(async () => {
        await cut(page)
        return text(chunks())
      })
      .toContain('added later')
    expect(types(chunks()).slice(0, 2)).toEqual([4, 2])
    expect(chunks()[0]!.properties).toMatchObject({
      $snapshot_sequence: 0,
      $snapshot_has_full: true,
      $snapshot_policy: 'default',
    })
    expect(text(chunks())).toContain('Shop')
    expect(text(chunks())).not.toContain('typed by')
    const id = await page.evaluate(() => window.analytics.get_session_id())
    await expect.poll(async () => (await stored(service, id)).session_id ?? (await stored(service, id)).id).toBe(id)
  })

/** Twelve digits, which no part of a page contains by chance, for each place. */
const createSecrets = () => {
  const known = new Map<string, string>()
  return {
    /** Replaces each `{place}` by the secret of that place, and remembers it. */
    fill: (template: string, stage: string) =>
      template.replace(/\{([\w-]+)\}/g, (_, place: string) => {
        const name = `${stage} ${place}`
        const secret = known.get(name) ?? String(Math.floor(7e11 + Math.random() * 2e11))
        known.set(name, secret)
        return secret
      }),
    /** Returns the places whose secret is in `sent`, as it is or in base64. */
    leaked: (sent: string, isWanted = (_place: string) => true) =>
      [...known].flatMap(([place, secret]) => {
        const forms = ['', '1', '12'].map((before) => btoa(before + secret).slice(before.length ? 4 : 0, 14))
        return isWanted(place) && [secret, ...forms].some((form) => sent.includes(form)) ? place : []
      }),
  }
}

/** Everything in a page that can hold a secret. Its places are named after rows of the checklist. */
const SECRET_HTML = `
  ${[
    'text',
    'search',
    'password',
    'email',
    'tel',
    'url',
    'number',
    'hidden',
    'checkbox',
    'radio',
    'submit',
    'button',
    'reset',
    'unknown',
  ]
    .map(
      (type) =>
        `<input type="${type}" value="{input-${type}}" name="{name-${type}}" placeholder="{placeholder-${type}}">`,
    )
    .join('')}
  <textarea>{typed-textarea}</textarea>
  <select><optgroup label="{optgroup}"><option value="{option-value}" label="{option-label}" selected>{option-text}</option></optgroup></select>
  <datalist><option value="{datalist}"></datalist>
  <div contenteditable="true"><p>{typed-editor}</p></div><div role="textbox">{typed-textbox}</div>
  <output>{output}</output><meter value="{meter}"></meter><details><summary>{summary}</summary>{details}</details>
  <p title="{title}" aria-label="{aria}" data-id="{data-value}" id="user-{id}" class="c-{class} end-marker" data-{attribute-name}="x" name="{name}">{text}</p>
  <img alt="{alt}" src="/i/{img-src}.png?x={img-query}" srcset="/i/{srcset}.png 2x"><a href="/orders/{link-path}?q={link-query}#{link-hash}" ping="/{ping}">x</a>
  <form action="/{form-action}"><button formaction="/{formaction}" value="{button-value}">y</button></form>
  <blockquote cite="/{cite}"></blockquote><video poster="/{poster}" src="/{video}"></video><object data="/{object}"></object>
  <a href="data:text/plain,{data-url}">d</a><img src="data:image/svg+xml,%3Csvg%3E{svg-url}%3C/svg%3E"><a href="javascript:{javascript}">j</a>
  <iframe srcdoc="<p>{frame-text}</p>"></iframe><iframe src="/{frame-src}"></iframe>
  <svg><title>{svg-title}</title><text>{svg-text}</text><foreignObject><p>{svg-foreign}</p></foreignObject><use href="/s.svg#{svg-use}"/></svg>
  <!-- {comment} --><script type="application/ld+json">{"a":"{json-ld}"}</script><template><p>{template}</p></template><noscript>{noscript}</noscript>
  <style>.a::after { content: "{css-content}"; background: url(/{css-url}) } :root { --name: "{css-variable}" } /* {css-comment} */ .u-{css-class} {color: red}</style>
  <p style="--x: '{style-variable}'; background: url('/{style-url}')">s</p>
  <dialog open>{dialog}</dialog><div popover>{popover}</div><my-card user="{custom-attribute}">{custom-text}</my-card>
  <div class="host"><template shadowrootmode="open">{shadow-root}<p>{shadow-text}</p><input value="{shadow-input}"></template><b>{slotted}</b></div>
  <div><template shadowrootmode="closed"><p>{shadow-closed}</p></template></div><canvas class="canvas"></canvas>`

const STRICT_OPTIONS = {
  session_recording: {
    masking: 'strict',
    full_snapshot_interval_millis: 2000,
    recordHeaders: true,
    recordBody: true,
    captureCanvas: { recordCanvas: true },
  },
  enable_recording_console_log: true,
} as const

/** Does with a page what people and scripts do, with the same places in other ways. */
const live = (page: Page, html: string, secret: (place: string) => string) =>
  page.evaluate(
    async ([html, ...all]) => {
      const [typed, property, moved, attribute, rule, adopted, shadow, url, log, body, drawn, title] = all
      const later = document.createElement('section')
      later.innerHTML = html!
      document.body.append(later)
      const input = document.querySelector('input')!
      input.value = property!
      input.setAttribute('value', attribute!)
      input.dispatchEvent(new Event('input', { bubbles: true }))
      for (const each of ['title', 'aria-label', 'alt', 'placeholder', 'href', 'style', 'class', 'data-x', 'value'])
        for (const element of document.querySelectorAll('p, a, option'))
          element.setAttribute(each, each === 'style' ? `--y: "${attribute}"` : `c${attribute}`)
      document.querySelector('[contenteditable]')!.textContent = typed!
      document.querySelector('textarea')!.value = typed!
      document.querySelector('textarea')!.dispatchEvent(new Event('input', { bubbles: true }))
      const password = document.querySelector<HTMLInputElement>('input[type="password"]')!
      password.value = property!
      password.type = 'text'
      password.replaceWith(password.cloneNode(true))
      const text = document.createElement('i')
      text.textContent = moved!
      document.body.append(text)
      document.querySelector('dialog')!.append(text)
      document.styleSheets[0]!.insertRule(`.z::before { content: "${rule}" }`)
      ;(document.styleSheets[0]!.cssRules[0] as CSSStyleRule).style.setProperty('--q', `"${rule}"`)
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(`.w::after { content: "${adopted}" }`)
      document.adoptedStyleSheets = [sheet]
      const root = document
        .querySelector('section')!
        .appendChild(document.createElement('div'))
        .attachShadow({ mode: 'open' })
      root.append(shadow!)
      root.append(Object.assign(document.createElement('p'), { textContent: shadow }))
      history.pushState({}, '', `/users/${url}?token=${url}#${url}`)
      document.title = title!
      console.log(log, { value: log }, new Error(log), [log])
      console.error('%s', log)
      await fetch(`/api/${body}?q=${body}`, {
        method: 'POST',
        body: JSON.stringify({ body }),
        headers: { 'x-id': body! },
      }).catch(() => {})
      const xhr = new XMLHttpRequest()
      xhr.open('POST', `/api/${body}`)
      xhr.setRequestHeader('authorization', body!)
      await new Promise((done) => ((xhr.onloadend = done), xhr.send(`a=${body}`)))
      const canvas = document.querySelector('canvas')!
      canvas.getContext('2d')!.fillText(drawn!, 10, 20)
      const selection = getSelection()!
      selection.selectAllChildren(document.querySelector('section p')!)
    },
    [
      html,
      ...[
        'typed',
        'property',
        'moved',
        'attribute',
        'rule',
        'adopted',
        'shadow',
        'url',
        'log',
        'body',
        'drawn',
        'title',
      ].map(secret),
    ],
  )

const visit = async (
  {
    page,
    site,
    put,
    network,
    record,
    chunks,
  }: { page: Page; site: { url: string } } & Pick<RecordingFixtures, 'record' | 'chunks'> & {
      put: (build: Build, path: string, body: string, config?: Partial<Config>) => void
      network: { url: string }
    },
  options: object,
) => {
  const secrets = createSecrets()
  const seed = (stage: string) => secrets.fill(SECRET_HTML, stage)
  await record({ consoleLogRecordingEnabled: true, networkPayloadCapture: { recordBody: true, recordHeaders: true } })
  put('npm', '/page', seed('snapshot'), { ...QUIET, api_host: network.url, ...options })
  await page.goto(`${site.url}/page?visitor=${secrets.fill('{query}', 'page')}`)
  await recording(page)
  await live(page, seed('mutation'), (place) => secrets.fill(`{${place}}`, 'live'))
  await page.locator('input[type="search"]').first().pressSequentially(secrets.fill('{keys}', 'live'))
  // Both a chunk after the changes, and a later full snapshot.
  await expect
    .poll(
      async () => {
        await cut(page)
        return types(chunks()).filter((type) => type === 2).length
      },
      { intervals: [500] },
    )
    .toBeGreaterThan(1)
  return secrets
}

test("masking: 'strict' lets no secret leave the page, wherever it is", async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  const secrets = await visit({ page, site, put, network, record, chunks }, STRICT_OPTIONS)
  const sent = text(chunks())
  expect(secrets.leaked(sent)).toEqual([])
  // The layout is there, also of what was added later.
  expect(sent).toContain('end-marker')
  expect(sent.match(/"tagName":"section"/g)!.length).toBeGreaterThan(0)
  expect(sent).toContain('"tagName":"my-card"')
  expect(sent).toContain('********')
})

test('by default nothing that is typed, hidden or named secret leaves the page', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  const secrets = await visit(
    { page, site, put, network, record, chunks },
    {
      session_recording: { full_snapshot_interval_millis: 2000 },
      enable_recording_console_log: true,
    },
  )
  const sent = text(chunks())
  const isTyped = (place: string) =>
    /typed|live (keys|property|attribute$)|input-(?!submit|button|reset)|shadow-input|comment|json-ld|template|noscript|frame|javascript|ping|body|custom-attribute|attribute-name|option-value|datalist/.test(
      place,
    ) && !/css-comment|live attribute/.test(place)
  expect(secrets.leaked(sent, isTyped)).toEqual([])
  expect(secrets.leaked(sent, (place) => place.endsWith(' text'))).not.toEqual([])
})

/** What rrweb and the plugins patch: a text that differs if any of it does. */
const natives = (page: Page) =>
  page.evaluate(() => {
    const own = window as unknown as { first?: unknown[] }
    const now = [
      ...[HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement].map(
        (each) => Object.getOwnPropertyDescriptor(each.prototype, 'value')!.set,
      ),
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'checked')!.set,
      Element.prototype.attachShadow,
      CSSStyleSheet.prototype.insertRule,
      CSSStyleSheet.prototype.deleteRule,
      CSSStyleDeclaration.prototype.setProperty,
      CSSStyleDeclaration.prototype.removeProperty,
      HTMLMediaElement.prototype.play,
      HTMLCanvasElement.prototype.getContext,
      Object.getOwnPropertyDescriptor(Document.prototype, 'adoptedStyleSheets')?.set,
      window.fetch,
      XMLHttpRequest.prototype.open,
      XMLHttpRequest.prototype.send,
      console.log,
      console.error,
    ]
    own.first ??= now
    return own.first.map((each, index) => each === now[index])
  })

test('stops by call and by consent, restores what it has patched, and starts again', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  await record(true)
  put('npm', '/', '<input id="a"><p>x</p>', {
    ...QUIET,
    api_host: network.url,
    disable_session_recording: true,
    enable_recording_console_log: true,
    session_recording: { recordHeaders: true },
  })
  await page.goto(site.url)
  await page.waitForFunction(() => window.analytics?.__loaded)
  const untouched = await natives(page)
  expect(untouched.every(Boolean)).toBe(true)
  await page.evaluate(() => window.analytics.startSessionRecording())
  await recording(page)
  await expect.poll(async () => (await natives(page)).every(Boolean)).toBe(false)
  expect(await page.evaluate(() => window.analytics.sessionRecordingStarted())).toBe(true)

  await page.evaluate(() => window.analytics.stopSessionRecording())
  expect(await natives(page)).toEqual(untouched)
  expect(await page.evaluate(() => window.analytics.sessionRecordingStarted())).toBe(false)

  await page.evaluate(() => window.analytics.startSessionRecording())
  await recording(page)
  await page.evaluate(() => window.analytics.opt_out_capturing())
  expect(await natives(page)).toEqual(untouched)
  const sent = chunks().length
  await page.evaluate(() => document.body.append('after the denial'))
  await cut(page)
  expect(chunks().length).toBe(sent)
  expect(text(chunks())).not.toContain('after the denial')
  await expect
    .poll(() => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name).join()))
    .not.toContain('trailmark-recording')
})

test('an invalid selector refuses to record, with one message', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  await record(true)
  put('npm', '/', '<p>text</p>', { ...QUIET, api_host: network.url, session_recording: { maskTextSelector: 'p[' } })
  const messages: string[] = []
  page.on('console', (message) => messages.push(message.text()))
  await page.goto(site.url)
  await expect.poll(() => status(page)).toBe('disabled')
  expect(
    messages.filter((each) => each.includes('session_recording.maskTextSelector expects a CSS selector')),
  ).toHaveLength(1)
  await cut(page)
  expect(chunks()).toEqual([])
})

test('a session waits for its trigger, and is sent with what was before', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  await record({ eventTriggers: ['checkout'] })
  put('npm', '/', '<p>before the trigger</p>', { ...QUIET, api_host: network.url })
  await page.goto(site.url)
  await expect.poll(() => status(page)).toBe('buffering')
  await cut(page)
  expect(chunks()).toEqual([])
  await page.evaluate(() => window.analytics.capture('checkout'))
  await recording(page)
  await expect
    .poll(async () => {
      await cut(page)
      return text(chunks())
    })
    .toContain('before the trigger')
  // The next page of the session needs no trigger, and continues the numbers.
  await page.reload()
  await recording(page)
  await expect
    .poll(async () => {
      await cut(page)
      return types(chunks()).filter((type) => type === 2).length
    })
    .toBeGreaterThan(1)
  // A page does not know what became of its last requests, so parts may arrive twice and in any order. Their numbers tell.
  const parts = new Map(chunks().map(({ uuid, properties }) => [uuid, properties.$snapshot_sequence as number]))
  const numbers = [...parts.values()].sort((a, b) => a - b)
  expect(numbers).toEqual(numbers.map((_, index) => index))
})

test('sends after an outage what a page could not send', async ({ page, site, put, network, record, chunks }) => {
  await record(true)
  put('npm', '/', '<p>first page</p>', { ...QUIET, api_host: network.url })
  await page.goto(site.url)
  await recording(page)
  await network.be(503)
  network.forget()
  await page.evaluate(() => document.body.append('written during the outage'))
  await expect
    .poll(async () => {
      await cut(page)
      return text(chunks())
    })
    .toContain('written during the outage')
  await page.goto('about:blank')
  await network.be('up')
  network.forget()
  await page.goto(site.url)
  await expect.poll(() => text(chunks())).toContain('written during the outage')
})

test('a new session starts with a full snapshot and from 0', async ({ page, site, put, network, record, chunks }) => {
  await record(true)
  put('npm', '/', '<p>page</p>', { ...QUIET, api_host: network.url })
  await page.goto(site.url)
  await recording(page)
  const first = await page.evaluate(() => window.analytics.get_session_id())
  await page.evaluate(() => window.analytics.reset())
  await page.evaluate(() => window.analytics.capture('next'))
  const next = await page.evaluate(() => window.analytics.get_session_id())
  expect(next).not.toBe(first)
  const ofNext = () => chunks().filter(({ properties }) => properties.$session_id === next)
  await expect
    .poll(async () => {
      await cut(page)
      return ofNext().length
    })
    .toBeGreaterThan(0)
  expect(ofNext()[0]!.properties).toMatchObject({ $snapshot_sequence: 0, $snapshot_has_full: true })
  expect(types(ofNext()).slice(0, 2)).toEqual([4, 2])
})
