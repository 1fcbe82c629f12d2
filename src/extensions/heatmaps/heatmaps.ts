import type { Moment } from '../../lib/moment'
import type { HeatmapParts } from '../../host'
import type { CapturedEvent, Stop } from '../../types'
import type { Extension, ExtensionHost } from '../contract'
import { createBuffer } from './buffer'
import { createDepth } from './depth'
import { type Place, type Point, placeOf, pointOf, type PointType } from './point'
import { scrollRootOf } from './scrollRoot'

const FLUSH_MS = 5000
/** A pointer that rests this long is a point. */
const REST_MS = 500
/** Time after which a page is laid out. */
const LAYOUT_MS = 500
// Recent clicks that are kept, because rage and dead clicks are detected seconds later.
const MAX_CLICKS = 20
const SAME_CLICK_MS = 50
const isHidden = () => document.visibilityState === 'hidden'
const TYPES: Readonly<Record<string, PointType>> = { $rageclick: 'rageclick', $dead_click: 'deadclick' }

interface Click {
  /** ms since 1970. */
  at: number
  url: string
  point: Point
}

/** Calls `onRest` with the place of a pointer that has stopped moving. */
const followPointer = ({ later, listen }: ExtensionHost & HeatmapParts, onRest: (place: Place) => void): Stop => {
  let place: Place | undefined
  let movedAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  // One timer at a time, because a pointer moves hundreds of times a second.
  const check = () => {
    timer = undefined
    const rest = movedAt + REST_MS - performance.now()
    if (rest > 0) timer = later(check, rest)
    else {
      const rested = place!
      place = undefined
      onRest(rested)
    }
  }
  const stop = listen(self, ['mousemove'], (event) => {
    place = placeOf(event as MouseEvent)
    movedAt = performance.now()
    if (place) timer ??= later(check, REST_MS)
  })
  return () => {
    stop()
    clearTimeout(timer)
    place = undefined
  }
}

/** Captures where people click, rest with the pointer and how far they scroll, as `$$heatmap`. */
export const start: Extension<HeatmapParts>['start'] = (host) => {
  const { config, capture, later, listen, outgoingUrl, typing } = host
  const buffer = createBuffer()
  const roots = () => [config.scroll_root_selector ?? []].flat()
  // Drops query parameters: they do not identify a page and may be secret. Keeps a hash that looks like a client-side route.
  const urlNow = () => {
    const [url, hash = ''] = outgoingUrl(location.href).split(/(?=#)/)
    return url!.replace(/\?.*/, '') + (/^#!?\//.test(hash) ? hash.replace(/\?.*/, '') : '')
  }
  const createView = () => ({ url: urlNow(), depth: createDepth(host.uuidv7(), roots) })
  let view = createView()
  let clicks: Click[] = []
  let flushTimer: ReturnType<typeof setTimeout> | undefined
  let layoutTimer: ReturnType<typeof setTimeout> | undefined
  /** When the latest point in the buffer was added. */
  let latest: Moment | undefined

  const add = (url: string, point: Point | undefined) => {
    if (!point) return
    const now = host.moment()
    // All points of an event belong to one session.
    if (latest && latest.session?.sessionId !== now.session?.sessionId) flush()
    latest = now
    buffer.add(url, point)
    flushTimer ??= later(flush, flushInterval())
  }
  const flushInterval = () => {
    const { capture_heatmaps: own } = config
    return (typeof own === 'object' ? own.flush_interval_milliseconds : undefined) ?? FLUSH_MS
  }
  const flush = () => {
    clearTimeout(flushTimer)
    flushTimer = undefined
    const depth = view.depth.take()
    if (depth) buffer.add(view.url, depth)
    if (buffer.isEmpty()) return
    const { points, dropped } = buffer.take()
    const moment = latest
    latest = undefined
    capture(
      '$$heatmap',
      { $heatmap_data: points, ...(dropped ? { $heatmap_dropped: dropped } : {}) },
      { send_instantly: isHidden() },
      moment,
    )
  }
  const measureLater = () => {
    clearTimeout(layoutTimer)
    layoutTimer = later(() => view.depth.measure(), LAYOUT_MS)
  }
  const beginView = () => {
    const depth = view.depth.take()
    if (depth) add(view.url, depth)
    view = createView()
    measureLater()
  }
  const leave = () => {
    view.depth.measure()
    flush()
  }
  const pointAt = (type: PointType, place: Place | undefined) =>
    place &&
    pointOf(
      type,
      place,
      (path) => scrollRootOf(path, roots()),
      config.mask_all_element_attributes ? undefined : typing.matcher(),
    )

  const onClick = (event: Event) => {
    const point = pointAt('click', placeOf(event as MouseEvent))
    if (!point) return
    clicks = [...clicks.slice(1 - MAX_CLICKS), { at: Date.now(), url: urlNow(), point }]
    add(urlNow(), point)
  }
  /** Adds the point of a click again when it turns out to be a rage or dead click. */
  const onCapture = ({ event, timestamp }: CapturedEvent) => {
    const type = TYPES[event]
    if (!type) return
    const at = timestamp.getTime()
    const click = clicks.find((each) => Math.abs(each.at - at) < SAME_CLICK_MS)
    if (click) add(click.url, { ...click.point, type })
  }

  measureLater()
  const stops = [
    typing.follow(),
    listen(self, ['click'], onClick),
    listen(self, ['scroll'], (event) => view.depth.onScroll(event.composedPath()[0])),
    followPointer(host, (place) => add(urlNow(), pointAt('mousemove', place))),
    host.onNavigate(() => {
      if (urlNow() !== view.url) beginView()
    }),
    host.onPageRestored(beginView),
    host.link({ onCapture }),
    host.onLeave(leave),
    host.onVisibilityChange(() => {
      if (isHidden()) leave()
    }),
  ]
  return () => {
    stops.forEach((stop) => stop())
    clearTimeout(flushTimer)
    clearTimeout(layoutTimer)
    clicks = []
    buffer.take()
  }
}
