import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { formatCompact } from '../lib/format.ts'
import { barPaths } from './barPaths.ts'
import { SimpleTable } from './simpleTable.tsx'

export interface Series {
  readonly label: string
  readonly values: readonly (number | null)[]
  /** Number of the color, from 1. */
  readonly color: number
  /** Whether this is the previous period, which is drawn with dots. */
  readonly isComparison?: boolean
}

const HEIGHT = 260
const ANNOUNCE_MS = 1_000
const MAX_COLORS = 5

/** Returns the color that a custom property has in the current theme. A canvas cannot read custom properties. */
const colorOf = (element: HTMLElement, name: string): string => {
  element.style.color = `var(${name})`
  const { color } = getComputedStyle(element)
  element.style.color = ''
  return color
}

export const seriesColor = (color: number): string => `--series-${((color - 1) % MAX_COLORS) + 1}`

interface ChartProps {
  /** What the chart shows, for the caption. */
  readonly caption: string
  /** Names of the buckets, one for each value. */
  readonly labels: readonly string[]
  readonly series: readonly Series[]
  readonly format?: (value: number) => string
  /** Whether the last bucket is still running. It is drawn with dashes. */
  readonly isLastPartial?: boolean
  readonly kind?: 'line' | 'bar'
}

interface LineChartProps extends ChartProps {
  /** Opens what is behind a bucket. Absent: buckets cannot be opened. */
  readonly open?: { readonly label: string; readonly onOpen: (index: number) => void }
}

const toOptions = (
  element: HTMLElement,
  { labels, series, format, kind, isLastPartial }: Required<ChartProps>,
  onCursor: (index: number | undefined) => void,
): uPlot.Options => {
  const muted = colorOf(element, '--muted')
  const line = colorOf(element, '--line')
  const axis = { stroke: muted, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '12px system-ui' }
  const bars = series.filter(({ isComparison }) => !isComparison)
  return {
    width: element.clientWidth,
    height: HEIGHT,
    // The last label is wider than its bucket.
    padding: [12, 28, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    // By bucket, not by time: time axes are wrong where the clock changes.
    scales: {
      x: { time: false, ...(kind === 'bar' ? { range: [-0.5, labels.length - 0.5] } : {}) },
      y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 32,
        incrs: [1, 2, 3, 5, 7, 10, 14, 30, 60, 90],
        space: 90,
        values: (_chart, ticks) => ticks.map((tick) => labels[tick] ?? ''),
      },
      { ...axis, size: 56, values: (_chart, ticks) => ticks.map(format) },
    ],
    series: [
      {},
      ...series.map((each) => {
        const { label, color, isComparison } = each
        const stroke = colorOf(element, seriesColor(color))
        return {
          label,
          stroke,
          width: 2,
          // Round caps turn dashes without length into dots.
          ...(isComparison ? { dash: [0, 5], cap: 'round' as const, alpha: 0.75 } : {}),
          ...(kind === 'bar' && !isComparison
            ? { paths: barPaths(bars.indexOf(each), bars.length), fill: stroke }
            : {}),
          points: { show: labels.length === 1 },
        }
      }),
    ],
    hooks: {
      setCursor: [(chart) => onCursor(chart.cursor.idx ?? undefined)],
      // The running bucket, over the line that uPlot drew.
      drawSeries: [
        (chart, index) => {
          const drawn = series[index - 1]
          const last = labels.length - 1
          if (!isLastPartial || !drawn || drawn.isComparison) return
          const [from, to] = [last - 1, last].map((at) => chart.data[index]![at])
          if (typeof from !== 'number' || typeof to !== 'number') return
          const { ctx } = chart
          ctx.save()
          ctx.strokeStyle = colorOf(element, '--page')
          ctx.lineWidth = 2.5 * devicePixelRatio
          ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio])
          ctx.beginPath()
          ctx.moveTo(chart.valToPos(last - 1, 'x', true), chart.valToPos(from, 'y', true))
          ctx.lineTo(chart.valToPos(last, 'x', true), chart.valToPos(to, 'y', true))
          ctx.stroke()
          ctx.restore()
        },
      ],
    },
  }
}

const themes = matchMedia('(prefers-color-scheme: dark)')

/** Calls `redraw` when the chart's box or the theme changes. Returns a function that stops. */
const watchLook = (element: HTMLElement, resize: () => void, recolor: () => void): (() => void) => {
  const boxes = new ResizeObserver(resize)
  boxes.observe(element)
  const theme = new MutationObserver(recolor)
  theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  themes.addEventListener('change', recolor)
  return () => {
    boxes.disconnect()
    theme.disconnect()
    themes.removeEventListener('change', recolor)
  }
}

/**
 * A line chart of series over buckets, with an axis that starts at zero. The arrow keys move its cursor, a live region
 * reads the values, and "Show as table" lists them all.
 */
