import { ready } from '../support/ready'
import { expect, test } from '../support/scenario'

const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false }

test('hostile values at every entrance are stored as small JSON, and no event is lost', async ({
  page,
  put,
  site,
  stored,
}) => {
  // A cross-origin frame: most properties of its window throw.
  put('script', '/', '<form name="title"></form><iframe id="foreign" src="data:text/html,foreign"></iframe>', QUIET)
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.goto(site.url)
  await ready(page)

  const names = await page.evaluate(() => {
    const throwing = () => {
      throw new Error('the page threw')
    }
    // Like a class component of React: its fiber leads to every other.
    const fibers = Array.from({ length: 300 }, (_, key) => ({ key, stateNode: document.body }))
    for (const [index, fiber] of fibers.entries()) {
      const [next, previous] = [fibers[(index + 1) % 300], fibers[(index + 299) % 300]]
      Object.assign(fiber, {
        return: previous,
        child: next,
        sibling: fibers[(index * 7) % 300],
        alternate: { ...fiber },
      })
    }
    const component = { props: { rows: [1, 2] }, _reactInternals: fibers[0], fiber: fibers[1] }
    const friends: Record<string, unknown>[] = Array.from({ length: 12 }, () => ({}))
    for (const each of friends) friends.forEach((other, index) => (each[`friend${index}`] = other))
    const hostile: Record<string, unknown> = {
      window,
      document,
      body: document.body,
      nodes: document.querySelectorAll('*'),
      foreign: document.querySelector<HTMLIFrameElement>('#foreign')!.contentWindow,
      event: new MouseEvent('click'),
      component,
      friends,
      proxy: new Proxy({}, { ownKeys: throwing, get: throwing }),
      getter: Object.defineProperty({}, 'x', { get: throwing, enumerable: true }),
      json: { toJSON: throwing },
      big: 1n,
      lone: '😀'.slice(0, 1),
      sparse: Object.assign([], { length: 4_000_000_000 }),
      bytes: new Uint8Array(5_000_000),
      styles: getComputedStyle(document.body),
      stream: new ReadableStream(),
      storage: localStorage,
    }
    const started = performance.now()
    for (const [name, value] of Object.entries(hostile)) {
      window.analytics.register({ [`super_${name}`]: value })
      window.analytics.capture(`capture ${name}`, { value, amount: 5 }, { $set: { value } })
      window.analytics.setPersonProperties({ [name]: value })
      window.analytics.unregister(`super_${name}`)
    }
    window.analytics.identify('user', hostile, hostile)
    window.analytics.group('company', 'acme', hostile)
    window.analytics.capture('last', hostile)
    window.analytics.capture('$pageview')
    window.analytics.flush()
    return { captured: Object.keys(hostile).map((name) => `capture ${name}`), took: performance.now() - started }
  })

  const events = await stored((all) => all.some(({ event }) => event === '$pageview'))
  const count = (name: string) => events.filter(({ event }) => event === name).length
  for (const name of [...names.captured, '$identify', '$groupidentify', 'last'])
    expect([name, count(name)]).toEqual([name, 1])
  for (const name of names.captured) {
    const { properties } = events.find(({ event }) => event === name)!
    expect(properties).toMatchObject({ amount: 5 })
    expect(JSON.stringify(properties).length).toBeLessThan(2_000_000)
  }
  expect(events.find(({ event }) => event === 'capture component')!.properties.value).toMatchObject({
    props: { rows: [1, 2] },
  })
  expect(await page.evaluate(() => window.analytics.explain().filter(({ state }) => state === 'dropped'))).toEqual([])
  expect(errors).toEqual([])
  // 60 calls, each within its budget: the page stays usable.
  expect(names.took).toBeLessThan(20_000)
})
