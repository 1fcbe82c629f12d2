import type { Page } from 'playwright/test'
import { clickThrice } from '../support/clickThrice'
import { pause } from '../support/pause'
import { ready } from '../support/ready'
import { BUILDS, expect, test } from '../support/scenario'
import type { StoredEvent } from '../support/service'

const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false }
const DEAD = '<button id="dead" class="wide">Dead</button>'

const named = (name: string) => (events: StoredEvent[]) => events.some(({ event }) => event === name)
const accused = (events: StoredEvent[]) =>
  events.map(({ event, properties }) => `${event} ${String(properties.$pathname)} ${String(properties.$el_text)}`)

for (const build of BUILDS) {
  test.describe(`${build} build`, () => {
    test('reports a button that does nothing once, and loads the click detector with the first click only', async ({
      page,
      site,
      put,
      stored,
    }) => {
      put(build, '/', DEAD, QUIET)
      const fetched: string[] = []
      page.on('request', (request) => fetched.push(request.url()))
      await page.goto(site.url)
      await ready(page)
      await page.waitForLoadState('networkidle')
      expect(fetched.filter((url) => url.includes('clicks'))).toEqual([])
      const before = Date.now()
      await page.locator('#dead').click()
      const [event, ...others] = await stored(named('$dead_click'))
      expect(others).toEqual([])
      expect(fetched.filter((url) => url.includes('clicks'))).toHaveLength(1)
      expect(event!.properties).toMatchObject({
        $event_type: 'click',
        $el_text: 'Dead',
        $elements: [
          expect.objectContaining({ tag_name: 'button', $el_text: 'Dead', attr__id: 'dead', classes: ['wide'] }),
          expect.objectContaining({ tag_name: 'body' }),
        ],
        $dead_click_absolute_timeout: true,
        $dead_click_mutation_timeout: false,
        $dead_click_scroll_timeout: false,
        $dead_click_selection_changed_timeout: false,
        $dead_click_visibility_changed_timeout: false,
        $event_time_override_provided: true,
      })
      const { $dead_click_event_timestamp: at, $dead_click_absolute_delay_ms: delay } = event!.properties as Record<
        string,
        number
      >
      expect(at).toBeGreaterThanOrEqual(before)
      expect(delay).toBeGreaterThanOrEqual(2750)
      // The click's time, not that of the verdict.
      expect(Date.now() - at!).toBeGreaterThanOrEqual(2750)
    })

    test('reports three quick clicks without a response, but not those on a working stepper', async ({
      page,
      site,
      put,
      stored,
    }) => {
      put(
        build,
        '/',
        `<button id="more" onclick="count.textContent++">+</button><output id="count">0</output>${DEAD}`,
        { ...QUIET, autocapture: true, capture_dead_clicks: false },
      )
      await page.goto(site.url)
      await ready(page)
      for (let times = 0; times < 6; times++) await page.locator('#more').click()
      await clickThrice(page.locator('#dead'))
      const events = await stored(named('$rageclick'))
      expect(accused(events).filter((each) => each.startsWith('$rage'))).toEqual(['$rageclick / Dead'])
      expect(events.find(({ event }) => event === '$rageclick')!.properties).toMatchObject({
        $event_type: 'click',
        $ce_version: 1,
      })
    })
  })
}

