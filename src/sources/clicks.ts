import { elapsed } from '../lib/elapsed'
import { createPageWatch } from '../browser/pageWatch'
import { listen } from '../browser/signal'
import { followTyping } from '../browser/typing'
import type { ClickParts, Host, PageActivity } from '../host'
import { attempt, later } from '../lib/guard'
import type { Stop } from '../types'
import { noteElements, safeText } from './autocapture/describeElement'
import { anyMatches, pathOf } from './autocapture/elements'
import { mayCapture } from './autocapture/mayCapture'
import { describeEvent, maskingOf } from './autocapture/startAutocapture'

// Maximum size of the buffer while the fetch is slow or hangs.
const MAX_BUFFERED = 1000
const CLICKS = ['pointerdown', 'click']

interface TaskScheduler {
  postTask(run: () => void, options: { priority: 'user-blocking' }): unknown
}

/**
 * Rage and dead clicks, and dead swipes. Their detection is fetched at the page's first click; activity is buffered until it has loaded,
 * and after that while a click is handled. `start` starts it, or calls `onFailure` if it does not load. Without it,
 * nothing is detected.
 */
export const startClicks = (host: Host, start: (parts: ClickParts, onFailure: Stop) => Stop): Stop => {
  const { config } = host
  const { scheduler } = self as { scheduler?: TaskScheduler }
  const buffered: PageActivity[] = []
  let onActivity: ((activity: PageActivity) => void) | undefined
  let isInClickTask = false

  const drain = () => {
    if (onActivity) buffered.splice(0).forEach(onActivity)
    else if (buffered[MAX_BUFFERED]) dropOldest()
  }
  const report = (type: string, more?: Partial<PageActivity>) => {
    buffered.push({ type, at: elapsed(), url: location.href, isInClickTask, ...more })
    // Waits for the end of the click's task, so that the page's listeners do not wait for the detection.
    if (!isInClickTask || buffered[MAX_BUFFERED]) drain()
  }
  /**
   * Drops the oldest activity. Drops a press together with everything up to its click, which may be a response to it.
   */
  const dropOldest = () => {
    const { type } = buffered.shift()!
    const next = buffered.findIndex((each) => CLICKS.includes(each.type))
    if (type === CLICKS[0]) buffered.splice(0, buffered[next]?.type === CLICKS[1] ? next + 1 : next)
    // Without a click there is nothing to detect.
    if (next < 0) disconnect()
  }
  const onEvent = (event: Event) => report(event.type, { target: event.composedPath()[0] })
  const page = createPageWatch(
    (records) =>
      report('mutation', {
        records,
        values: records.map(
          ({ target, attributeName }) => attributeName && Element.prototype.getAttribute.call(target, attributeName),
        ),
      }),
    onEvent,
    () => report('call'),
  )
  const disconnect = () => {
    buffered.length = 0
    page.disconnect()
  }
  let stopDetector: Stop | undefined
  const request = () =>
    start(
      {
        buffered,
        onActivity: (listener) => {
          onActivity = listener
        },
        disconnect: page.disconnect,
        anyMatches,
        mayCapture: (path) => mayCapture('click', path, {}),
        describe: (path) => describeEvent('click', noteElements(path), maskingOf(config)),
        safeText,
      },
      stop,
    )
  const stops = [
    followTyping(),
    // Menus open when the button goes down.
    listen(self, [...CLICKS, 'touchend'], (event) => {
      // Started before the page is watched, because loading the code may change the page.
      stopDetector ??= request()
      const composed = event.composedPath()
      page.watch(composed)
      isInClickTask = true
      // The path of this moment, because the page may remove the element.
      report(event.type, {
        event,
        moment: host.moment(),
        path: composed[0] instanceof Element && pathOf(composed[0]),
      })
      const endClickTask = () => {
        isInClickTask = false
        drain()
      }
      // Runs before due timers in browsers with `scheduler`. Elsewhere a due timer may count as the click's effect, which
      // can hide a dead click but never reports a false one. A MessageChannel would not run earlier.
      if (!attempt(() => scheduler?.postTask(endClickTask, { priority: 'user-blocking' }))) later(endClickTask)
    }),
    // Always observed: a click that only brings the window to the front has no other effect.
    listen(self, ['focus', 'blur', 'visibilitychange'], onEvent, {}),
  ]
  const stop = () => {
    stops.forEach((each) => each())
    disconnect()
    stopDetector?.()
  }
  return stop
}
