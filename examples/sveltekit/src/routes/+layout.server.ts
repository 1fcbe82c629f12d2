import { PUBLIC_TRAILMARK_TOKEN } from '$app/env/public'
import { flagsOf } from '../lib/server/flags'

export const load = async ({ cookies, setHeaders }) => {
  // The page has the visitor's id.
  setHeaders({ 'cache-control': 'private, no-store' })
  return { bootstrap: await flagsOf(cookies.get(`ph_${PUBLIC_TRAILMARK_TOKEN}_posthog`)) }
}