/** Controls that work, each on its own page: the content of the page, and what a person does there. */
const ALIVE: Record<string, { html: string; act?: (page: Page) => Promise<unknown> }> = {
  changes: { html: '<button id="it" onclick="this.textContent = \'Done\'">x</button>' },
  'changes-later': {
    html: '<button id="it" onclick="setTimeout(() => document.body.append(\'Done\'), 1500)">x</button>',
    act: async (page) => {
      await page.locator('#it').click()
      await page.getByText('Done').waitFor()
    },
  },
  scrolls: {
    html: '<button id="it" style="position: fixed; top: 0" onclick="window.scrollTo(0, 400)">x</button><div style="height: 5000px"></div>',
  },
  'scrolls-inside': {
    html: '<button id="it" onclick="list.scrollTop = 50">x</button><div id="list" style="height: 50px; overflow: auto"><div style="height: 500px"></div></div>',
  },
  'opens-dialog': {
    html: '<button id="it" onclick="d.showModal()">x</button><dialog id="d"><form method="dialog"><button id="ok">OK</button></form></dialog>',
    act: async (page) => {
      await page.locator('#it').click()
      await page.locator('#ok').click()
    },
  },
  'opens-popover': {
    html: '<button id="it" onclick="p.showPopover()">x</button><div id="p" popover>Hello</div>',
    act: async (page) => {
      await page.locator('#it').click()
      await page.keyboard.press('Escape')
    },
  },
  'opens-details': { html: '<details><summary id="it">More</summary>text</details>' },
  copies: { html: '<button id="it" onclick="navigator.clipboard.writeText(\'x\')">x</button>' },
  'starts-video': { html: '<button id="it" onclick="v.play().catch(() => {})">x</button><video id="v"></video>' },
  'is-video': { html: '<video id="it" controls></video>' },
  'is-select': {
    html: '<select id="it"><option>a<option>b</select>',
    act: async (page) => {
      await page.locator('#it').click()
      await page.keyboard.press('Escape')
    },
  },
  'is-checkbox': { html: '<label id="it"><input type="checkbox"> Yes</label>' },
  'is-field': { html: '<input id="it" value="text">' },
  'is-link': { html: '<a id="it" href="javascript:void 0">x</a>' },
  'focuses-field': { html: '<button id="it" onclick="f.focus()">Search</button><input id="f">' },
  'wants-a-field': { html: '<form><input id="f" required><button id="it">Send</button></form>' },
  'opens-file-dialog': {
    html: '<button id="it" onclick="f.click()">x</button><input id="f" type="file" hidden>',
    act: async (page) => {
      await Promise.all([page.waitForEvent('filechooser'), page.locator('#it').click()])
    },
  },
  'opens-window': {
    html: "<button id=\"it\" onclick=\"window.open('/opened', '_blank', 'noopener')\">x</button>",
    act: async (page) => {
      const [opened] = await Promise.all([page.context().waitForEvent('page'), page.locator('#it').click()])
      await opened.close()
      await page.bringToFront()
    },
  },
  downloads: {
    html: "<button id=\"it\" onclick=\"Object.assign(document.createElement('a'), { href: 'data:,x', download: 'x.txt' }).click()\">x</button>",
    act: async (page) => {
      await Promise.all([page.waitForEvent('download'), page.locator('#it').click()])
    },
  },
  asks: {
    html: '<button id="it" onclick="alert(1)">x</button>',
    act: async (page) => {
      page.on('dialog', (dialog) => void dialog.accept())
      await page.locator('#it').click()
    },
  },
  'with-key': {
    html: '<button id="it">x</button>',
    act: (page) => page.locator('#it').click({ modifiers: ['Control'] }),
  },
  excluded: { html: '<div class="ph-no-deadclick"><button id="it">x</button></div>' },
  'marks-text': { html: '<p id="it">Some words that are read</p>', act: (page) => page.locator('#it').dblclick() },
  navigates: {
    html: '<button id="it" onclick="location.href = \'/next\'">x</button>',
    act: async (page) => {
      await page.locator('#it').click()
      await page.waitForURL('**/next')
      await ready(page)
    },
  },
  'navigates-slowly': {
    html: '<button id="it" onclick="location.href = \'/next\'">x</button>',
    act: async (page) => {
      await page.route('**/next', async (route) => {
        await new Promise((done) => setTimeout(done, 4000))
        await route.continue()
      })
      await page.locator('#it').click({ noWaitAfter: true })
      await page.waitForURL('**/next')
      await ready(page)
    },
  },
  'navigates-in-app': { html: '<button id="it" onclick="history.pushState(null, \'\', \'/next\')">x</button>' },
}

