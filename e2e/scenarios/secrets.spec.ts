import { CHOICES, COMPONENTS, EDITORS, field, FORMS, AROUND, makeSecret, randomFrom } from '../support/editors'
import { pause } from '../support/pause'
import { startProxy } from '../support/proxy'
import { ready } from '../support/ready'
import { SEEDS } from '../support/seeds'
import { expect, test } from '../support/scenario'
import { fillField, fire, typeInto } from '../support/typing'

type Place = [kinds: ('word' | 'card' | 'ssn')[], html: (secret: string, id: string) => string]
const NUMBERS: Place[0] = ['card', 'ssn']
const ALL: Place[0] = ['word', 'card', 'ssn']

/** Places on a page whose content must not leave it. `id`: what is clicked. */
const PLACES: Record<string, Place> = {
  'a typed password': [ALL, (_, id) => `<input type="password" id="${id}" data-type>`],
  'a typed name': [ALL, (_, id) => `<input id="${id}" name="name" data-type>`],
  'a typed card number': [ALL, (_, id) => `<input id="${id}" name="cc-number" data-type>`],
  'a typed note': [ALL, (_, id) => `<textarea id="${id}" data-type></textarea>`],
  'typed rich text': [ALL, (_, id) => `<div id="${id}" contenteditable="true" data-type></div>`],
  'a value of a field': [ALL, (secret, id) => `<input id="${id}" value="${secret}">`],
  'a placeholder of a field': [ALL, (secret, id) => `<input id="${id}" placeholder="${secret}">`],
  'a hidden field': [
    ALL,
    (secret, id) =>
      `<form onsubmit="return false"><input type="hidden" name="csrf" value="${secret}"><button id="${id}">Go</button></form>`,
  ],
  'an option': [
    ALL,
    (secret, id) =>
      `<select id="${id}"><option value="a">a</option><option value="${secret}">${secret}</option></select>`,
  ],
  'text marked ph-no-capture': [
    ALL,
    (secret, id) => `<div class="ph-no-capture"><button id="${id}" title="${secret}">${secret}</button></div>`,
  ],
  'text marked ph-sensitive': [
    ALL,
    (secret, id) =>
      `<div class="ph-sensitive" data-x="${secret}"><button id="${id}" title="${secret}"><span>${secret}</span></button></div>`,
  ],
  'a marked part of a button': [
    ALL,
    (secret, id) =>
      `<button id="${id}">Pay <span class="ph-sensitive">${secret}</span> and <span><span class="ph-no-capture">${secret}</span></span></button>`,
  ],
  'text of a button': [NUMBERS, (secret, id) => `<button id="${id}">Pay with ${secret} now</button>`],
  'text of a link': [NUMBERS, (secret, id) => `<a id="${id}" href="#x"><span>${secret}</span></a>`],
  'an attribute': [
    NUMBERS,
    (secret, id) => `<button id="${id}" data-card="${secret}" aria-label="card ${secret}">Card</button>`,
  ],
  'a label': [NUMBERS, (secret, id) => `<label id="${id}">${secret}</label>`],
  'an author property': [
    NUMBERS,
    (secret, id) => `<button id="${id}" data-ph-capture-attribute-card="${secret}">Card</button>`,
  ],
  'an author property of a sensitive element': [
    ALL,
    (secret, id) => `<button id="${id}" class="ph-sensitive" data-ph-capture-attribute-name="${secret}">Name</button>`,
  ],
  'a secret parameter of a link': [ALL, (secret, id) => `<a id="${id}" href="#/reset?token=${secret}">Reset</a>`],
  'a secret parameter of a link to elsewhere': [
    ALL,
    (secret, id) =>
      `<a id="${id}" target="_blank" rel="noopener" href="http://127.0.0.1:9/reset?x=1&password=${secret}">Reset</a>`,
  ],
  'a number in the path of a link': [NUMBERS, (secret, id) => `<a id="${id}" href="#/cards/${secret}/edit">Edit</a>`],
  'copied from a marked text': [ALL, (secret, id) => `<p class="ph-sensitive" id="${id}" data-copy>${secret}</p>`],
  'a copied number': [NUMBERS, (secret, id) => `<p id="${id}" data-copy>card ${secret} here</p>`],
  'in a shadow root': [ALL, (secret, id) => `<div id="${id}" data-shadow="${secret}"></div>`],
}

