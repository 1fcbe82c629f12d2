import { AMPLITUDE } from './amplitude.ts'
import { GA4 } from './ga4.ts'
import { MATOMO } from './matomo.ts'
import { MIXPANEL } from './mixpanel.ts'
import type { Source } from './source.ts'
import { POSTHOG, TRAILMARK } from './trailmark.ts'
import { UMAMI } from './umami.ts'

/** All products whose files can be imported without a mapping. To add one, add its file and its row. */
export const SOURCES: readonly Source[] = [TRAILMARK, POSTHOG, MIXPANEL, AMPLITUDE, GA4, UMAMI, MATOMO]
