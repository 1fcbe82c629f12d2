import { permittedUrl, type UrlOptions } from '../lib/campaign'
import { memo } from '../lib/memo'
import { oncePerTask } from '../lib/oncePerTask'
import { redactUrls } from '../lib/redact'
import { unclobbered } from './dom'
import { timeZone } from '../lib/timeZone'
import { hostOf } from '../lib/url'
import { type Agent, readUserAgent } from '../lib/userAgent'
import type { Config, Properties } from '../types'
import { CHANNEL } from '../version'

/** Whether there is a page: not in a worker, nor on a server. The script is always in a page. Nothing else looks for `document`. */
export const hasPage = () => CHANNEL === 'cdn' || typeof document !== 'undefined'

/** Whether this is a worker in a browser. Servers that call themselves workers have no IndexedDB. */
export const isWorker = () => !hasPage() && 'WorkerGlobalScope' in globalThis && 'indexedDB' in globalThis

interface BrandedNavigator extends Navigator {
  brave?: unknown
  userAgentData?: { brands?: { brand: string }[]; platform?: string }
  globalPrivacyControl?: boolean
}
const nav = () => navigator as BrandedNavigator

/** Everything in which a browser says who it is, for the bot filter. */
export const readAgentNames = (): string[] => [
  nav().userAgent,
  ...(nav().userAgentData?.brands ?? []).map(({ brand }) => brand),
]

/** Whether a program drives the browser and says so. https://w3c.github.io/webdriver/#interface */
export const isAutomated = () => !!navigator.webdriver

/** Whether the browser asks not to be tracked: Do Not Track or Global Privacy Control. */
export const asksNotToBeTracked = () =>
  nav().globalPrivacyControl === true || ['1', 'yes'].includes(nav().doNotTrack ?? '')

// An Android tablet that asks for desktop sites says it is Linux; its client hints and its touch points tell.
const kindOfDesktop = (): Agent['$device_type'] =>
  nav().userAgentData?.platform === 'Android' && nav().maxTouchPoints > 0
    ? Math.min(screen.width, screen.height) / (devicePixelRatio || 1) >= 600
      ? 'Tablet'
      : 'Mobile'
    : 'Desktop'

/** What does not change while the page lives: browser, system, device, language, time zone (docs/reference/protocol.md#5.3). */
export const readDevice = (): Properties => {
  const agent = nav().userAgent
  const language = nav().language as string | undefined
  const told = readUserAgent(agent)
  return {
    ...told,
    $device_type: told.$device_type === 'Desktop' ? kindOfDesktop() : told.$device_type,
    // Brave says it is Chrome, but has an object of its own and tells no version.
    ...(nav().brave ? { $browser: 'Brave', $browser_version: null } : {}),
    $timezone: timeZone(),
    $timezone_offset: new Date().getTimezoneOffset(),
    $raw_user_agent: agent.length > 1000 ? `${agent.slice(0, 997)}...` : agent,
    $browser_language: language,
    $browser_language_prefix: language?.split('-')[0],
  }
}

// To read the window's size may make the browser lay out the page, so a burst of events reads it once.
const sizes = oncePerTask(() => ({
  $screen_height: screen.height,
  $screen_width: screen.width,
  $viewport_height: innerHeight,
  $viewport_width: innerWidth,
}))
// Computed when one of these has changed.
const pageOf = memo((url: string, _href: string, _sizes: string): Properties => ({
  $current_url: redactUrls(url),
  $host: location.host,
  $pathname: redactUrls(location.pathname),
  ...sizes(),
}))

/**
 * Where the visitor is and how large the window is (docs/reference/protocol.md#5.3). A worker's own address, which may be a blob's, is
 * nowhere a visitor can be: it tells the site alone. The same object until something changes.
 */
export const readPage = (options: UrlOptions & Pick<Config, 'properties_string_max_length'>): Properties =>
  hasPage()
    ? pageOf(
        permittedUrl(location.href.slice(0, options.properties_string_max_length), options),
        location.href,
        Object.values(sizes()).join(),
      )
    : { $host: hostOf(origin) }

/** The page's title; undefined in a worker. */
export const readTitle = (): string | undefined => (hasPage() ? unclobbered(document).title : undefined)

/** Where the browser says the visitor came from. By the interface of the document: an element may hide the property. */
export const readReferrer = (): string => Reflect.get<Document, 'referrer'>(Document.prototype, 'referrer', document)
