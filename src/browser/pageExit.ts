import type { Stop } from '../types'
import { createSignal, listen } from './signal'

// The page is going: `pagehide` fires for every kind of leaving, also into the back/forward cache, and costs no
// page its place there, which `unload` and `beforeunload` do. https://web.dev/articles/bfcache

const phases: (((event: PageTransitionEvent) => void) | undefined)[] = []
let stop: Stop | undefined

/** A phase of `pagehide`. Phases run in the order of their number, not of registration. */
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

/** The page is being left: the last chance to capture. */
export const onPageLeave = phase(0)

/** The page is being left and everything has been captured: the last chance to send. */
export const onPageLeft = phase(1)

/** The page came back out of the back/forward cache. */
export const onPageRestored = createSignal<void>((emit) =>
  listen(self, ['pageshow'], (event) => {
    if ((event as PageTransitionEvent).persisted) emit()
  }),
)
