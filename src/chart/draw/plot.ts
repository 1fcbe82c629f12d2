import type { Formats } from '../format'
import type { ChartData, Series } from '../model'
import { toText } from '../read/cells'
import { createScale, extentOf, type Scale } from './scale'
import { at, dotAt, type Figure, type Shape, type Size } from './shapes'
import { type Point, segmentsOf, thin } from './thin'

const TOP = 10
const BOTTOM = 24
const RIGHT = 14
/** Mean width of a character of a label. */
const CHARACTER = 6.4
const LABEL_GAP = 14
const MAX_LABEL = 22

/** The area of a plot and the positions in it. */
interface Frame {
  readonly left: number
  readonly right: number
  readonly bottom: number
  readonly scale: Scale
  /** Width of a category. */
  readonly band: number
  /** Returns the position of an x by its index. */
  xAt(index: number): number
}

const allValues = function* (series: readonly Series[]) {
  for (const { values } of series) yield* values
}

const shorten = (text: string) => (text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text)

/** Returns the label of an x, for the axis or for reading. */
export const labelAt = ({ times, labels }: ChartData, formats: Formats, index: number, isTick = false): string => {
  if (times) return isTick ? formats.tick(times[index]!) : formats.time(times[index]!)
  const label = labels[index]
  const text = typeof label === 'number' ? formats.full(label) : toText(label)
  return isTick ? shorten(text) : text
}

const createFrame = (data: ChartData, { width, height }: Size, formats: Formats, isBar: boolean): Frame => {
  const bottom = height - BOTTOM
  const scale = createScale(extentOf(allValues(data.series)), bottom, TOP)
  const left = Math.min(width / 3, 10 + CHARACTER * Math.max(...scale.ticks.map((tick) => formats.short(tick).length)))
  const right = width - RIGHT
  const count = data.labels.length
  const band = (right - left) / Math.max(1, count)
  const { times } = data
  // Bars have equal widths, also where days have not.
  const span = times && !isBar && count > 1 ? times[count - 1]! - times[0]! : 0
  const xAt = (index: number) =>
    span ? left + 4 + ((times![index]! - times![0]!) / span) * (right - left - 8) : left + (index + 0.5) * band
  return { left, right, bottom, scale, band, xAt }
}

/** Draws the lines and labels of both axes. Labels that would overlap are left out. */
const drawAxes = (data: ChartData, { left, right, bottom, scale, xAt }: Frame, formats: Formats): Shape[] => {
  const shapes: Shape[] = scale.ticks.flatMap((tick): Shape[] => [
    { role: 'grid', d: `M${at(left, scale.at(tick))}H${Math.round(right)}` },
    { role: 'label', text: formats.short(tick), x: left - 6, y: scale.at(tick) + 4, anchor: 'end' },
  ])
  const { length } = data.labels
  // The labels of a few are as wide as the others.
  const sample = data.labels.slice(0, 40).map((_, index) => labelAt(data, formats, index, true).length)
  const step = Math.ceil((length * (Math.max(...sample) * CHARACTER + LABEL_GAP)) / (right - left)) || 1
  let end = -Infinity
  for (let index = 0; index < length; index += step) {
    const text = labelAt(data, formats, index, true)
    const half = (text.length * CHARACTER) / 2
    const x = Math.min(Math.max(xAt(index), half), right + RIGHT - half)
    if (x - half < end + LABEL_GAP / 2) continue
    shapes.push({ role: 'label', text, x, y: bottom + 17, anchor: 'middle' })
    end = x + half
  }
  return shapes
}

const pathOf = (points: readonly Point[]) => {
  const thinned = thin(points)
  return thinned.length > 1 ? `M${thinned.map((point) => at(...point)).join('L')}` : dotAt(...points[0]!, 1.5)
}

const drawLines = (data: ChartData, { scale, xAt }: Frame, isArea: boolean): Shape[] =>
  data.series.flatMap(({ values, isComparison }, color): Shape[] => {
    const segments = segmentsOf(values.map((value, index) => (value === null ? null : [xAt(index), scale.at(value)])))
    if (!segments.length) return []
    const zero = scale.at(0)
    const areas = segments.map((points) => {
      const [start, end] = [points[0]![0], points[points.length - 1]![0]]
      return `${pathOf(points)}L${at(end, zero)}L${at(start, zero)}Z`
    })
    return [
      ...(isArea ? [{ role: 'area' as const, color, d: areas.join('') }] : []),
      { role: 'line', color, isDashed: isComparison, d: segments.map(pathOf).join('') },
    ]
  })

/** Draws the bars of one series. Of bars on the same pixel, only the longest is drawn. */
const drawBars = (data: ChartData, { scale, band, xAt }: Frame): Shape[] => {
  const width = Math.max(1, Math.min(60, (band * 0.8) / data.series.length))
  const zero = scale.at(0)
  return data.series.flatMap(({ values, isComparison }, color): Shape[] => {
    const offset = (color - data.series.length / 2) * width
    const longest = new Map<number, number>()
    values.forEach((value, index) => {
      if (value === null || value === 0) return
      const pixel = band < 2 ? Math.floor(xAt(index)) : xAt(index)
      if (Math.abs(value) > Math.abs(longest.get(pixel) ?? 0)) longest.set(pixel, value)
    })
    const inner = width > 4 ? width - 1 : width
    const bars = [...longest].map(
      ([x, value]) =>
        `M${at(x + offset, zero)}V${Math.round(scale.at(value) * 10) / 10}h${inner.toFixed(1)}V${Math.round(zero * 10) / 10}Z`,
    )
    return bars.length ? [{ role: 'bar', color, isDashed: isComparison, d: bars.join('') }] : []
  })
}

/** Draws lines, areas or bars. */
export const drawPlot = (data: ChartData, size: Size, formats: Formats, type: 'line' | 'area' | 'bar'): Figure => {
  const frame = createFrame(data, size, formats, type === 'bar')
  const { scale, xAt, bottom } = frame
  const count = data.labels.length
  const spot = (index: number) => {
    const found = data.series
      .map(({ name, values }, color) => ({ name, color, value: values[index] ?? null }))
      .filter(({ value }) => value !== null)
    const x = xAt(index)
    const dots = found.map(({ value, color }): Shape => ({ role: 'dot', color, d: dotAt(x, scale.at(value!)) }))
    return {
      x,
      y: Math.min(...found.map(({ value }) => scale.at(value!)), bottom),
      title: labelAt(data, formats, index),
      rows: found.map(({ name, color, value }) => ({ name, color, value: formats.full(value) })),
      shapes: [{ role: 'rule', d: `M${at(x, TOP)}V${bottom}` } as Shape, ...(type === 'bar' ? [] : dots)],
    }
  }
  const nearest = (x: number) => {
    let found = 0
    for (let index = 1; index < count; index += 1)
      if (Math.abs(xAt(index) - x) < Math.abs(xAt(found) - x)) found = index
    return found
  }
  const marks = type === 'bar' ? drawBars(data, frame) : drawLines(data, frame, type === 'area')
  return { shapes: [...drawAxes(data, frame, formats), ...marks], count, spot, nearest }
}
