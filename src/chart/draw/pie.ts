import type { Formats } from '../format'
import type { ChartData } from '../model'
import { labelAt } from './plot'
import { at, COLORS, dotAt, type Figure, type Shape, type Size } from './shapes'

/** A part of a whole. */
export interface Slice {
  readonly name: string
  readonly value: number
}

/** Returns the slices of a pie, the largest first. The smallest are one slice. Values below zero have none. */
export const slicesOf = (data: ChartData, formats: Formats): readonly Slice[] => {
  const { series } = data
  const sum = (values: readonly (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0)
  const all =
    series.length > 1
      ? series.map(({ name, values }) => ({ name, value: sum(values) }))
      : (series[0]?.values ?? []).map((value, index) => ({ name: labelAt(data, formats, index), value: value ?? 0 }))
  const slices = all.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value)
  if (slices.length <= COLORS) return slices
  const rest = slices.splice(COLORS - 1)
  return [...slices, { name: `Other (${rest.length})`, value: sum(rest.map(({ value }) => value)) }]
}

const TURN = 2 * Math.PI

/** Draws slices. */
export const drawPie = (slices: readonly Slice[], { width, height }: Size, formats: Formats): Figure => {
  const [x, y] = [width / 2, height / 2]
  const radius = Math.max(10, Math.min(x, y) - 8)
  const total = slices.reduce((sum, { value }) => sum + value, 0)
  const share = createShares(slices, total)
  const edge = (part: number, length = radius): [number, number] => {
    const angle = part * TURN - TURN / 4
    return [x + length * Math.cos(angle), y + length * Math.sin(angle)]
  }
  const shapes = slices.map((_, color): Shape => {
    const [from, to] = share(color)
    if (to - from > 0.9999) return { role: 'slice', color, d: `${dotAt(x, y, radius)}Z` }
    const isLarge = to - from > 0.5 ? 1 : 0
    return {
      role: 'slice',
      color,
      d: `M${at(x, y)}L${at(...edge(from))}A${radius} ${radius} 0 ${isLarge} 1 ${at(...edge(to))}Z`,
    }
  })
  const spot = (index: number) => {
    const [from, to] = share(index)
    const [spotX, spotY] = edge((from + to) / 2, radius * 0.7)
    const { name, value } = slices[index]!
    const percent = Math.round((to - from) * 1_000) / 10
    return {
      x: spotX,
      y: spotY,
      title: name,
      rows: [{ name: `${formats.full(percent)}\u00a0%`, value: formats.full(value), color: index }],
      shapes: [{ role: 'dot', color: index, d: dotAt(spotX, spotY) } as Shape],
    }
  }
  const nearest = (toX: number, toY: number) => {
    const part = (Math.atan2(toY - y, toX - x) / TURN + 1.25) % 1
    const found = slices.findIndex((_, index) => part < share(index)[1])
    return found < 0 ? slices.length - 1 : found
  }
  return { shapes, count: slices.length, spot, nearest }
}

/** Returns where each slice begins and ends, from 0 to 1. */
const createShares = (slices: readonly Slice[], total: number) => {
  let end = 0
  const shares = slices.map(({ value }): [from: number, to: number] => [end, (end += value / total)])
  return (index: number) => shares[index]!
}
