import { colorClass, element } from './dom'

/** Creates a square in the color of a series. */
export const swatch = (color: number): HTMLElement =>
  element('span', { class: `swatch ${colorClass(color)}`, 'aria-hidden': 'true' })

/** Creates the entries of a legend. */
export const legendItems = (names: readonly string[]): HTMLElement[] =>
  names.map((name, color) =>
    element('li', { part: 'legend-item' }, swatch(color), element('span', { class: 'name', title: name }, name)),
  )
