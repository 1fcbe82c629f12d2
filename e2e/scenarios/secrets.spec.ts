import { startProxy } from '../support/proxy'
import { expect, test } from '../support/scenario'

/** A small generator of random numbers, so that a page that fails can be made again. */
const randomFrom = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}

/** A secret that can be found again in whatever carries it: a word, a payment card, a social security number. */
const makeSecret = (random: () => number, kind: 'word' | 'card' | 'ssn'): string => {
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 10)).join('')
  if (kind === 'card') return `4${digits(15)}`
  if (kind === 'ssn') return `${digits(3)}-${digits(2)}-${digits(4)}`
  return `s3cret${digits(10)}`
}

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

for (const seed of [1, 2]) {
  test(`no secret of a page leaves it, seed ${seed}`, async ({ page, site, service, put, stored }) => {
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
        host.attachShadow({ mode: 'open' }).innerHTML =
          `<div class="ph-no-capture"><button>${secret}</button></div><input type="password" value="${secret}"><button class="ph-sensitive" title="${secret}">${secret}</button>`
      }
    })
    for (const { id, secret } of hidden) {
      const element = page.locator(`#${id}`)
      if ((await element.getAttribute('data-type')) !== null) await element.pressSequentially(secret)
      if ((await element.getAttribute('data-copy')) !== null) {
        await element.evaluate((node) => getSelection()!.selectAllChildren(node))
        await page.keyboard.press('Control+C')
      }
      if ((await element.evaluate((node) => node.tagName)) === 'SELECT') await element.selectOption(secret)
      await element.evaluate((node) => (node as HTMLElement).click())
      for (const inner of await element.locator('button, input').all()) await inner.click()
    }
    // A page that shows it has sent: something after everything else.
    await page.evaluate(() => window.analytics.capture('last'))
    await page.evaluate(() => window.analytics.flush())
    const events = await stored((all) => all.some(({ event }) => event === 'last'))
    await page.goto('about:blank')
    await expect.poll(() => proxy.seen().includes('$pageleave')).toBe(true)

    // The clicks were captured; it is the secrets that were not.
    expect(events.filter(({ event }) => event === '$autocapture').length).toBeGreaterThan(50)
    const seen = proxy.seen()
    const leaked = [...secrets].filter(([secret]) =>
      [secret, secret.replace(/-/g, ''), encodeURIComponent(secret)].some((form) => seen.includes(form)),
    )
    expect(leaked.map(([secret, place]) => `${place}: ${secret}`)).toEqual([])
    await proxy.stop()
  })
}
