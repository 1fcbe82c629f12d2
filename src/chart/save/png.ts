const MAX_SIDE = 4_096
const ALIGN: Readonly<Record<string, CanvasTextAlign>> = { middle: 'center', end: 'right' }

/** Draws the children of an SVG element as they look now. */
const paintSvg = (canvas: CanvasRenderingContext2D, svg: SVGElement) => {
  for (const shape of svg.querySelectorAll<SVGElement>('path,text')) {
    const style = getComputedStyle(shape)
    if (shape.localName === 'text') {
      canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
      canvas.textAlign = ALIGN[style.textAnchor] ?? 'left'
      canvas.fillStyle = style.fill
      canvas.fillText(shape.textContent ?? '', Number(shape.getAttribute('x')), Number(shape.getAttribute('y')))
      continue
    }
    const path = new Path2D(shape.getAttribute('d') ?? '')
    if (style.fill !== 'none') {
      canvas.globalAlpha = Number(style.fillOpacity)
      canvas.fillStyle = style.fill
      canvas.fill(path)
      canvas.globalAlpha = 1
    }
    if (style.stroke === 'none') continue
    canvas.strokeStyle = style.stroke
    canvas.lineWidth = parseFloat(style.strokeWidth)
    canvas.lineCap = 'round'
    canvas.lineJoin = 'round'
    canvas.setLineDash(style.strokeDasharray.match(/[\d.]+/g)?.map(Number) ?? [])
    canvas.stroke(path)
  }
}

/** Draws the text boxes of a view as they look now: title, legend, cells of a table. */
const paintTexts = (canvas: CanvasRenderingContext2D, root: Element, boxes: Iterable<Element>) => {
  const origin = root.getBoundingClientRect()
  for (const element of boxes) {
    const box = element.getBoundingClientRect()
    const style = getComputedStyle(element)
    const [x, y] = [box.left - origin.left, box.top - origin.top]
    if (style.backgroundColor !== 'rgba(0, 0, 0, 0)') {
      canvas.fillStyle = style.backgroundColor
      canvas.fillRect(x, y, box.width, box.height)
    }
    const isEnd = (style.textAlign === 'end') !== (style.direction === 'rtl')
    canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
    canvas.textAlign = isEnd ? 'right' : 'left'
    canvas.textBaseline = 'middle'
    canvas.fillStyle = style.color
    const [start, end] = [parseFloat(style.paddingLeft), parseFloat(style.paddingRight)]
    const text = element.textContent ?? ''
    if (text)
      canvas.fillText(text, isEnd ? x + box.width - end : x + start, y + box.height / 2, box.width - start - end)
    canvas.textBaseline = 'alphabetic'
  }
}

/** Contents of a picture. */
export interface Picture {
  readonly root: HTMLElement
  readonly svg: SVGElement | null
  readonly boxes: Iterable<Element>
}

/** Draws a view on a canvas: an image of the SVG would need a policy that allows `data:` or `blob:`. */
export const toPng = async ({ root, svg, boxes }: Picture): Promise<Blob> => {
  const { width, height, left, top } = root.getBoundingClientRect()
  const scale = Math.min(Math.max(2, devicePixelRatio || 1), MAX_SIDE / Math.max(width, height, 1))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const context = canvas.getContext('2d')!
  context.scale(scale, scale)
  context.fillStyle = getComputedStyle(root).backgroundColor
  context.fillRect(0, 0, width, height)
  paintTexts(context, root, boxes)
  if (svg) {
    const box = svg.getBoundingClientRect()
    context.translate(box.left - left, box.top - top)
    paintSvg(context, svg)
  }
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))
  if (!blob) throw new Error('This browser could not encode the picture.')
  return blob
}
