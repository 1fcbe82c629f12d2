import { createAnalytics } from '../client/instances'
import { isStub, takeOver } from '../client/stub'
import { loadByScript } from './loadByScript'

const page = window as unknown as Record<string, unknown>
// Known only while this script runs.
const ownUrl = (document.currentScript as HTMLScriptElement | null)?.src || location.href

// The README's snippet leaves its stub at `analytics`, the protocol's own at `posthog`. Without any, the page will call
// `analytics.init` itself.
const names = ['analytics', 'posthog'].filter((name) => isStub(page[name]))
for (const name of names.length ? names : ['analytics']) {
  takeOver(
    page,
    name,
    createAnalytics((config) => loadByScript(ownUrl, () => config.external_scripts_inject_target)),
  )
}
