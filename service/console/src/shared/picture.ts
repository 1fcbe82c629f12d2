import type { TableData } from '../insights/tileData.ts'
import type { CellValue } from '../ui/simpleTable.tsx'

const WIDTH = 1_200
const PADDING = 32
const LINE = 28
const MAX_ROWS = 30
const MAX_COLUMNS = 8

const colorOf = (name: string): string => {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const contextOf = (height: number, title: string) => {
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH
  canvas.height = height
  const context = canvas.getContext('2d')!
  context.fillStyle = colorOf('--page')
  context.fillRect(0, 0, WIDTH, height)
  context.fillStyle = colorOf('--text')
  context.textBaseline = 'middle'
  context.font = '600 24px system-ui'
  context.fillText(title, PADDING, PADDING + 4, WIDTH - 2 * PADDING)
  context.font = '18px system-ui'
  return { canvas, context }
}

/** Draws what the page shows of a chart, with its legend. */
const drawChart = (chart: HTMLCanvasElement, title: string, legend: readonly string[]): HTMLCanvasElement => {
  const width = WIDTH - 2 * PADDING
  const height = (width * chart.height) / chart.width
  const top = 2 * PADDING + (legend.length ? LINE : 0)
  const { canvas, context } = contextOf(top + height + PADDING, title)
  context.fillStyle = colorOf('--muted')
  context.fillText(legend.join('   ·   '), PADDING, 2 * PADDING + 6, width)
  context.drawImage(chart, PADDING, top, width, height)
  return canvas
}

const drawTable = ({ head, rows }: TableData, title: string): HTMLCanvasElement => {
  const columns = head.slice(0, MAX_COLUMNS)
  const shown = rows.slice(0, MAX_ROWS)
  const { canvas, context } = contextOf(3 * PADDING + (shown.length + 1) * LINE, title)
  const width = (WIDTH - 2 * PADDING) / columns.length
  const draw = (cells: readonly CellValue[], line: number) =>
    columns.forEach((_, column) => {
      const cell = cells[column]
      context.fillText(
        cell === null || cell === undefined ? '–' : String(cell),
        PADDING + column * width,
        2 * PADDING + LINE * (line + 0.5),
        width - 12,
      )
    })
  context.fillStyle = colorOf('--muted')
  draw(columns, 0)
  context.fillStyle = colorOf('--text')
  shown.forEach((row, index) => draw(row, index + 1))
  return canvas
}

/** Downloads a tile as a picture: its chart, or its table. */
export const downloadPicture = (element: HTMLElement, title: string, table: TableData): void => {
  const chart = element.querySelector('canvas')
  const legend = [...element.querySelectorAll('.legend li')].map((item) => item.textContent ?? '')
  const canvas = chart?.width ? drawChart(chart, title, legend) : drawTable(table, title)
  canvas.toBlob((blob) => {
    if (!blob) return
    const url = URL.createObjectURL(blob)
    const link = document.createElement('a')
    link.href = url
    link.download = `${title.replace(/[^\p{L}\p{N}]+/gu, '-').toLowerCase() || 'chart'}.png`
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 10_000)
  })
}
