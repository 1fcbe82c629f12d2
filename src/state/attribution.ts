import { hasPage, readReferrer } from '../browser/page'
import {
  type Arrival,
  arrivalProperties,
  campaignOf,
  noCampaign,
  permittedCampaign,
  permittedUrl,
  referrerOf,
  searchOf,
  type UrlOptions,
} from '../lib/campaign'
import { memo } from '../lib/memo'
import { has, objectOf, pick } from '../lib/objects'
import { redactUrls } from '../lib/redact'
import type { Config, Properties } from '../types'
import type { Store } from './store'

/** Where visitor and session came from (docs/reference/protocol.md#5.7). */
export interface Attribution {
  /**
   * Returns the properties of an event now: how the session began, campaign and referrer of this tab, values registered
   * for the session.
   */
  properties(): Properties
  /** Stores the current page as the entry of a session that begins. */
  beginSession(sessionId: string): void
  /** Removes what was registered for the session that has ended. */
  endSession(): void
  /** Returns where the visitor first came from, as person properties; {} until the first event. */
  initialPerson(): Properties
  /** Called when the visitor changed: the next event counts this page as a new arrival. */
  forget(): void
}

type Options = Pick<Config, 'save_campaign_params' | 'save_referrer'> & UrlOptions

// The rest of a longer URL is not used and would fill the storage.
const MAX_LENGTH = 1000

export const createAttribution = (
  config: Options,
  store: Store,
  tabStore: Store,
  /** Workers have no page, and therefore neither URL nor referrer. */
  pageUrl = () => (hasPage() ? location.href : undefined),
  /** Called only for a new URL. */
  pageReferrer = readReferrer,
): Attribution => {
  let seenUrl: string | undefined
  // `_options` are part of the memo's key, because stored values are masked by the current options.
  const propertiesOf = memo(
    (entry: Arrival | undefined, tabValues: Properties, values: Properties, ..._options: unknown[]) => ({
      ...(entry ? arrivalProperties(entry, '$session_entry_', config) : {}),
      ...permittedCampaign(tabValues, config),
      // A referrer that the site registered itself is better than the tab's (docs/reference/protocol.md#5.2).
      ...pick(values, (name) => name.startsWith('$referr')),
    }),
  )

  const arrivalAt = (url: string): Arrival => ({
    r: pageReferrer().slice(0, MAX_LENGTH) || '$direct',
    u: url.slice(0, MAX_LENGTH),
  })
  const readPage = () => {
    const here = pageUrl()
    if (!here || here === seenUrl) return
    const isLanding = seenUrl === undefined
    seenUrl = here
    const [url, referrer] = [permittedUrl(here, config), permittedUrl(pageReferrer(), config)]
    if ((config.save_campaign_params || config.save_referrer) && !store.get('$initial_person_info'))
      store.set({ $initial_person_info: arrivalAt(here) })
    const custom = config.custom_campaign_params
    // The referrer does not change while the document lives, so only the first event uses it.
    const campaign = { ...campaignOf(url, custom), ...(isLanding ? searchOf(referrer) : {}) }
    if (config.save_campaign_params && Object.keys(campaign).length)
      tabStore.set({ ...noCampaign(custom), ...campaign })
    // Keeps the first referrer of a tab, because a later one is a page of the same site.
    if (config.save_referrer && tabStore.get('$referrer') === undefined) tabStore.set(referrerOf(redactUrls(referrer)))
  }

  return {
    properties: () => {
      readPage()
      const { props } = store.get<{ props?: Arrival }>('$client_session_props') ?? {}
      return propertiesOf(
        props,
        tabStore.all(),
        store.all(),
        config.mask_personal_data_properties,
        config.custom_personal_data_properties,
        config.disable_capture_url_hashes,
        config.custom_campaign_params,
      )
    },
    beginSession: (sessionId) => {
      const here = pageUrl()
      // Another tab may have begun the session.
      if (!here || store.get<{ sessionId?: string }>('$client_session_props')?.sessionId === sessionId) return
      store.set({ $client_session_props: { sessionId, props: arrivalAt(here) } })
    },
    endSession: () => {
      const isOfTab = (name: string) =>
        name.startsWith('$referr') || has(noCampaign(config.custom_campaign_params), name)
      const registered = Object.keys(tabStore.all()).filter((name) => !isOfTab(name))
      tabStore.set(objectOf(registered, () => undefined))
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
