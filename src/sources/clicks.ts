import { onPageLeave } from '../browser/pageExit'
import { createPageWatch } from '../browser/pageWatch'
import { listen } from '../browser/signal'
import { followTyping } from '../browser/typing'
import type { ClickDetector, CreateClickDetector, Host, PageActivity } from '../host'
import { guarded, later } from '../lib/guard'
import type { Stop } from '../types'
import { safeText } from './autocapture/describeElement'
import { anyMatches, pathOf } from './autocapture/elements'
import { mayCapture } from './autocapture/mayCapture'
import { describeEvent, describePath, maskingOf } from './autocapture/startAutocapture'

// A fetch that hangs must not make the page buffer all its activity.
const MAX_BUFFERED = 1000

/**
 * Rage and dead clicks. The detector is fetched at the page's first click; activity is buffered until it is there.
 * Without it, nothing is detected.
 */
export const startClicks = (host: Host, load: () => Promise<CreateClickDetector | undefined>): Stop => {
  const { config } = host
  const buffered: PageActivity[] = []
  let detector: ClickDetector | undefined
  let isRequested = false
  let isStopped = false
  let isInClickTask = false

  const report = (type: string, more: Partial<PageActivity>) => {
    const activity = { type, at: performance.now(), url: location.href, isInClickTask, ...more }
    if (detector) detector.onActivity(activity)
    else if (buffered.push(activity) > MAX_BUFFERED) stop()
  }
  const onEvent = (event: Event) => report(event.type, { event, target: event.composedPath()[0] })
  const page = createPageWatch(
    (records) =>
      report('mutation', {
        records,
        values: records.map(
          ({ target, attributeName }) => attributeName && Element.prototype.getAttribute.call(target, attributeName),
        ),
      }),
    onEvent,
    () => report('call', {}),
  )
  const request = async () => {
    const createDetector = await load()
    if (isStopped) return
    if (!createDetector) return stop()
    detector = createDetector(
      {
        ...host,
        later,
        onPageLeave,
        disconnect: page.disconnect,
        pathOf,
        anyMatches,
        mayCapture: (path) => mayCapture('click', path, {}),
        describe: (path) => {
          const masking = maskingOf(config)
          const elements = describePath(path, masking)
          return { elements, properties: describeEvent('click', path, masking, elements) }
        },
        safeText,
      },
      buffered.splice(0),
    )
  }
  const stops = [
    followTyping(),
    // Menus open when the button goes down.
    listen(self, ['pointerdown', 'click'], (event) => {
      // Before the page is watched: loading the code may change the page.
      if (!isRequested) void guarded(request)
      isRequested = true
      page.watch(event.composedPath())
      onEvent(event)
      isInClickTask = true
      later(() => (isInClickTask = false), 0)
    }),
    // Always observed: a click that only brings the window to the front has no other effect.
    listen(self, ['focus', 'blur', 'visibilitychange'], onEvent, { passive: true }),
  ]
  const stop = () => {
    isStopped = true
    stops.forEach((each) => each())
    page.disconnect()
    detector?.stop()
  }
  return stop
}