test('does not report a click that has a response of any kind', async ({ context, site, put, stored }) => {
  put('script', '/next', DEAD, QUIET)
  await Promise.all(
    Object.entries(ALIVE).map(async ([name, { html, act }]) => {
      put('script', `/${name}`, `${html}<div style="position: fixed; bottom: 0">${DEAD}</div>`, QUIET)
      const page = await context.newPage()
      await page.goto(`${site.url}/${name}`)
      await ready(page)
      await (act?.(page) ?? page.locator('#it').click())
      // Click detection runs on this page too: it reports the dead button after the other one. Not within the first
      // second, because a click that brings the window to the front is never a dead click.
      await pause(page, 1200)
      await page.locator('#dead').click()
    }),
  )
  const events = await stored((all) => all.length >= Object.keys(ALIVE).length)
  const expected = Object.keys(ALIVE).map((name) => `$dead_click /${name.startsWith('navigates') ? 'next' : name} Dead`)
  expect(accused(events).sort()).toEqual(expected.sort())
})

/**
 * A page's own activity: runs `step` after each pause of a cycle, in ms. Announces each change and the pause that
 * follows, so that a test can click in the middle of one: a change that follows a click after a whole pause may be its
 * effect.
 */
const repeat = (pauses: number[], step: string) => `<script>
  let steps = 0
  const announce = () =>
    dispatchEvent(new CustomEvent('step', { detail: ${JSON.stringify(pauses)}[(steps - 1) % ${pauses.length}] }))
  const next = () => {
    ${step}
    setTimeout(next, ${JSON.stringify(pauses)}[steps++ % ${pauses.length}])
  }
  new MutationObserver(announce).observe(document.body, { subtree: true, childList: true, attributes: true })
  // Comes with the next frame, which is late where a page is not in front.
  addEventListener('scroll', announce, true)
  next()</script>`

const clock = repeat([1000], 'o.textContent = Date.now()')
const slides = '<div><div id="c"><i class="on">a</i><i>b</i><i>c</i></div></div>'
/** Pages whose own activity surrounds a dead button. */
const NOISE: Record<string, string> = {
  clock: `${DEAD}<output id="o"></output>${clock}`,
  'far-clock': `<header><output id="o"></output></header><main><section>${DEAD}</section></main>${clock}`,
  carousel: `${slides}<main><section>${DEAD}</section></main>${repeat(
    [2000],
    `[...c.children].forEach((slide, index) => slide.classList.toggle('on', index === steps % 3))`,
  )}`,
  'scrolling-carousel': `<div id="c" style="width: 100px; overflow: auto"><p style="width: 9000px">a</p></div><main><section>${DEAD}</section></main>${repeat(
    [900, 3000],
    'c.scrollLeft += 10',
  )}`,
  chat: `<aside><ul id="l"></ul></aside><main><section>${DEAD}</section></main>${repeat(
    [300, 800, 450, 700],
    `l.append(Object.assign(document.createElement('li'), { textContent: 'Hi' }))`,
  )}`,
  'irregular-carousel': `${slides}<main><section>${DEAD}</section></main>${repeat(
    [200, 2700, 900, 1800],
    `c.className = 'at' + steps
    c.firstChild.textContent = 'slide ' + steps`,
  )}`,
  'irregular-chat-in-body': `<ul id="l"></ul><main>${DEAD}</main>${repeat(
    [100, 3000, 500, 1900],
    `document.body.append(Object.assign(document.createElement('p'), { textContent: 'Hi' }))`,
  )}`,
  ticker: `<p id="t">0</p><main><section>${DEAD}</section></main>${repeat([100], 't.textContent++')}`,
}

/** Dead buttons that only acknowledge the press. */
const FEEDBACK: Record<string, string> = {
  ripple: `${DEAD}<script>dead.onclick = () => {
    const wave = dead.appendChild(document.createElement('span'))
    wave.className = 'ripple'
    setTimeout(() => wave.remove(), 600)
  }</script>`,
  'class-ripple': `${DEAD}<script>dead.onclick = () => { dead.classList.add('wave'); setTimeout(() => dead.classList.remove('wave'), 300) }</script>`,
  busy: `${DEAD}<script>dead.onclick = () => { dead.ariaBusy = 'true'; setTimeout(() => (dead.ariaBusy = 'false'), 100) }</script>`,
  'loading-bar': `<main><section>${DEAD}</section></main><script>dead.onclick = () => {
    const bar = document.body.appendChild(document.createElement('div'))
    setTimeout(() => bar.remove(), 400)
  }</script>`,
  'prevented-checkbox': '<form><input id="dead" type="checkbox" onclick="event.preventDefault()"></form>',
}

