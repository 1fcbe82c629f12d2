import { env } from '$env/dynamic/public'
import { flagsOf } from '../lib/server/flags'

export const load = async ({ cookies, setHeaders }) => {
  // The page has the visitor's id.
  setHeaders({ 'cache-control': 'private, no-store' })
  return { bootstrap: await flagsOf(cookies.get(`ph_${env.PUBLIC_TRAILMARK_TOKEN}_posthog`)) }
}
