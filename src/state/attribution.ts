import { hasPage, readReferrer } from '../browser/page'
import {
  type Arrival,
  arrivalProperties,
  campaignOf,
  noCampaign,
  permittedUrl,
  referrerOf,
  searchOf,
  type UrlOptions,
} from '../lib/campaign'
import { pick } from '../lib/objects'
import { redactUrls } from '../lib/redact'
import type { Config, Properties } from '../types'
import type { Store } from './store'

/** Where visitor and session came from (docs/reference/protocol.md#5.7). */
export interface Attribution {
  /** Properties of an event now: how the session began, the campaign and referrer of this tab, what was registered for the session. */
  properties(): Properties
  /** A session begins: its beginning is where the visitor is now. */
  beginSession(sessionId: string): void
  /** Where the visitor first came from, as person properties; {} until the first event. */
  initialPerson(): Properties
  /** The visitor is another: this page counts as arrived at again. */
  forget(): void
}

type Options = Pick<Config, 'save_campaign_params' | 'save_referrer'> & UrlOptions

interface Page {
  url: string
  referrer: string
}

// Longer addresses carry nothing more that is read, and would fill the storage.
const LONGEST = 1000

export const createAttribution = (
  config: Options,
  store: Store,
  tabStore: Store,
  /** A worker is on no page: nobody came there from anywhere. */
  page: () => Page | undefined = () => (hasPage() ? { url: location.href, referrer: readReferrer() } : undefined),
): Attribution => {
  let seenUrl: string | undefined
  let entry: Arrival | undefined
  let entryMasked: boolean | undefined
  let entryProperties: Properties = {}

  const arrivalAt = ({ url, referrer }: Page): Arrival => ({
    r: referrer.slice(0, LONGEST) || '$direct',
    u: url.slice(0, LONGEST),
  })
  const readPage = () => {
    const here = page()
    if (!here || here.url === seenUrl) return
    const isLanding = seenUrl === undefined
    seenUrl = here.url
    const [url, referrer] = [permittedUrl(here.url, config), permittedUrl(here.referrer, config)]
    if ((config.save_campaign_params || config.save_referrer) && !store.get('$initial_person_info'))
      store.set({ $initial_person_info: arrivalAt(here) })
    const custom = config.custom_campaign_params
    // The referrer stays the same while the document does, so that it tells of the landing alone.
    const campaign = { ...campaignOf(url, custom), ...(isLanding ? searchOf(referrer) : {}) }
    if (config.save_campaign_params && Object.keys(campaign).length)
      tabStore.set({ ...noCampaign(custom), ...campaign })
    // The first referrer of a tab: a page of the same site that comes later is not where the visitor came from.
    if (config.save_referrer && tabStore.get('$referrer') === undefined) tabStore.set(referrerOf(redactUrls(referrer)))
  }

  return {
    properties: () => {
      readPage()
      const stored = store.get<{ props?: Arrival }>('$client_session_props')?.props
      if (stored !== entry || config.mask_personal_data_properties !== entryMasked) {
        entry = stored
        entryMasked = config.mask_personal_data_properties
        entryProperties = stored ? arrivalProperties(stored, '$session_entry_', config) : {}
      }
      // A referrer that the site registered itself is better than the tab's (docs/reference/protocol.md#5.2).
      const registered = pick(store.all(), (name) => name.startsWith('$referr'))
      return { ...entryProperties, ...tabStore.all(), ...registered }
    },
    beginSession: (sessionId) => {
      const here = page()
      // Another tab may have begun it.
      if (!here || store.get<{ sessionId?: string }>('$client_session_props')?.sessionId === sessionId) return
      store.set({ $client_session_props: { sessionId, props: arrivalAt(here) } })
    },
    initialPerson: () => {
      const info = store.get<Arrival>('$initial_person_info')
      return info ? arrivalProperties(info, '$initial_', config) : {}
    },
    forget: () => {
      seenUrl = undefined
    },
  }
}
