import { COLORS, type Shape } from '../draw/shapes'

const SVG = 'http://www.w3.org/2000/svg'

type Listener = (event: never) => void
/** Attributes of an element. Functions are listeners. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined | Listener>>

/** Creates an element without parsing text as markup. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[Name] => {
  const created = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') created.addEventListener(key, value as EventListener)
    else if (value !== undefined && value !== false) created.setAttribute(key, value === true ? '' : String(value))
  }
  created.append(...children.filter((child) => child !== undefined))
  return created
}

/** Returns the class of a series: its color and, if colors repeat, dashes. */
export const colorClass = (color: number): string => `c${(color % COLORS) + 1}${color >= COLORS ? ' again' : ''}`

const classOf = ({ role, color, isDashed }: Shape) =>
  [role, color === undefined ? '' : colorClass(color), isDashed ? 'before' : ''].filter(Boolean).join(' ')

/** Creates the SVG elements of shapes. */
export const toSvg = (shapes: readonly Shape[]): SVGElement[] =>
  shapes.map((shape) => {
    const { d, text, x, y, anchor, role } = shape
    const created = document.createElementNS(SVG, d === undefined ? 'text' : 'path')
    const attributes = { class: classOf(shape), part: role, d, x, y, 'text-anchor': anchor }
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined) created.setAttribute(name, String(value))
    if (text !== undefined) created.textContent = text
    return created
  })

/** Creates an SVG element of a size. */
export const svgOf = (width: number, height: number): SVGElement => {
  const svg = document.createElementNS(SVG, 'svg')
  const attributes = { width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true', part: 'drawing' }
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, String(value))
  return svg
}
