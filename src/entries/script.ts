import { unclobbered } from '../browser/dom'
import { createAnalytics } from '../client/instances'
import { takeOver } from '../client/stub'
import { loadByScript } from './loadByScript'

// Known only while this script runs. The README's snippet leaves its Trusted Types policy on the element.
const tag = unclobbered(document).currentScript as HTMLScriptElement | null

// The README's snippet leaves its stub at `analytics`, the protocol's own at `posthog`. Without any, the page will call
// `analytics.init` itself.
takeOver(window as unknown as Record<string, unknown>, tag?.dataset.global || 'analytics', () =>
  createAnalytics((config) => loadByScript(tag, () => config.external_scripts_inject_target)),
)