/**
 * Clicks the dead button three times by the page's own clock: on a noisy page in the middle of a pause. Returns whether the
 * machine was quick enough for that: the clicks were quick ones, and the next change came well before a whole pause.
 */
const clickDeadThrice = (page: Page, isNoisy: boolean) =>
  page.evaluate(
    (isNoisy) =>
      new Promise<boolean>((resolve) => {
        const clickedAt: number[] = []
        const click = () => {
          clickedAt.push(performance.now())
          // Not `click()`, because a call of `click()` counts as a response of the page, such as a file dialog or a download.
          const init = { bubbles: true, composed: true, cancelable: true }
          document.getElementById('dead')!.dispatchEvent(new MouseEvent('click', init))
        }
        const clickThrice = (pause: number) => {
          let changedAt = isNoisy ? Infinity : 0
          addEventListener('step', () => (changedAt = Math.min(changedAt, performance.now())))
          setTimeout(click, 150)
          setTimeout(click, 300)
          click()
          setTimeout(
            () =>
              resolve(
                clickedAt.every((at, index) => at - (clickedAt[index - 1] ?? at) < 800) &&
                  changedAt - clickedAt[0]! < Math.max(pause * 0.8, 80),
              ),
            Math.max(pause, 300),
          )
        }
        const onStep = ({ detail }: CustomEventInit<number>) => setTimeout(clickThrice, detail! / 2, detail)
        if (isNoisy) addEventListener('step', onStep as EventListener, { once: true })
        else clickThrice(0)
      }),
    isNoisy,
  )

test('does not count activity of the page itself or press feedback as a response', async ({
  context,
  site,
  put,
  stored,
}) => {
  const expected: string[] = []
  await Promise.all(
    Object.entries({ ...NOISE, ...FEEDBACK }).map(async ([name, html]) => {
      for (let attempt = 1; ; attempt++) {
        const path = `/${name}/${attempt}`
        // The button stays in place, although elements next to it grow.
        put('script', path, `<style>#dead { position: fixed; top: 0; z-index: 1 }</style>${html}`, QUIET)
        const page = await context.newPage()
        await page.goto(`${site.url}${path}`)
        await ready(page)
        // Later than a second after the window got the focus.
        await pause(page, 1500)
        if (await clickDeadThrice(page, name in NOISE))
          return expected.push(`$dead_click ${path}`, `$rageclick ${path}`)
        await page.close()
      }
    }),
  )
  let reported: string[] = []
  const missing = async () => {
    reported = accused(await stored(() => true))
      .map((each) => each.split(' ', 2).join(' '))
      .filter((each) => expected.some((event) => event.endsWith(each.split(' ')[1]!)))
    return expected.filter((each) => !reported.includes(each))
  }
  await expect.poll(missing).toEqual([])
  expect(reported.sort()).toEqual(expected.sort())
})

test('does not count a change that was due before the click as a response', async ({ page, site, put, stored }) => {
  put('script', '/', `<p id="t">0</p><main><section>${DEAD}</section></main>`, QUIET)
  await page.goto(site.url)
  await ready(page)
  await pause(page, 1200)
  await page.evaluate(() => {
    const start = performance.now()
    setInterval(() => (document.getElementById('t')!.textContent = String(performance.now())), 500)
    setTimeout(() => document.getElementById('dead')!.dispatchEvent(new MouseEvent('click', { bubbles: true })), 490)
    // Both are due when the page is no longer busy, so the clock's change follows the click immediately.
    setTimeout(() => {
      while (performance.now() - start < 550);
    }, 300)
  })
  expect(accused(await stored(named('$dead_click')))).toEqual(['$dead_click / Dead'])
})

