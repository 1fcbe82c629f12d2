import { createSignal, domSignal, listen } from './signal'

// The page is going: `pagehide` fires for every kind of leaving, also into the back/forward cache, and costs no
// page its place there, which `unload` and `beforeunload` do. https://web.dev/articles/bfcache
// At the window itself, who listens while capturing hears it first. https://dom.spec.whatwg.org/#concept-event-dispatch
const pagehide = (capture: boolean) => domSignal<PageTransitionEvent>(() => window, ['pagehide'], { capture })

/** The page is going: the last moment to capture something. */
export const onPageLeave = pagehide(true)

/** The page is going and everything has been captured: the last moment to send something. */
export const onPageLeft = pagehide(false)

/** The page came back out of the back/forward cache. */
export const onPageRestored = createSignal<void>((emit) =>
  listen(window, ['pageshow'], (event) => {
    if ((event as PageTransitionEvent).persisted) emit()
  }),
)
