import { colorTable, type HeatmapMap, weightOf } from './heatmap.ts'

/** Canvas px per CSS px: half the size is enough for blurred spots, and takes a quarter of the time. */
export const SCALE = 0.5
/** Radius of the spot of a cell, CSS px. */
const RADIUS = 26
const MIN_ALPHA = 0.08

/** Draws a spot that fades to its edge. Each cell is a copy of it. */
const createStamp = (radius: number): HTMLCanvasElement => {
  const stamp = document.createElement('canvas')
  stamp.width = stamp.height = radius * 2
  const context = stamp.getContext('2d')!
  const gradient = context.createRadialGradient(radius, radius, 0, radius, radius, radius)
  gradient.addColorStop(0, 'rgba(0, 0, 0, 1)')
  gradient.addColorStop(1, 'rgba(0, 0, 0, 0)')
  context.fillStyle = gradient
  context.fillRect(0, 0, radius * 2, radius * 2)
  return stamp
}

/** Draws the cells of a map: spots first, whose opacity adds up to the heat, which is then replaced by colors. */
export const drawHeat = (canvas: HTMLCanvasElement, { cells, cell, width }: HeatmapMap, height: number): void => {
  canvas.width = Math.round(width * SCALE)
  canvas.height = Math.round(height * SCALE)
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  const radius = Math.round(RADIUS * SCALE)
  const stamp = createStamp(radius)
  const most = cells.reduce((max, { count }) => Math.max(max, count), 0)
  const side = cell * SCALE
  for (const { x, y, count } of cells) {
    context.globalAlpha = Math.max(MIN_ALPHA, weightOf(count, most))
    context.drawImage(stamp, (x + 0.5) * side - radius, (y + 0.5) * side - radius)
  }
  const image = context.getImageData(0, 0, canvas.width, canvas.height)
  const { data } = image
  const colors = colorTable()
  for (let at = 0; at < data.length; at += 4) {
    const heat = data[at + 3]!
    if (!heat) continue
    data[at] = colors[heat * 3]!
    data[at + 1] = colors[heat * 3 + 1]!
    data[at + 2] = colors[heat * 3 + 2]!
    data[at + 3] = Math.min(220, 60 + heat)
  }
  context.putImageData(image, 0, 0)
}
