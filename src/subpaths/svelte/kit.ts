import type { Navigation } from '../shared/routes'

interface KitNavigation {
  type: string
  to: { url: URL; route: { id: string | null } } | null
}

/** `afterNavigate` of `$app/navigation`. */
export type AfterNavigate = (run: (navigation: KitNavigation) => void) => void

/** Reports the ends of SvelteKit's navigations. The first is that of the load. Runs while a component is created. */
export const followKit = (afterNavigate: AfterNavigate, navigated: (navigation: Navigation) => void): void =>
  afterNavigate(({ type, to }) => {
    if (to)
      navigated({ path: to.url.pathname, route: to.route.id, type: type === 'popstate' ? 'popstate' : 'pushState' })
  })