for (const seed of SEEDS) {
  test(`sends no secret of a page, seed ${seed}`, async ({ page, site, service, put, stored }) => {
    const random = randomFrom(seed)
    const proxy = await startProxy(service.url)
    const secrets = new Map<string, string>()
    const hide = (place: string, kind: Place[0][number] = 'word') => {
      const secret = makeSecret(random, kind)
      secrets.set(secret, place)
      return secret
    }
    const hidden = Object.entries(PLACES)
      .flatMap(([place, [kinds, html]]) => kinds.map((kind) => ({ secret: hide(place, kind), html, order: random() })))
      .sort((a, b) => a.order - b.order)
      .map((each, index) => ({ ...each, id: `e${index}` }))
    put(
      'script',
      '/account',
      hidden.map(({ id, secret, html }) => `<section>${html(secret, id)}</section>`).join('\n'),
      {
        api_host: proxy.url,
        autocapture: { capture_copied_text: true },
        rate_limiting: { events_per_second: 1000 },
        request_queue_config: { flush_interval_ms: 5000 },
      },
    )
    put(
      'script',
      '/',
      `<a id="next" href="/account?email=x&reset_token=${hide('the address')}&pwd=${hide('the address')}&n=${hide('the address', 'card')}#access_token=${hide('the hash')}">Account</a>`,
      {
        api_host: proxy.url,
      },
    )

    await page.goto(`${site.url}/?password=${hide('the first address')}`)
    await page.locator('#next').click()
    await page.waitForURL('**/account**')
    await page.evaluate(() => {
      // The element that hides its secret in a shadow root.
      for (const host of document.querySelectorAll<HTMLElement>('[data-shadow]')) {
        const secret = host.dataset.shadow!
        delete host.dataset.shadow
        const root = host.attachShadow({ mode: 'open' })
        root.innerHTML = `<div class="ph-no-capture"><button>${secret}</button></div><input type="password" value="${secret}"><button class="ph-sensitive" title="${secret}">${secret}</button>`
      }
    })
    for (const { id, secret, html } of hidden) {
      const element = page.locator(`#${id}`)
      const code = html(secret, id)
      if (code.includes('data-type')) await element.pressSequentially(secret)
      if (code.includes('data-copy')) {
        await element.evaluate((node) => getSelection()!.selectAllChildren(node))
        await page.keyboard.press('Control+C')
      }
      if (code.startsWith('<select')) await element.selectOption(secret)
      await element.evaluate((node) => (node as HTMLElement).click())
      if (code.includes('data-shadow'))
        for (const inner of await element.locator('button, input').all()) await inner.click()
    }
    // An event captured after everything else, so its arrival shows that the page has sent all.
    await page.evaluate(() => window.analytics.capture('last'))
    await page.evaluate(() => window.analytics.flush())
    const events = await stored((all) => all.some(({ event }) => event === 'last'))
    await page.goto('about:blank')
    await expect.poll(() => proxy.seen().includes('$pageleave')).toBe(true)

    // The clicks were captured, but not the secrets.
    expect(events.filter(({ event }) => event === '$autocapture').length).toBeGreaterThan(50)
    const seen = proxy.seen()
    const leaked = [...secrets].filter(([secret]) =>
      [secret, secret.replace(/-/g, ''), encodeURIComponent(secret)].some((form) => seen.includes(form)),
    )
    expect(leaked.map(([secret, place]) => `${place}: ${secret}`)).toEqual([])
    await proxy.stop()
  })
}