/** Controls that work beside a clock: the response is late, far away, repeated, or small. */
const RESPONSES: Record<string, string> = {
  'far-late':
    '<header><output id="o">0</output></header><main><section><button id="it">x</button></section></main><script>it.onclick = () => setTimeout(() => o.textContent++, 300)</script>',
  'add-to-cart':
    '<header><b id="o">0</b></header><main><section><p><button id="it">Add to cart</button></p></section></main><script>it.onclick = async () => { await fetch("data:,"); o.textContent++ }</script>',
  'opens-on-press':
    '<main><button id="it">x</button><div id="m" hidden>Menu</div></main><script>it.onpointerdown = () => (m.hidden = !m.hidden)</script>',
  stopwatch:
    '<main><button id="it">x</button></main><output id="o">0</output><script>it.onclick = () => setInterval(() => o.textContent++, 1000)</script>',
  toggle:
    '<button id="it" aria-pressed="false">x</button><script>it.onclick = () => (it.ariaPressed = String(it.ariaPressed === "false"))</script>',
  stepper:
    '<button id="it">x</button><output id="o">0</output><script>it.onclick = () => setTimeout(() => o.textContent++, 150)</script>',
  'brief-notice':
    '<main><button id="it">x</button></main><aside></aside><script>it.onclick = () => { const n = document.querySelector("aside").appendChild(document.createElement("p")); n.textContent = "Saved"; setTimeout(() => n.remove(), 400) }</script>',
  icon: '<button id="it"><i class="heart">.</i></button><script>it.onclick = () => it.firstChild.classList.toggle("full")</script>',
  checkbox: '<input id="it" type="checkbox">',
  radio: '<input id="it" type="radio" checked>',
}
// A late change elsewhere counts as a response to a single click, but not to a rage click.
const ONCE = ['far-late', 'add-to-cart', 'stopwatch']

test('does not report a control that responds late, far away or repeatedly', async ({ context, site, put, stored }) => {
  await Promise.all(
    Object.entries(RESPONSES).map(async ([name, html]) => {
      put(
        'script',
        `/${name}`,
        `${html}<nav><b id="clock"></b></nav><script>setInterval(() => (clock.textContent = Date.now()), 1000)</script>`,
        QUIET,
      )
      const page = await context.newPage()
      await page.goto(`${site.url}/${name}`)
      await ready(page)
      await pause(page, 1200)
      for (let times = 0; times < (ONCE.includes(name) ? 1 : 3); times++) {
        await page.locator('#it').click()
        await pause(page, 200)
      }
      await pause(page, 13_000)
      await page.evaluate(() => void window.analytics.capture('done'))
    }),
  )
  const count = Object.keys(RESPONSES).length
  const events = await stored((all) => all.filter(({ event }) => event === 'done').length === count)
  expect(accused(events).filter((each) => !each.startsWith('done'))).toEqual([])
})

test('reports a rage click when the page is left after the third click', async ({ page, site, put, stored }) => {
  put('script', '/', DEAD, QUIET)
  put('script', '/elsewhere', '', QUIET)
  await page.goto(site.url)
  await ready(page)
  await page.locator('#dead').click()
  await stored(named('$dead_click'))
  // In the page, because more than a second can pass between two steps of a test on a busy machine.
  await page.locator('#dead').evaluate((button, url) => {
    const click = () => button.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }))
    for (let times = 0; times < 3; times++) click()
    setTimeout(() => (location.href = url))
  }, `${site.url}/elsewhere`)
  const events = await stored(named('$rageclick'))
  expect(accused(events).filter((each) => each.startsWith('$rage'))).toEqual(['$rageclick / Dead'])
})

test('reads as many elements for a click on a large page as on a small one', async ({ page, site, put }) => {
  // Hidden, because layout of so many elements takes more time than all that the test reads.
  put('script', '/', `<main><p>${DEAD}</p></main><div id="much" hidden></div>`, { ...QUIET, autocapture: true })
  await page.goto(site.url)
  await ready(page)
  const reads = (size: number) =>
    page.evaluate(async (elements) => {
      document.getElementById('much')!.innerHTML = '<div><i></i><i></i><i></i><i></i></div>'.repeat(elements / 5)
      let count = 0
      const restore: (() => void)[] = []
      /** Counts the nodes that a method of tree traversal returns. */
      const spy = (owner: object, name: string) => {
        const original = Object.getOwnPropertyDescriptor(owner, name)
        if (!original) return
        const counting = (run: (...args: never[]) => { length?: number } | null) =>
          function (this: unknown, ...args: never[]) {
            const found = run.apply(this, args)
            count += found?.length ?? 1
            return found
          }
        const { value, get } = original as { value: never; get: never }
        const changed = value ? { value: counting(value) } : { get: counting(get) }
        Object.defineProperty(owner, name, { configurable: true, ...changed })
        restore.push(() => Object.defineProperty(owner, name, original))
      }
      for (const owner of [Document, DocumentFragment, Element, Node])
        for (const name of 'querySelectorAll querySelector children firstElementChild lastElementChild nextElementSibling previousElementSibling shadowRoot getElementsByTagName getElementsByClassName childNodes firstChild nextSibling createTreeWalker createNodeIterator evaluate'.split(
          ' ',
        ))
          spy(owner.prototype, name)
      document.getElementById('dead')!.click()
      restore.forEach((each) => each())
      await new Promise((done) => setTimeout(done, 1100))
      return count
    }, size)
  // Large enough that the search for shadow roots near the click ends at its bound.
  const small = await reads(5000)
  expect(small).toBeGreaterThan(0)
  expect(await reads(100_000)).toBe(small)
})