export const LineChart = ({
  caption,
  labels,
  series,
  format = formatCompact,
  isLastPartial = false,
  kind = 'line',
  open,
}: LineChartProps) => {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const [cursor, setCursor] = useState<number>()
  const [isTable, setTable] = useState(false)
  const [theme, setTheme] = useState(0)
  const id = useId()
  const hasDashes = isLastPartial && kind === 'line' && labels.length > 1

  useEffect(() => {
    const element = box.current
    if (!element) return
    const options = toOptions(element, { caption, labels, series, format, isLastPartial: hasDashes, kind }, setCursor)
    const data = [labels.map((_, index) => index), ...series.map(({ values }) => [...values])] as uPlot.AlignedData
    const made = new uPlot(options, data, element)
    chart.current = made
    const stop = watchLook(
      element,
      () => made.setSize({ width: element.clientWidth, height: HEIGHT }),
      () => setTheme((count) => count + 1),
    )
    return () => {
      stop()
      made.destroy()
    }
  }, [labels, series, format, hasDashes, kind, isTable, theme])

  const moveCursor = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && open && cursor !== undefined) open.onOpen(cursor)
    const last = labels.length - 1
    const at = cursor ?? -1
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last }[event.key]
    if (next === undefined) return
    event.preventDefault()
    const index = Math.min(Math.max(next, 0), last)
    chart.current?.setCursor({ left: chart.current.valToPos(index, 'x'), top: 0 })
    setCursor(index)
  }

  const valuesAt = (index: number) =>
    series.map(({ label, values }) => `${label}: ${values[index] === null ? 'none' : format(values[index] ?? 0)}`)
  return (
    <figure aria-labelledby={`${id}-caption`}>
      <div class="row between" style={{ marginBottom: '0.5rem' }}>
        <figcaption id={`${id}-caption`} class="visually-hidden">
          {caption}
        </figcaption>
        <Legend series={series} hasDashes={hasDashes} />
        <button type="button" class="button plain" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </div>
      {isTable ? (
        <SimpleTable
          caption={caption}
          head={['', ...series.map(({ label }) => label)]}
          rows={labels.map((label, index) => [label, ...series.map(({ values }) => values[index] ?? null)])}
        />
      ) : (
        <div class="chart">
          <div
            ref={box}
            role="img"
            tabIndex={0}
            aria-label={`${caption}. Use the arrow keys to read the values.${open ? ` Enter: ${open.label}.` : ''}`}
            style={open ? { cursor: 'pointer' } : {}}
            onKeyDown={moveCursor}
            onClick={() => open && cursor !== undefined && open.onOpen(cursor)}
          />
          {cursor !== undefined && <Tip label={labels[cursor]} series={series} index={cursor} format={format} />}
          <Announcement text={cursor === undefined ? '' : `${labels[cursor]}. ${valuesAt(cursor).join(', ')}`} />
        </div>
      )}
    </figure>
  )
}

const Mark = ({ color, isComparison }: Pick<Series, 'color' | 'isComparison'>) => (
  <span
    class={isComparison ? 'legend-mark is-dotted' : 'legend-mark'}
    style={{ '--mark': `var(${seriesColor(color)})` }}
  />
)

const Legend = ({ series, hasDashes }: { readonly series: readonly Series[]; readonly hasDashes: boolean }) => (
  <ul class="legend">
    {series.map(({ label, color, isComparison }) => (
      <li key={label}>
        <Mark color={color} isComparison={isComparison} />
        {label}
      </li>
    ))}
    {hasDashes && (
      <li>
        <span class="legend-mark is-dashed" style={{ '--mark': 'var(--muted)' }} />
        Incomplete
      </li>
    )}
  </ul>
)

const Tip = ({
  label,
  series,
  index,
  format,
}: {
  readonly label: string | undefined
  readonly series: readonly Series[]
  readonly index: number
  readonly format: (value: number) => string
}) => (
  // On the side where the cursor is not.
  <div
    class="chart-tip"
    aria-hidden="true"
    style={index > (series[0]?.values.length ?? 0) / 2 ? { left: '4rem' } : { right: 0 }}
  >
    <strong>{label}</strong>
    {series.map(({ label: name, values, color, isComparison }) => (
      <div key={name} class="row between">
        <span>
          <Mark color={color} isComparison={isComparison} />
          {name}
        </span>
        <span class="number">{typeof values[index] === 'number' ? format(values[index]) : '–'}</span>
      </div>
    ))}
  </div>
)

/** Reads `text` to screen readers, at most once a second. */
const Announcement = ({ text }: { readonly text: string }) => {
  const [said, setSaid] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), ANNOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div class="visually-hidden" aria-live="polite">
      {said}
    </div>
  )
}
