import { domSignal } from './signal'

// The page is going: `pagehide` fires for every kind of leaving, also into the back/forward cache, and costs no
// page its place there, which `unload` and `beforeunload` do. https://web.dev/articles/bfcache
//
// Two signals of one event, so that what is captured while leaving still goes out with the last batch: capturing
// listeners of a target run before its bubbling ones.

/** The page is going: the last moment to capture something. */
export const onPageLeave = domSignal<PageTransitionEvent>(() => window, ['pagehide'], { capture: true })

/** The page is going and everything has been captured: the last moment to send something. */
export const onPageLeft = domSignal<PageTransitionEvent>(() => window, ['pagehide'], { capture: false })

/** The page came back out of the back/forward cache. */
export const onPageRestored = domSignal<PageTransitionEvent>(() => window, ['pageshow'])