test('detects responses in open shadow roots, and reports clicks without one', async ({ page, site, put, stored }) => {
  put(
    'script',
    '/',
    `<add-one></add-one><the-count></the-count><script>
      customElements.define('the-count', class extends HTMLElement {
        constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<output>0</output>' }
        add() { this.shadowRoot.querySelector('output').textContent++ }
      })
      customElements.define('add-one', class extends HTMLElement {
        constructor() {
          super()
          this.attachShadow({ mode: 'open' }).innerHTML = '<button id="here">Here</button><button id="there">There</button><button id="nowhere">Nowhere</button>'
          const on = (id, run) => this.shadowRoot.getElementById(id).addEventListener('click', run)
          on('here', (event) => event.target.toggleAttribute('aria-pressed'))
          on('there', () => document.querySelector('the-count').add())
        }
      })
    </script>`,
    QUIET,
  )
  await page.goto(site.url)
  await ready(page)
  for (const id of ['here', 'there', 'nowhere']) await page.locator(`#${id}`).click()
  const [event, ...others] = await stored(named('$dead_click'))
  expect(others).toEqual([])
  expect(event!.properties).toMatchObject({
    $el_text: 'Nowhere',
    $elements: ['button', 'add-one', 'body'].map((tag_name) => expect.objectContaining({ tag_name }) as object),
  })
})

test('does not count a late change or a request as a response', async ({ context, site, put, stored }) => {
  put(
    'script',
    '/late',
    '<button id="b" onclick="setTimeout(() => document.body.append(1), 2600)">Late</button>',
    QUIET,
  )
  put('script', '/request', '<button id="b" onclick="fetch(\'/nothing\')">Request</button>', QUIET)
  for (const path of ['/late', '/request']) {
    const page = await context.newPage()
    await page.goto(site.url + path)
    await ready(page)
    await page.locator('#b').click()
  }
  const events = await stored((all) => all.length === 2)
  const of = (path: string) => events.find(({ properties }) => properties.$pathname === path)!.properties
  expect(of('/late')).toMatchObject({
    $dead_click_mutation_timeout: true,
    $dead_click_mutation_delay_ms: expect.any(Number),
    $dead_click_last_mutation_timestamp: expect.any(Number),
  })
  expect(of('/late').$dead_click_mutation_delay_ms).toBeGreaterThanOrEqual(2500)
  expect(of('/request')).toMatchObject({ $dead_click_mutation_timeout: false, $dead_click_absolute_timeout: true })
})

