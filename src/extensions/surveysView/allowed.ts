/** HTML that descriptions of surveys may contain: text, lists, tables, links, images and plain SVG. */
export const ELEMENTS: string[] =
  'a b blockquote br code div em h1 h2 h3 h4 h5 h6 i img li ol p pre s small span strong sub sup table tbody td th thead tr u ul svg g path circle rect line polygon'.split(
    ' ',
  )
export const ATTRIBUTES =
  'href src alt title width height colspan rowspan viewBox d cx cy r x y x1 x2 y1 y2 points fill stroke stroke-width'.split(
    ' ',
  )

const SVG = /^(svg|g|path|circle|rect|line|polygon)$/

/** The same list as a configuration of the browser's sanitizer. */
export const ALLOWED = {
  elements: ELEMENTS.map((name) => ({
    name,
    namespace: `http://www.w3.org/${SVG.test(name) ? '2000/svg' : '1999/xhtml'}`,
  })),
  attributes: ATTRIBUTES,
}
