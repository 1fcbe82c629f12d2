import type { Bootstrap } from 'trailmark'
import { cookiesOf, readBootstrap, type VisitorSettings } from '../../shared/visitor'

export type { VisitorSettings } from '../../shared/visitor'

/**
 * Returns the identity and the flags of the visitor, for `bootstrap` of the provider. Call it in the loader of the root route.
 * Never throws.
 * @example export const loader = ({ request }) => getBootstrap({ token, host }, request)
 */
export const getBootstrap = (
  settings: VisitorSettings,
  request: { readonly headers: { get(name: string): string | null } },
): Promise<Bootstrap> => readBootstrap(settings, cookiesOf(request.headers.get('cookie') ?? ''))