for (const [how, forbid] of Object.entries<(page: Page) => Promise<unknown>>({
  'is not found': (page) => page.route('**/clicks.js', (route) => route.fulfill({ status: 404 })),
  'cannot be reached': (page) => page.route('**/clicks.js', (route) => route.abort()),
  'is forbidden by the Content-Security-Policy': async () => {},
})) {
  test(`the page and all other features work when the code ${how}`, async ({ page, site, service, stored }) => {
    const options = JSON.stringify({
      api_host: service.url,
      opt_out_useragent_filter: true,
      capture_pageleave: false,
      request_queue_config: { flush_interval_ms: 250 },
    })
    site.page(
      '/',
      `<!doctype html><title>csp</title><script src="${service.url}/static/analytics.js"></script><script nonce="n">analytics.init('${service.token}', ${options})</script>${DEAD}`,
      how.startsWith('is forbidden')
        ? { 'Content-Security-Policy': `script-src 'nonce-n' ${service.url}/static/analytics.js` }
        : {},
    )
    const errors: string[] = []
    const ours: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('console', (message) => message.text().includes('[trailmark]') && ours.push(message.text()))
    let requests = 0
    page.on('request', (request) => request.url().endsWith('/clicks.js') && (requests += 1))
    await forbid(page)
    await page.goto(site.url)
    await ready(page)
    for (let times = 0; times < 4; times++) await page.locator('#dead').click()
    await stored((all) => all.filter(({ event }) => event === '$autocapture').length === 4)
    await page.evaluate(() => void window.analytics.capture('after'))
    await stored(named('after'))
    expect(errors).toEqual([])
    // One message, of one request.
    const told = ours.filter((line) => !line.includes('/database.js'))
    expect(told).toEqual([expect.stringContaining(`${service.url}/static/clicks.js is missing, blocked or`)])
    expect(requests).toBeLessThanOrEqual(1)
  })
}

test('set_config and consent turn click detection off and on', async ({ page, site, put, stored }) => {
  put('script', '/', DEAD, { ...QUIET, capture_dead_clicks: false, rageclick: false })
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(request.url()))
  await page.goto(site.url)
  await ready(page)
  const change = (config: object) => page.evaluate((given) => window.analytics.set_config(given), config)
  await page.locator('#dead').click()
  await change({ capture_dead_clicks: true })
  expect(fetched.filter((url) => url.includes('clicks'))).toEqual([])
  await page.evaluate(() => {
    document.getElementById('dead')!.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }))
    window.analytics.set_config({ capture_dead_clicks: false })
  })
  await pause(page, 1100)
  await change({ capture_dead_clicks: true })
  const changedAt = await page.evaluate(() => Date.now())
  await page.locator('#dead').click()
  const [event, ...others] = await stored(named('$dead_click'))
  // Only the last of the three.
  expect(others).toEqual([])
  expect(event!.properties.$dead_click_event_timestamp).toBeGreaterThanOrEqual(changedAt)
  await page.evaluate(() => {
    document.getElementById('dead')!.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }))
    window.analytics.opt_out_capturing()
  })
  await pause(page, 3500)
  await page.evaluate(() => window.analytics.opt_in_capturing())
  expect(accused(await stored(named('$opt_in'))).map((each) => each.split(' ')[0])).toEqual(['$dead_click', '$opt_in'])
})

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true })

  test('reports a swipe without a response, but not one that moves a carousel or scrolls', async ({
    page,
    site,
    put,
    stored,
  }) => {
    const style = 'style="width: 300px; height: 100px"'
    put(
      'script',
      '/',
      `<div id="dead" ${style}>Dead</div><div id="alive" ${style} ontouchend="this.append('.')">Alive</div>
      <div id="list" style="width: 300px; height: 100px; overflow: auto"><p style="width: 2000px">Scrolls</p></div>`,
      QUIET,
    )
    await page.goto(site.url)
    await ready(page)
    const touches = await page.context().newCDPSession(page)
    const swipe = async (selector: string) => {
      const { x, y } = (await page.locator(selector).boundingBox())!
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', dx?: number) =>
        touches.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: dx === undefined ? [] : [{ x: x + 200 - dx, y: y + 20 }],
        })
      await touch('touchStart', 0)
      for (const dx of [20, 60, 100]) await touch('touchMove', dx)
      await touch('touchEnd')
    }
    await swipe('#alive')
    await swipe('#list')
    // Its scrolling would count as a response to the next swipe.
    await page.waitForFunction(() => document.getElementById('list')!.scrollLeft > 0)
    await pause(page, 1000)
    await swipe('#dead')
    const [event, ...others] = await stored(named('$dead_swipe'))
    expect(others).toEqual([])
    expect(event!.properties).toMatchObject({
      $el_text: 'Dead',
      $event_type: 'touchend',
      $dead_swipe_direction: 'left',
      $dead_swipe_distance_px: 100,
      $dead_swipe_absolute_timeout: true,
    })
  })
})
