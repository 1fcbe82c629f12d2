import type { RecordedEvent } from '../../player/messages.ts'

/** A page whose snapshot is wanted. */
export interface PageWanted {
  /** Without query and hash. A star stands for any characters. */
  readonly url: string
  /** Bounds of the recorded window's width, CSS px. */
  readonly min?: number | undefined
  readonly max?: number | undefined
}

const FULL_SNAPSHOT = 2
const INCREMENTAL = 3
const META = 4
const MUTATION = 0
/** Sources of incremental events that change how the page looks, such as mutations and styles. Visitors' input has others. */
const LOOKS: ReadonlySet<unknown> = new Set([MUTATION, 8, 10, 13, 15])

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

const isPage = (href: unknown, url: string): boolean => {
  if (typeof href !== 'string') return false
  const parts = url.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(href.replace(/[?#].*$/, ''))
}

const UNITS = /(\d*\.?\d+)[sld]?vh\b/g

/**
 * Returns a recorded node with heights relative to the window as those of the recorded window. The snapshot is drawn in a
 * window as high as the page, which they would follow.
 */
const withFixedHeights = (value: unknown, height: number): unknown => {
  if (Array.isArray(value)) return value.map((each) => withFixedHeights(each, height))
  if (typeof value !== 'object' || value === null) return value
  const fixed = (css: string) => css.replace(UNITS, (_, share: string) => `${(Number(share) * height) / 100}px`)
  const isStyleText = (value as Fields).isStyle === true
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const isCss =
        name === '_cssText' || name === 'style' || name === 'cssText' || (isStyleText && name === 'textContent')
      return [name, isCss && typeof each === 'string' ? fixed(each) : withFixedHeights(each, height)]
    }),
  )
}

/** Returns the events that draw the last snapshot of a page among those of a chunk. `undefined`: there is none. */
export const drawingEvents = (
  events: readonly RecordedEvent[],
  { url, min = 0, max = Infinity }: PageWanted,
): readonly RecordedEvent[] | undefined => {
  const start = events.findLastIndex(({ type, data }, at) => {
    const { href, width } = fieldsOf(data)
    const isWidth = typeof width === 'number' && width >= min && width <= max
    return type === META && isWidth && isPage(href, url) && events[at + 1]?.type === FULL_SNAPSHOT
  })
  if (start < 0) return undefined
  const [meta, snapshot, ...rest] = events.slice(start)
  const end = rest.findIndex(({ type }) => type === META || type === FULL_SNAPSHOT)
  const { height: recorded } = fieldsOf(meta?.data)
  const height = typeof recorded === 'number' ? recorded : 0
  const drawn = [
    { ...snapshot!, data: { ...fieldsOf(snapshot!.data), initialOffset: { left: 0, top: 0 } } },
    ...rest
      .slice(0, end < 0 ? undefined : end)
      .filter(({ type, data }) => type === INCREMENTAL && LOOKS.has(fieldsOf(data).source)),
  ]
  return [meta!, ...drawn.map((event) => ({ ...event, data: withFixedHeights(event.data, height) }))]
}
