/** HTML that descriptions of surveys may contain: text, lists, tables, links, images and plain SVG. */
export const ELEMENTS: string[] =
  'a abbr b blockquote br code dd div dl dt em h1 h2 h3 h4 h5 h6 hr i img li ol p pre s small span strong sub sup table tbody td th thead tr u ul svg g path circle rect line polyline polygon ellipse'.split(
    ' ',
  )
export const ATTRIBUTES =
  'href src alt title width height colspan rowspan viewBox d cx cy r rx ry x y x1 x2 y1 y2 points fill stroke stroke-width stroke-linecap transform'.split(
    ' ',
  )

const SVG = /^(svg|g|path|circle|rect|line|polyline|polygon|ellipse)$/

/** The same as a configuration of the browser's sanitizer. */
export const ALLOWED = {
  elements: ELEMENTS.map((name) =>
    SVG.test(name)
      ? { name, namespace: 'http://www.w3.org/2000/svg' }
      : { name, namespace: 'http://www.w3.org/1999/xhtml' },
  ),
  attributes: ATTRIBUTES,
}
