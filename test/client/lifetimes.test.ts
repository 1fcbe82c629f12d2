import fc from 'fast-check'
import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import type { Analytics, Options } from '../../src/client/publicApi'
import * as clicks from '../../src/extensions/clicks/clicks'
import { listenToConsole, NO_FLAGS } from '../support/startAnalytics'

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

/** An SDK whose service answers each `/flags` when the test says so. */
const withSlowService = () => {
  jest.useFakeTimers()
  listenToConsole('warn')
  const pending: (() => void)[] = []
  globalThis.fetch = jest.fn(
    (url: string) =>
      new Promise((resolve) => {
        const answer = () =>
          resolve({ status: 200, text: async () => JSON.stringify(NO_FLAGS), headers: { get: () => null } })
        if (url.includes('/flags/')) pending.push(answer)
        else answer()
      }),
  ) as never
  const captured: string[] = []
  const analytics = createAnalytics(FEATURES, () => async () => clicks)
  analytics.on('eventCaptured', ({ event }) => captured.push(event))
  return {
    analytics,
    captured,
    answerAll: async () => {
      for (let round = 0; round < 3; round++) {
        await jest.advanceTimersByTimeAsync(20)
        pending.splice(0).forEach((answer) => answer())
      }
      await jest.advanceTimersByTimeAsync(20)
    },
    answerOne: async () => {
      pending.shift()?.()
      await jest.advanceTimersByTimeAsync(20)
    },
    /** The events that one click makes. */
    click: () => {
      captured.length = 0
      document.querySelector('button')!.click()
      return captured.filter((event) => event === '$autocapture').length
    },
  }
}

beforeEach(() => {
  document.body.innerHTML = '<button>Buy</button>'
})

test('init, shutdown with flags under way, init: one click is one event', async () => {
  const { analytics, answerAll, click } = withSlowService()
  analytics.init('token', OPTIONS)
  await jest.advanceTimersByTimeAsync(20)
  await analytics.shutdown()
  analytics.init('token', OPTIONS)
  await answerAll()
  expect(click()).toBe(1)
  await analytics.shutdown()
  expect(click()).toBe(0)
})

test('shutdown in `loaded` starts nothing', async () => {
  const { analytics, answerAll, click } = withSlowService()
  const errors = listenToConsole('error')
  analytics.init('token', { ...OPTIONS, loaded: (early: Analytics) => void early.shutdown() })
  await answerAll()
  expect([click(), errors]).toEqual([0, []])
})

const STEPS = ['init', 'shutdown', 'answer', 'off', 'on', 'optOut', 'optIn', 'reload'] as const

test('any order of init, set_config, consent, shutdown and answers leaves the right features and listeners', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { maxLength: 14 }), async (steps) => {
      localStorage.clear()
      const listeners = countListeners()
      const { analytics, answerOne, answerAll, click } = withSlowService()
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
        answer: answerOne,
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
      await answerAll()
      expect(click()).toBe(isRunning && autocaptures && !isOptedOut ? 1 : 0)
      await analytics.shutdown()
      await answerAll()
      expect([click(), listeners()]).toEqual([0, 0])
      jest.restoreAllMocks()
    }),
    { numRuns: 120 },
  )
})
