import type { Stop } from '../types'
import { createSignal, listen } from './signal'

// The page is going: `pagehide` fires for every kind of leaving, also into the back/forward cache, and costs no
// page its place there, which `unload` and `beforeunload` do. https://web.dev/articles/bfcache

const phases: (((event: PageTransitionEvent) => void) | undefined)[] = []
let stop: Stop | undefined

/** One step of leaving. Steps run in the order of their number, whoever listened first. */
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

/** The page is going: the last moment to capture something. */
export const onPageLeave = phase(0)

/** The page is going and everything has been captured: the last moment to send something. */
export const onPageLeft = phase(1)

/** The page came back out of the back/forward cache. */
export const onPageRestored = createSignal<void>((emit) =>
  listen(self, ['pageshow'], (event) => {
    if ((event as PageTransitionEvent).persisted) emit()
  }),
)