for (const seed of SEEDS) {
  test(`sends nothing that a person types or chooses, generated from seed ${seed}`, async ({
    page,
    site,
    service,
    put,
    stored,
  }) => {
    const random = randomFrom(seed)
    const proxy = await startProxy(service.url)
    const around = (html: string, depth: number): string => {
      if (!depth) return html
      const inner = around(html, depth - 1)
      // The parser does not nest these.
      const possible = AROUND.filter((wrap) => !/<(button|a|form)\b.*<\1\b/.test(wrap(inner)))
      return possible[Math.floor(random() * possible.length)]!(inner)
    }
    const cases = [
      ...Object.entries(EDITORS).map(([name, html]) => ({ name, html: () => html, isTyped: true })),
      ...Object.entries(CHOICES).map(([name, html]) => ({ name, html, isTyped: false })),
      ...Object.keys(FORMS).map((name) => ({ name, html: () => field(name), isTyped: false })),
    ].map((each, index) => {
      const secret = FORMS[each.name]?.(random) ?? makeSecret(random, 'word')
      return { ...each, secret, id: `c${index}`, page: around(each.html(secret), 1 + Math.floor(random() * 2)) }
    })
    put(
      'script',
      '/',
      // Each section on its own: the parser moves misplaced elements out of their parents.
      `${COMPONENTS}<script>
        for (const [id, html] of ${JSON.stringify(cases.map(({ id, page: html }) => [id, html])).replace(/</g, '\\u003c')}) {
          const section = document.body.appendChild(document.createElement('section'))
          section.id = id
          section.innerHTML = html
          wire(section)
          reflect(section)
          shell(section)
        }
      </script>`,
      {
        api_host: proxy.url,
        autocapture: { capture_copied_text: true },
        rate_limiting: { events_per_second: 10_000, events_burst_limit: 100_000 },
        request_queue_config: { flush_interval_ms: 5000 },
      },
    )
    await page.goto(site.url)
    await ready(page)

    const untyped: string[] = []
    for (const { id, secret, isTyped, name } of cases) {
      const section = page.locator(`#${id}`)
      const editor = section.locator('[data-type]')
      if (isTyped) {
        if (!(await typeInto(page, editor, secret))) untyped.push(name)
        await page.keyboard.press('Control+A')
        await page.keyboard.press('Control+C')
      }
      await fillField(editor, name, secret)
      if (FORMS[name]) expect(await editor.inputValue()).toContain(secret)
    }
    await page.evaluate(() => getSelection()!.removeAllRanges())
    // The first click loads the click detector, which gives up on a page with this much activity in the meantime.
    const detector = page.waitForResponse(/clicks\.js$/)
    await page.evaluate(() => document.body.click())
    await detector
    // The response comes before the script has run, by seconds on a busy machine.
    await page.waitForFunction(
      () => '__trailmark_extensions__' in window && 'clicks' in Object(window.__trailmark_extensions__),
    )
    await pause(page, 600)
    // A set, because there are more reports than `explain` keeps.
    const captured = await page.evaluateHandle(() => {
      const names = new Set<string>()
      window.analytics.on('eventCaptured', ({ event }) => names.add(event))
      return names
    })
    await fire(page, ['click', 'click', 'click'])
    // Rage and dead clicks describe elements too. Each kind is reported for all its clicks within a second.
    await expect
      .poll(() => captured.evaluate((names) => [...names]))
      .toEqual(expect.arrayContaining(['$rageclick', '$dead_click']))
    await pause(page, 2000)
    await fire(page, ['change', 'submit', 'copy', 'cut'])
    await page.evaluate(() => window.analytics.capture('last'))
    await page.evaluate(() => window.analytics.flush())
    const events = await stored((all) => all.some(({ event }) => event === 'last'))
    await page.goto('about:blank')
    await expect.poll(() => proxy.seen().includes('$pageleave')).toBe(true)

    expect(untyped.length).toBeLessThan(Object.keys(EDITORS).length / 4)
    expect(events.filter(({ event }) => event === '$autocapture').length).toBeGreaterThan(200)
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['$rageclick', '$dead_click']))
    const seen = proxy.seen()
    // The text of editors is captured when it is copied or cut, and otherwise never.
    const otherwise = seen.replace(/"\$selected_content":"(?:[^"\\]|\\.)*"/g, '')
    const leaked = cases.filter(({ secret, page: html }) =>
      [secret, encodeURIComponent(secret), String(new URLSearchParams({ '': secret }))].some((form) =>
        (/contenteditable/i.test(html) ? otherwise : seen).includes(form),
      ),
    )
    expect(leaked.map(({ name, page: html }) => `${name}: ${html}`)).toEqual([])
    await proxy.stop()
  })
}

test('sends no content of a document in design mode', async ({ page, site, service, put, stored }) => {
  const proxy = await startProxy(service.url)
  const secret = 's3cret4711'
  put(
    'script',
    '/',
    `<form><p id="p">${secret}</p><button type="button" id="b" title="${secret}">${secret}</button></form>`,
    {
      api_host: proxy.url,
      autocapture: { capture_copied_text: true },
    },
  )
  await page.goto(site.url)
  await ready(page)
  await page.evaluate(() => {
    document.designMode = 'on'
    for (const id of ['p', 'b']) document.getElementById(id)!.click()
    getSelection()!.selectAllChildren(document.body)
    document.execCommand('copy')
    window.analytics.capture('last')
    window.analytics.flush()
  })
  const events = await stored((all) => all.some(({ event }) => event === 'last'))
  expect(events.map(({ event }) => event)).toContain('$autocapture')
  expect(proxy.seen()).not.toContain(secret)
  await proxy.stop()
})
