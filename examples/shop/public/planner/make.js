const SVG = 'http://www.w3.org/2000/svg'
const SVG_TAGS = new Set(['svg', 'path', 'circle', 'line'])

/** Creates an element with attributes and children. Strings become text nodes, never markup. */
export const make = (tag, attributes = {}, ...children) => {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag)
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value)
  element.append(...children)
  return element
}
