import type { Stop } from '../types'
import { createSignal, listen } from './signal'

// `pagehide` fires however a page is left, also into the back/forward cache. `unload` and `beforeunload` would keep the
// page out of that cache. https://web.dev/articles/bfcache

const phases: (((event: PageTransitionEvent) => void) | undefined)[] = []
let stop: Stop | undefined

/** Returns a signal for a phase of `pagehide`. Phases run in the order of their numbers, not of registration. */
const phase = (step: number) =>
  createSignal<PageTransitionEvent>((emit) => {
    phases[step] = emit
    stop ??= listen(self, ['pagehide'], (event) => phases.forEach((each) => each?.(event as PageTransitionEvent)))
    return () => {
      phases[step] = undefined
      if (phases.some(Boolean)) return
      stop?.()
      stop = undefined
    }
  })

/** Fires when the page is left: the last chance to capture. */
export const onPageLeave = phase(0)

/** Fires after `onPageLeave`, when everything has been captured: the last chance to send. */
export const onPageLeft = phase(1)

/** Fires when the page is restored from the back/forward cache. */
export const onPageRestored = createSignal<void>((emit) =>
  listen(self, ['pageshow'], (event) => {
    if ((event as PageTransitionEvent).persisted) emit()
  }),
)
