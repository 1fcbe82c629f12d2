import type { Analytics, Options } from '../../src/client/publicApi'
import { listenToConsole, startAnalytics } from './startAnalytics'

/** A table of the specification, by the names of its rows: `row` holds one row's tests, `close` checks that each row has some. */
export const tableOf = <N extends string>(...names: N[]) => {
  const tested = new Set<string>()
  return {
    row: (name: N, tests: () => void) => {
      tested.add(name)
      describe(name, tests)
    },
    close: () =>
      test('every row of the table has its tests', () => expect([...tested].sort()).toEqual([...names].sort())),
  }
}

/** Takes back what `startAnalytics` switches off to be quiet: what is left is the SDK as a site gets it. */
export const AS_SHIPPED: Options = {
  opt_out_useragent_filter: undefined,
  capture_pageview: undefined,
  capture_pageleave: undefined,
  autocapture: undefined,
  rageclick: undefined,
  capture_dead_clicks: undefined,
}

export const valueOf = (analytics: Analytics, name: string): unknown =>
  (analytics.config as unknown as Record<string, unknown>)[name]

const isAsymmetric = (value: unknown) =>
  typeof (value as { asymmetricMatch?: unknown } | null)?.asymmetricMatch === 'function'
/** A default in the words of a test's name and of the console's line; of a function only that there is one. */
const shown = (value: unknown) => (isAsymmetric(value) ? '' : (JSON.stringify(value) ?? String(value)))

/** What is true of every option: its default, and that a value it does not take is one readable line and changes nothing. */
export const itIsAnOption = (
  name: keyof Options,
  { fallback, wrong, right }: { fallback: unknown; wrong: unknown[]; right: unknown },
) => {
  test(`is ${shown(fallback) || 'a function'} by default`, () => {
    const { analytics } = startAnalytics({ ...AS_SHIPPED, api_host: undefined })
    expect(valueOf(analytics, name)).toEqual(fallback)
  })

  test.each(wrong.map((value) => [value]))(
    '%j is none of its values: one line names it and the default, nothing is thrown',
    (value) => {
      const lines = listenToConsole('error')
      const { analytics } = startAnalytics({ ...AS_SHIPPED, api_host: undefined, [name]: value })
      expect(lines).toEqual([expect.stringContaining(`${name} expects`)])
      expect(lines[0]).toContain(`Using ${shown(fallback)}`)
      expect(valueOf(analytics, name)).toEqual(fallback)
      expect(analytics.capture('x')).toBeDefined()
    },
  )

  test('set_config changes it, and an invalid value is ignored with one warning', () => {
    const lines = listenToConsole('error')
    listenToConsole('warn')
    const { analytics } = startAnalytics()
    analytics.set_config({ [name]: right })
    expect(valueOf(analytics, name)).toEqual(right)
    expect(lines).toEqual([])
    analytics.set_config({ [name]: wrong[0] })
    expect(valueOf(analytics, name)).toEqual(right)
    expect(lines).toEqual([expect.stringContaining(`${name} expects`)])
  })
}

/** A member of an option that is an object: a value it does not take is one line that names it, and the rest holds. */
export const itIsAMember = (
  option: keyof Options,
  name: string,
  { wrong, right }: { wrong: unknown[]; right: unknown },
) => {
  test.each(wrong.map((value) => [value]))(
    '%j is none of its values: one line names it, it does not hold, nothing is thrown',
    (value) => {
      const lines = listenToConsole('error')
      const { analytics } = startAnalytics({ [option]: { [name]: value } })
      expect(lines).toEqual([expect.stringContaining(`${option}.${name} expects`)])
      expect(lines[0]).toContain('Using')
      expect(valueOf(analytics, option)).not.toHaveProperty(name, value)
      expect(analytics.capture('x')).toBeDefined()
    },
  )

  test('set_config changes it', () => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics()
    analytics.set_config({ [option]: { [name]: right } })
    expect(valueOf(analytics, option)).toHaveProperty(name, right)
    expect(lines).toEqual([])
  })
}

/** Puts `html` on the page. */
export const show = (html: string) => void (document.body.innerHTML = html)

/** What a person's click, change, submit, copy or cut does. */
export const act = (selector: string, type = 'click', times = 1) => {
  for (let index = 0; index < times; index++) {
    const init = { bubbles: true, composed: true, cancelable: true }
    document
      .querySelector(selector)!
      .dispatchEvent(
        type === 'click' ? new MouseEvent(type, { ...init, clientX: 5, clientY: 5 }) : new Event(type, init),
      )
  }
}

export const namesOf = (events: { event: string }[]) => events.map(({ event }) => event)

/** Leaves the page, and answers the names of the events that its last beacons carried. */
export const leavePage = async (settle: (ms?: number) => Promise<void>): Promise<string[]> => {
  const beacons: Promise<string>[] = []
  navigator.sendBeacon = (_, body) => {
    beacons.push(
      new Promise((resolve) => {
        const reader = new FileReader()
        reader.onload = () => resolve(reader.result as string)
        reader.readAsText(body as Blob)
      }),
    )
    return true
  }
  window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: false }))
  await settle()
  return (await Promise.all(beacons)).flatMap((text) =>
    namesOf((JSON.parse(text) as { batch: { event: string }[] }).batch),
  )
}
