import { attempt, readAs } from '../lib/attempt'
import { permittedUrl, type UrlOptions } from '../lib/campaign'
import { memo } from '../lib/memo'
import { oncePerTask } from '../lib/oncePerTask'
import { redactUrls } from '../lib/redact'
import { unclobbered } from './dom'
import { hostOf } from '../lib/url'
import type { Config, Properties } from '../types'
import { CHANNEL } from '../version'

/** Whether there is a page, as opposed to a worker or a server. No other code checks for `document`. */
export const hasPage = () => CHANNEL === 'cdn' || typeof document !== 'undefined'

/** Whether this is a worker in a browser. Server runtimes that look like workers have no IndexedDB. */
export const isWorker = () => !hasPage() && 'WorkerGlobalScope' in globalThis && 'indexedDB' in globalThis

interface BrandedNavigator extends Navigator {
  brave?: unknown
  userAgentData?: { brands?: { brand: string }[]; platform?: string }
  globalPrivacyControl?: boolean
}
/** Returns the navigator. Its members may be missing. */
export const nav = () => navigator as BrandedNavigator

/** Returns the text by which the browser identifies itself. */
export const readAgent = () => readAs('string', () => navigator.userAgent) ?? ''

/** Returns everything by which a browser identifies itself, for the bot filter. */
export const readAgentNames = (): string[] => [
  readAgent(),
  ...(attempt(() => nav().userAgentData!.brands!.map(({ brand }) => String(brand))) ?? []),
]

/** Whether the browser is automated. https://w3c.github.io/webdriver/#interface */
export const isAutomated = () => !!attempt(() => navigator.webdriver)

/** Whether the browser sends Do Not Track or Global Privacy Control. */
export const asksNotToBeTracked = () =>
  attempt(() => nav().globalPrivacyControl) === true || /^(1|yes)$/.test(readAs('string', () => nav().doNotTrack) ?? '')

const sizesOf = memo(
  (
    $screen_height?: number,
    $screen_width?: number,
    $viewport_height?: number,
    $viewport_width?: number,
  ): Properties => ({
    $screen_height,
    $screen_width,
    $viewport_height,
    $viewport_width,
  }),
)
// Reading the window's size may force a layout, so a burst of events reads it once.
const sizes = oncePerTask(() =>
  sizesOf(
    readAs('number', () => screen.height),
    readAs('number', () => screen.width),
    readAs('number', () => innerHeight),
    readAs('number', () => innerWidth),
  ),
)
// Computed again only if an argument has changed.
const pageOf = memo((url: string, href: string, sizes: Properties): Properties => ({
  $current_url: redactUrls(url),
  $host: location.host,
  $pathname: redactUrls((href === location.href ? location : new URL(href)).pathname),
  ...sizes,
}))

/**
 * Returns the page's URL, or the earlier one in `href`, and the window's size (docs/reference/protocol.md#5.3): the same
 * object until something changes. In a worker, whose URL may be that of a blob, it returns the host alone.
 */
export const readPage = (
  options: UrlOptions & Pick<Config, 'properties_string_max_length'>,
  href = hasPage() ? location.href : '',
): Properties =>
  href
    ? pageOf(permittedUrl(href.slice(0, options.properties_string_max_length), options), href, sizes())
    : { $host: hostOf(origin) }

/** Returns the page's title; undefined in a worker. */
export const readTitle = (): string | undefined =>
  hasPage() ? readAs('string', () => unclobbered(document).title) : undefined

/** Returns the referrer. Through the prototype, because an element may hide the property. */
export const readReferrer = (): string =>
  readAs('string', () => Reflect.get<Document, 'referrer'>(Document.prototype, 'referrer', document)) ?? ''
