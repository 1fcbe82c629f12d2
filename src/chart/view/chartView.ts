import { drawNumber } from '../draw/number'
import { drawPie, slicesOf } from '../draw/pie'
import { drawPlot } from '../draw/plot'
import type { Figure, Size } from '../draw/shapes'
import { createFormats, type Formats } from '../format'
import type { Days } from '../load/days'
import type { ChartData, ChartType } from '../model'
import type { Picture } from '../save/png'
import type { Look } from '../settings'
import { createDayInputs } from './dayInputs'
import { element } from './dom'
import { legendItems } from './legend'
import { createMenu } from './menu'
import { createPlotView } from './plotView'
import { createTable, shownRows } from './tableView'
import { withNumbers } from './words'

/** Contents of a view. */
export interface Shown {
  readonly data: ChartData
  readonly look: Look
  readonly days: Days | undefined
  readonly isLoading: boolean
  /** Reason that the data is missing or old. */
  readonly error: string | undefined
}

/** Actions of the reader. */
export interface Actions {
  onDays(days: Days): void
  onCsv(): void
  onPng(): void
}

/** The view of a chart, in its shadow root. */
export interface ChartView {
  show(shown: Shown): void
  /** Shows that other data is requested. */
  wait(): void
  /** Draws the figure, unless it is drawn in the current size. */
  redraw(): void
  picture(): Picture
  readonly plot: HTMLElement
}

const isEmpty = ({ table }: ChartData) => table.rows.length === 0

/** Returns the type to draw: without a series, only a number or a table is possible. */
const typeOf = ({ look, data }: Shown): ChartType => {
  const type = look.type ?? data.suits
  return data.series.length || type === 'number' ? type : 'table'
}

interface Drawing {
  readonly figure: (size: Size) => Figure
  /** Names of the colors. */
  readonly legend: readonly string[]
}

const drawingOf = (type: Exclude<ChartType, 'table'>, data: ChartData, formats: Formats): Drawing => {
  if (type === 'number') return { figure: (size) => drawNumber(data, size, formats), legend: [] }
  if (type === 'pie') {
    const slices = slicesOf(data, formats)
    return { figure: (size) => drawPie(slices, size, formats), legend: slices.map(({ name }) => name) }
  }
  const names = data.series.map(({ name }) => name)
  return { figure: (size) => drawPlot(data, size, formats, type), legend: names.length > 1 ? names : [] }
}

/** Returns what the reader should know about the data. */
const notesOf = ({ data, look, error, isLoading }: Shown, type: ChartType, formats: Formats): string => {
  const { words } = look
  if (error) return error
  if (isEmpty(data)) return isLoading ? words.loading : look.emptyText || words.empty
  const rows = shownRows(data.table)
  const number = (value: number) => formats.full(value)
  if (type === 'table')
    return rows < data.table.rows.length ? withNumbers(words.rows, number(rows), number(data.table.rows.length)) : ''
  const { length } = data.series
  return data.leftOut ? withNumbers(words.series, number(length), number(length + data.leftOut)) : ''
}

/** Builds the view into a shadow root. */
export const createView = (shadow: ShadowRoot, actions: Actions): ChartView => {
  const title = element('div', { class: 'title', part: 'title' })
  const days = createDayInputs(actions.onDays)
  const menu = createMenu()
  const head = element('div', { class: 'head', part: 'head' }, title, days.root, menu.root)
  const plot = createPlotView()
  const tables = element('div', {})
  const legend = element('ul', { class: 'legend', part: 'legend' })
  const status = element('p', { class: 'status', part: 'status', role: 'status' })
  // The empty title keeps the host's title from becoming a tooltip.
  const root = element(
    'div',
    { class: 'root', part: 'root', role: 'figure', title: '' },
    head,
    plot.root,
    tables,
    legend,
    status,
  )
  shadow.append(root)
  let drawing: Drawing | undefined
  let label = ''
  let drawn: { readonly of: Drawing; readonly size: Size } | undefined

  const redraw = () => {
    const { clientWidth: width, clientHeight: height } = plot.root
    if (!drawing || width <= 20 || height <= 40) return
    if (drawn?.of === drawing && drawn.size.width === width && drawn.size.height === height) return
    drawn = { of: drawing, size: { width, height } }
    plot.draw(drawing.figure(drawn.size), drawn.size, label)
  }

  const showTable = (data: ChartData, formats: Formats, isVisible: boolean, name: string) => {
    const table = createTable(data.table, formats, name)
    const scroll = isVisible
      ? { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': name }
      : { class: 'hidden' }
    const top = tables.firstElementChild?.scrollTop ?? 0
    tables.replaceChildren(element('div', scroll, table))
    tables.firstElementChild!.scrollTop = top
  }

  return {
    plot: plot.root,
    redraw,
    wait: () => root.setAttribute('aria-busy', 'true'),
    show(shown) {
      const { data, look, error, isLoading } = shown
      const { words } = look
      const formats = createFormats(look.locale, data.times, data.unit)
      const type = typeOf(shown)
      const name = look.title || words.chart
      const hasData = !isEmpty(data)
      title.textContent = look.title
      root.setAttribute('aria-label', name)
      root.setAttribute('aria-busy', String(isLoading))
      days.show(shown.days, words)
      menu.root.hidden = !hasData
      menu.show(words.menu, [
        { label: words.csv, onChoose: actions.onCsv },
        { label: words.png, onChoose: actions.onPng },
      ])
      status.textContent = notesOf(shown, type, formats)
      status.hidden = !status.textContent
      status.className = error ? 'status error' : 'status'
      drawing = hasData && type !== 'table' ? drawingOf(type, data, formats) : undefined
      plot.root.hidden = !drawing
      legend.replaceChildren(...legendItems(drawing?.legend ?? []))
      legend.hidden = !drawing?.legend.length
      label = `${name}. ${type === 'number' ? formats.full(data.total) : words.hint}`
      if (!drawing) plot.clear()
      if (hasData) showTable(data, formats, !drawing, name)
      else tables.replaceChildren()
      redraw()
    },
    picture: () => ({
      root,
      svg: plot.root.querySelector('svg'),
      boxes: root.querySelectorAll('.scroll tbody :is(td,th),.scroll thead th,.title,.legend .swatch,.legend .name'),
    }),
  }
}
