import type { Formats } from '../format'
import type { Table } from '../model'
import { toNumber } from '../read/cells'
import { element } from './dom'

const MAX_ROWS = 500
const MAX_COLUMNS = 60
const MAX_CHARACTERS = 400

/** Number of rows that a table shows. */
export const shownRows = ({ rows }: Table): number => Math.min(rows.length, MAX_ROWS)

const cut = (text: string) => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text)

/** Colors a cell by its share of the first number of its row, as far as the page's policy allows. */
const shade = (cell: HTMLElement, value: unknown, first: unknown) => {
  const share = (toNumber(value) ?? 0) / (toNumber(first) || Infinity)
  if (share > 0)
    cell.style.backgroundColor = `color-mix(in srgb, var(--_color-1) ${Math.round(Math.min(share, 1) * 35)}%, var(--_background))`
}

const isFigure = (value: unknown) => toNumber(value) !== null

/** Creates a table. `caption`: its name, for screen readers. */
export const createTable = (table: Table, formats: Formats, caption: string): HTMLTableElement => {
  const { columns, rows, isShaded } = table
  const shown = rows.slice(0, MAX_ROWS)
  const figures = columns.map((_, index) => shown.some((row) => isFigure(row[index])) && index > 0)
  const headings = columns
    .slice(0, MAX_COLUMNS)
    .map((name, index) => element('th', { scope: 'col', class: figures[index] ? 'figure' : undefined }, cut(name)))
  const body = shown.map((row) =>
    element(
      'tr',
      {},
      ...headings.map((_, index) => {
        const value = row[index]
        const text = cut(formats.cell(value))
        if (index === 0) return element('th', { scope: 'row' }, text)
        const cell = element('td', { class: figures[index] ? 'figure' : undefined }, text)
        if (isShaded) shade(cell, value, row[1])
        return cell
      }),
    ),
  )
  return element(
    'table',
    { part: 'table' },
    element('caption', { class: 'hidden' }, caption),
    element('thead', {}, element('tr', {}, ...headings)),
    element('tbody', {}, ...body),
  )
}
