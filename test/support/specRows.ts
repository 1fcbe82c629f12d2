import type { Analytics, Options } from '../../src/client/publicApi'
import { listenToConsole, startAnalytics } from './startAnalytics'

/** A table of the specification, by row name: `row` registers the tests of one row, `close` checks that each row has tests. */
export const tableOf = <N extends string>(...names: N[]) => {
  const tested = new Set<string>()
  return {
    row: (name: N, tests: () => void) => {
      tested.add(name)
      describe(name, tests)
    },
    close: () => test('every row of the table has tests', () => expect([...tested].sort()).toEqual([...names].sort())),
  }
}

/** Undoes what `startAnalytics` turns off to reduce noise, leaving the SDK as a site gets it. */
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
/** A default as shown in test titles and console messages. Empty for functions. */
const shown = (value: unknown) => (isAsymmetric(value) ? '' : (JSON.stringify(value) ?? String(value)))

/** Tests for any option: its default, and that an invalid value logs one readable message and changes nothing. */
export const itIsAnOption = (
  name: keyof Options,
  { fallback, wrong, right }: { fallback: unknown; wrong: unknown[]; right: unknown },
) => {
  test(`is ${shown(fallback) || 'a function'} by default`, () => {
    const { analytics } = startAnalytics({ ...AS_SHIPPED, api_host: undefined })
    expect(valueOf(analytics, name)).toEqual(fallback)
  })

  test.each(wrong.map((value) => [value]))('rejects %j with one message naming the option and its default', (value) => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics({ ...AS_SHIPPED, api_host: undefined, [name]: value })
    expect(lines).toEqual([expect.stringContaining(`${name} expects`)])
    expect(lines[0]).toContain(`Using ${shown(fallback)}`)
    expect(valueOf(analytics, name)).toEqual(fallback)
    expect(analytics.capture('x')).toBeDefined()
  })

  test('accepts a valid value from set_config and ignores an invalid one with one warning', () => {
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

/** Tests for a member of an object option: an invalid value logs one message naming it, and the other members apply. */
export const itIsAMember = (
  option: keyof Options,
  name: string,
  { wrong, right }: { wrong: unknown[]; right: unknown },
) => {
  test.each(wrong.map((value) => [value]))('rejects %j with one message naming the member', (value) => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics({ [option]: { [name]: value } })
    expect(lines).toEqual([expect.stringContaining(`${option}.${name} expects`)])
    expect(lines[0]).toContain('Using')
    expect(valueOf(analytics, option)).not.toHaveProperty(name, value)
    expect(analytics.capture('x')).toBeDefined()
  })

  test('accepts a valid value from set_config', () => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics()
    analytics.set_config({ [option]: { [name]: right } })
    expect(valueOf(analytics, option)).toHaveProperty(name, right)
    expect(lines).toEqual([])
  })
}

/** Sets the page body to `html`. */
export const show = (html: string) => void (document.body.innerHTML = html)

/** Simulates a user clicking, changing, submitting, copying or cutting. */
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

/** Leaves the page and returns the names of the events in its last beacons. */
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
