import fc from 'fast-check'
import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import type { Analytics, Options } from '../../src/client/publicApi'
import * as clicks from '../../src/extensions/clicks/clicks'
import { listenToConsole, NO_FLAGS } from '../support/startAnalytics'
import { randomRuns } from '../support/randomRuns'

const OPTIONS: Options = {
  api_host: 'https://events.example.com',
  opt_out_useragent_filter: true,
  remote_config_refresh_interval_ms: 0,
  capture_pageview: false,
  capture_pageleave: false,
}

/** Counts the listeners on the window and the document. */
const countListeners = () => {
  const targets = [window, document] as EventTarget[]
  let count = 0
  for (const target of targets) {
    const { addEventListener, removeEventListener } = target
    jest.spyOn(target, 'addEventListener').mockImplementation(function (this: EventTarget, ...args) {
      count++
      addEventListener.apply(target, args)
    })
    jest.spyOn(target, 'removeEventListener').mockImplementation(function (this: EventTarget, ...args) {
      count--
      removeEventListener.apply(target, args)
    })
  }
  return () => count
}

/** An SDK whose `/flags` responses are held until the test sends them. */
const withSlowService = () => {
  jest.useFakeTimers()
  listenToConsole('warn')
  const pending: (() => void)[] = []
  globalThis.fetch = jest.fn(
    (url: string) =>
      new Promise((resolve) => {
        const respond = () =>
          resolve({ status: 200, text: async () => JSON.stringify(NO_FLAGS), headers: { get: () => null } })
        if (url.includes('/flags/')) pending.push(respond)
        else respond()
      }),
  ) as never
  const captured: string[] = []
  const analytics = createAnalytics({ features: FEATURES, makeLoad: () => async () => clicks })
  analytics.on('eventCaptured', ({ event }) => captured.push(event))
  return {
    analytics,
    captured,
    respondToAll: async () => {
      for (let round = 0; round < 3; round++) {
        await jest.advanceTimersByTimeAsync(20)
        pending.splice(0).forEach((respond) => respond())
      }
      await jest.advanceTimersByTimeAsync(20)
    },
    respondToOne: async () => {
      pending.shift()?.()
      await jest.advanceTimersByTimeAsync(20)
    },
    /** Returns the number of events one click captures. */
    click: () => {
      captured.length = 0
      document.querySelector('button')!.click()
      // A click is captured in a later task, or before the next call.
      analytics.get_distinct_id()
      return captured.filter((event) => event === '$autocapture').length
    },
  }
}

beforeEach(() => {
  document.body.innerHTML = '<button>Buy</button>'
})

test('one click captures one event after init, shutdown during a flags request, and init', async () => {
  const { analytics, respondToAll, click } = withSlowService()
  analytics.init('token', OPTIONS)
  await jest.advanceTimersByTimeAsync(20)
  await analytics.shutdown()
  analytics.init('token', OPTIONS)
  await respondToAll()
  expect(click()).toBe(1)
  await analytics.shutdown()
  expect(click()).toBe(0)
})

test('shutdown called from `loaded` starts no features', async () => {
  const { analytics, respondToAll, click } = withSlowService()
  const errors = listenToConsole('error')
  analytics.init('token', { ...OPTIONS, loaded: (early: Analytics) => void early.shutdown() })
  await respondToAll()
  expect([click(), errors]).toEqual([0, []])
})

const STEPS = ['init', 'shutdown', 'answer', 'off', 'on', 'optOut', 'optIn', 'reload'] as const

test('any order of init, set_config, consent, shutdown and responses leaves the right features and listeners', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { maxLength: 14 }), async (steps) => {
      localStorage.clear()
      const listeners = countListeners()
      const { analytics, respondToOne, respondToAll, click } = withSlowService()
      let isRunning = false
      let autocaptures = true
      let isOptedOut = false
      const run: Record<(typeof STEPS)[number], () => unknown> = {
        init: () => {
          if (!isRunning) autocaptures = true
          isRunning = true
          analytics.init('token', OPTIONS)
        },
        shutdown: () => {
          isRunning = false
          return analytics.shutdown()
        },
        answer: respondToOne,
        off: () => {
          if (isRunning) analytics.set_config({ autocapture: (autocaptures = false) })
        },
        on: () => {
          if (isRunning) analytics.set_config({ autocapture: (autocaptures = true) })
        },
        optOut: () => {
          if (!isRunning) return
          isOptedOut = true
          analytics.opt_out_capturing()
        },
        optIn: () => {
          if (!isRunning) return
          isOptedOut = false
          analytics.opt_in_capturing()
        },
        reload: () => isRunning && analytics.reloadFeatureFlags(),
      }
      for (const step of steps) await run[step]()
      await respondToAll()
      expect(click()).toBe(isRunning && autocaptures && !isOptedOut ? 1 : 0)
      await analytics.shutdown()
      await respondToAll()
      expect([click(), listeners()]).toEqual([0, 0])
      jest.restoreAllMocks()
    }),
    { numRuns: randomRuns(40) },
  )
})
