import { Fragment, h } from 'preact'
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { drawCells, drawDepth, type HeatmapElement, type HeatmapMap, type HeatmapScroll, placeCounts } from './drawHeat'
import type { PanelProps, Tools } from './tools'
import { usePath } from './usePath'
import { useService } from './useService'

const TYPES = [
  { value: 'click', label: 'Clicks' },
  { value: 'rageclick', label: 'Rage clicks' },
  { value: 'deadclick', label: 'Dead clicks' },
  { value: 'mousemove', label: 'Resting pointer' },
  { value: 'scroll', label: 'Scroll depth' },
]

const PERIODS = [
  { value: '-24h', label: '24 hours' },
  { value: '-7d', label: '7 days' },
  { value: '-30d', label: '30 days' },
  { value: '-90d', label: '90 days' },
]

// Widths of windows whose pages usually have the same layout, as in the console.
const WIDTHS = [0, 481, 769, 1025, 1441, Infinity]
// Widths that the service draws maps for, CSS px.
const [MIN_WIDTH, MAX_WIDTH] = [160, 4096]

/** Returns the range of window widths that this window is in. */
const rangeOf = (width: number) => {
  const index = WIDTHS.findIndex((each) => each > width)
  const max = WIDTHS[index]!
  return { viewport_min: WIDTHS[index - 1] || undefined, viewport_max: max === Infinity ? undefined : max - 1 }
}

/** Calls back at the next frame after the page scrolled, the window changed, or an element was resized. */
const followLayout = ({ listen }: Tools['host'], draw: () => void) => {
  let frame = 0
  const schedule = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0
      draw()
    })
  }
  const observer = new ResizeObserver(schedule)
  observer.observe(document.documentElement)
  const stop = listen(window, ['scroll', 'resize'], schedule)
  draw()
  return () => {
    stop()
    observer.disconnect()
    cancelAnimationFrame(frame)
  }
}

interface ChoiceProps {
  label: string
  value: string
  choices: readonly { value: string; label: string }[]
  change(value: string): void
}

const Choice = ({ label, value, choices, change }: ChoiceProps) => (
  <label class="field">
    {label}
    <select value={value} onChange={(event) => change(event.currentTarget.value)}>
      {choices.map((each) => (
        <option key={each.value} value={each.value}>
          {each.label}
        </option>
      ))}
    </select>
  </label>
)

/** Draws the service's heatmap of this page on the page. */
export const HeatmapPanel = ({ tools, overlay }: PanelProps) => {
  const [type, setType] = useState('click')
  const [dateFrom, setDateFrom] = useState('-7d')
  const [isOwnWidth, setIsOwnWidth] = useState(true)
  const [hasCounts, setHasCounts] = useState(true)
  const [width, setWidth] = useState(innerWidth)
  const path = usePath(tools.host)
  const isScroll = type === 'scroll'
  const filter = {
    // The service ignores parameters of the URL.
    url: `${location.origin}${path}`,
    date_from: dateFrom,
    ...(isOwnWidth ? rangeOf(width) : {}),
  }
  const mapWidth = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))
  const map = useService<HeatmapMap>(tools, isScroll ? undefined : 'heatmap', { ...filter, type, width: mapWidth })
  const scroll = useService<HeatmapScroll>(tools, isScroll ? 'heatmap/scroll' : undefined, filter)
  const elements = useService<{ results: HeatmapElement[] }>(
    tools,
    isScroll || !hasCounts ? undefined : 'heatmap/elements',
    { ...filter, type },
  )
  const canvas = useMemo(() => document.createElement('canvas'), [])
  const labels = useMemo(() => document.createElement('div'), [])
  useLayoutEffect(() => {
    overlay.append(canvas, labels)
    return () => {
      canvas.remove()
      labels.remove()
    }
  }, [])
  useLayoutEffect(
    () =>
      followLayout(tools.host, () => {
        setWidth(innerWidth)
        if (scroll.data) drawDepth(canvas, scroll.data)
        else drawCells(canvas, map.data)
        placeCounts(labels, elements.data?.results ?? [])
      }),
    [map.data, scroll.data, elements.data],
  )
  const loaded = isScroll ? scroll : map
  const error = loaded.error ?? elements.error
  return (
    <>
      <Choice label="Map" value={type} choices={TYPES} change={setType} />
      <Choice label="Period" value={dateFrom} choices={PERIODS} change={setDateFrom} />
      <label>
        <input type="checkbox" checked={isOwnWidth} onChange={() => setIsOwnWidth(!isOwnWidth)} /> Only windows of a
        similar width
      </label>
      {!isScroll && (
        <label>
          <input type="checkbox" checked={hasCounts} onChange={() => setHasCounts(!hasCounts)} /> Counts on elements
        </label>
      )}
      <p role="status">
        {error ?? (loaded.isLoading ? 'Loading' : isScroll ? summaryOfScroll(scroll.data) : summaryOfMap(map.data))}
      </p>
      {!isScroll && hasCounts && elements.data && (
        <ol class="list">
          {elements.data.results.slice(0, 10).map(({ selector, count, people }) => (
            <li key={selector}>
              <code>{selector}</code> {count} by {people} {people === 1 ? 'person' : 'people'}
            </li>
          ))}
        </ol>
      )}
    </>
  )
}

const countOf = (count: number, thing: string) => `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`

const summaryOfMap = (map: HeatmapMap | undefined) =>
  map?.points
    ? `${countOf(map.points, 'point')}${map.has_more ? '. Only the busiest places are drawn' : ''}`
    : 'No points of this page in this period'

const summaryOfScroll = (scroll: HeatmapScroll | undefined) =>
  scroll?.views ? countOf(scroll.views, 'view') : 'No views of this page in this period'
