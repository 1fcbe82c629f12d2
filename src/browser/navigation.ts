import { patch } from './patch'
import { createSignal, listen } from './signal'

/** How the URL changed without a page load (docs/reference/protocol.md#5.8). */
export type NavigationType = 'pushState' | 'replaceState' | 'popstate'

interface NavigationApi extends EventTarget {
  currentEntry: unknown
}

/**
 * Fires for a same-document navigation. Uses the Navigation API if the browser has it, so that the page's history
 * object stays unchanged, and else patched history methods and popstate.
 */
export const onNavigate = createSignal<NavigationType>((emit) => {
  const api = (window as { navigation?: NavigationApi }).navigation
  if (api && 'currentEntry' in api) {
    // navigationType is null if only the entry's state was updated, not its URL.
    return listen(api, ['currententrychange'], (event) => {
      const type = (event as Event & { navigationType: 'push' | 'replace' | 'reload' | 'traverse' | null })
        .navigationType
      if (type) emit(type === 'push' || type === 'replace' ? `${type}State` : 'popstate')
    })
  }
  const stops = [
    patch(history, 'pushState', () => emit('pushState')),
    patch(history, 'replaceState', () => emit('replaceState')),
    listen(window, ['popstate'], () => emit('popstate')),
  ]
  return () => stops.forEach((stop) => stop())
})
