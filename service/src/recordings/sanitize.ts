import { isImageUrl, isSafeUrl } from './safeUrl.ts'
import { sanitizeCss } from './sanitizeCss.ts'
import { EVENT_TYPE, type Fields, isFields, type RecordedEvent, SOURCE } from './rrweb.ts'
import { own } from '../lib/own.ts'

// Anyone with the public token can send a recording, so its HTML is untrusted. The player shows it in a frame without
// scripts, in a document whose content security policy allows no request. This is the layer before both.

/** Elements that run, load or navigate. An empty element takes their place, so that later mutations find it. */
const DROPPED_TAGS: ReadonlySet<string> = new Set([
  'script',
  'base',
  'object',
  'embed',
  'applet',
  'frame',
  'frameset',
  'portal',
  'fencedframe',
  'set',
  'animate',
  'animatemotion',
  'animatetransform',
])

/** Attributes that submit, load or navigate, regardless of their value. */
const DROPPED_ATTRIBUTES: ReadonlySet<string> = new Set([
  'srcdoc',
  'http-equiv',
  'action',
  'formaction',
  'formtarget',
  'ping',
  'target',
  'manifest',
  'autofocus',
  'autoplay',
  'nonce',
  'integrity',
  'is',
  'download',
  'attributionsrc',
  // Several URLs in one value.
  'srcset',
  'imagesrcset',
  'archive',
  'xml:base',
  'rr_mediastate',
])

/** Attributes with URLs. Only data URLs of images and fragments are kept. */
const URL_ATTRIBUTES: ReadonlySet<string> = new Set([
  'src',
  'href',
  'xlink:href',
  'poster',
  'data',
  'background',
  'cite',
  'longdesc',
  'codebase',
  'classid',
  'profile',
  'lowsrc',
  'dynsrc',
  'rr_src',
])

const TAG = /^[a-z][\w:.-]*$/i
const ATTRIBUTE = /^[a-z_@:][\w:.@-]*$/i
// Browsers ignore control characters and blanks in a scheme.
// oxlint-disable-next-line no-control-regex -- control characters are what this removes
const IGNORED = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029]/g
const SCRIPT_URL = /^(?:javascript|vbscript|livescript|data:(?!image\/))/i

/** Attributes whose text is never a style, even in SVG. Their value may look like one, such as a class `bg-[url(a.png)]`. */
const PLAIN_ATTRIBUTES = /^(?:id|class|name|title|alt|value|placeholder|label|aria-.*|data-.*)$/

const sanitizeAttribute = (name: string, value: unknown): unknown => {
  const lower = name.toLowerCase()
  if (!ATTRIBUTE.test(name) || lower.startsWith('on') || DROPPED_ATTRIBUTES.has(lower)) return undefined
  // A style change is an object of values by property.
  if (isFields(value)) return lower === 'style' ? mapText(value, sanitizeCss) : undefined
  // Browsers would convert a list to a string.
  if (typeof value !== 'string') return Array.isArray(value) ? undefined : value
  // An image of the element's content, made by the recorder.
  if (lower === 'rr_dataurl') return isImageUrl(value) ? value : undefined
  if (URL_ATTRIBUTES.has(lower)) return isSafeUrl(value) ? value : lower === 'href' ? '#' : undefined
  if (SCRIPT_URL.test(value.replace(IGNORED, ''))) return undefined
  // `style` and `_cssText`, and the presentation attributes of SVG, such as `fill` and `mask`.
  return PLAIN_ATTRIBUTES.test(lower) ? value : sanitizeCss(value)
}

const sanitizeAttributes = (attributes: unknown): Fields => {
  if (!isFields(attributes)) return {}
  const safe = Object.entries(attributes).map(([name, value]) => [name, sanitizeAttribute(name, value)])
  return Object.fromEntries(safe.filter(([, value]) => value !== undefined)) as Fields
}

/** Returns `value` with `change` applied to every text in it. */
const mapText = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((each) => mapText(each, change))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapText(inner, change)]))
}

const SIZE = /^\d{1,5} \d{1,5}$/

/** Returns an image of a size, which shows `image`, or that something is there. */
const placeholder = (size: string, image?: unknown): string => {
  const [width, height] = size.split(' ')
  const shown =
    typeof image === 'string' && isImageUrl(image)
      ? `<image href="${image.replace(/[<>&"]/g, (each) => `&#${each.charCodeAt(0)};`)}" width="100%" height="100%"/>`
      : ''
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shown}</svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

/**
 * Returns the attributes of an image or video with what the recorder knows of it: the image of a set that was shown, and its size, which
 * it keeps though its file is not loaded.
 */
const withPlaceholders = ({ rr_src: shown, rr_size: size, ...attributes }: Fields): Fields => {
  const src = typeof shown === 'string' ? shown : attributes.src
  if (typeof size !== 'string' || !SIZE.test(size))
    return shown === undefined ? attributes : { ...attributes, rr_src: shown, src }
  const isShown = typeof src === 'string' && isSafeUrl(src)
  return { ...attributes, src: isShown ? src : placeholder(size), poster: placeholder(size, attributes.poster) }
}

const EMPTY = { tagName: 'noscript', attributes: {}, childNodes: [] }

/** Returns the name of an element without its prefix: `svg:style` is a `style`, too. */
const localName = (tag: string): string => tag.replace(/^.*:/, '')

/** Whether an element is a link whose rules the recorder has not stored: it would load or connect. Its rules may follow. */
const isEmptyLink = (tag: string, attributes: Fields): boolean =>
  tag === 'link' && typeof attributes._cssText !== 'string'

/** Returns a recorded node and its descendants without what could run, load or navigate. */
const sanitizeNode = (node: unknown): unknown => {
  if (!isFields(node)) return node
  const { tagName, childNodes } = node
  const children = Array.isArray(childNodes) ? { childNodes: childNodes.map(sanitizeNode) } : {}
  if (tagName === undefined)
    return typeof node.textContent === 'string' && node.isStyle
      ? { ...node, ...children, textContent: sanitizeCss(node.textContent) }
      : { ...node, ...children }
  const tag = typeof tagName === 'string' && TAG.test(tagName) ? tagName.toLowerCase() : 'script'
  const attributes = isFields(node.attributes) ? node.attributes : {}
  if (DROPPED_TAGS.has(localName(tag))) return { ...node, ...EMPTY }
  if (isEmptyLink(tag, attributes)) return { ...node, attributes: {}, childNodes: [] }
  const text = localName(tag) === 'style' ? { childNodes: mapStyle(children.childNodes ?? []) } : children
  return { ...node, attributes: sanitizeAttributes(withPlaceholders(attributes)), ...text }
}

const mapStyle = (nodes: readonly unknown[]): unknown[] =>
  nodes.map((node) =>
    isFields(node) && typeof node.textContent === 'string'
      ? { ...node, textContent: sanitizeCss(node.textContent) }
      : node,
  )

const mapList = (value: unknown, change: (each: Fields) => unknown): unknown =>
  Array.isArray(value) ? value.filter(isFields).map(change) : []

/**
 * Returns an added node. Its parent may be a `style` element of an earlier event, so text is sanitized as a style
 * sheet.
 */
const sanitizeAdded = (node: unknown): unknown => {
  const safe = sanitizeNode(node)
  return isFields(safe) && typeof safe.textContent === 'string'
    ? { ...safe, textContent: sanitizeCss(safe.textContent) }
    : safe
}

const sanitizeText = (text: Fields): Fields =>
  typeof text.value === 'string' ? { ...text, value: sanitizeCss(text.value) } : text

const sanitizeMutation = (data: Fields): Fields => ({
  ...data,
  adds: mapList(data.adds, (add) => ({ ...add, node: sanitizeAdded(add.node) })),
  attributes: mapList(data.attributes, (each) => ({
    ...each,
    attributes: sanitizeAttributes(isFields(each.attributes) ? withPlaceholders(each.attributes) : {}),
  })),
  texts: mapList(data.texts, sanitizeText),
  removes: mapList(data.removes, (each) => each),
})

const STYLE_SOURCES: ReadonlySet<unknown> = new Set([
  SOURCE.styleSheetRule,
  SOURCE.styleDeclaration,
  SOURCE.adoptedStyleSheet,
])

/** The player would load media. */
const DROPPED_SOURCES: ReadonlySet<unknown> = new Set([SOURCE.mediaInteraction])

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const IMAGE_TYPE = /^image\/(?:png|jpeg|webp)$/
const MAX_CANVAS_PX = 32_767

/** Returns the arguments of the first call of a method. */
const argumentsOf = (commands: unknown, method: string): readonly unknown[] => {
  const call = Array.isArray(commands)
    ? commands.filter(isFields).find(({ property }) => property === method)
    : undefined
  return Array.isArray(call?.args) ? call.args : []
}

/** Returns the `data:` URL of an image that the recorder sends as an argument: an `ImageBitmap` of a `Blob`. */
const frameOf = (image: unknown): string | undefined => {
  const inner = (value: unknown, member: string): unknown => {
    const list = isFields(value) ? own(value, member) : undefined
    return Array.isArray(list) ? list[0] : undefined
  }
  const blob = inner(image, 'args')
  const buffer = inner(blob, 'data')
  if (!isFields(blob) || !isFields(buffer) || typeof blob.type !== 'string' || typeof buffer.base64 !== 'string')
    return undefined
  const isImage = IMAGE_TYPE.test(blob.type) && BASE64.test(buffer.base64)
  return isImage ? `data:${blob.type};base64,${buffer.base64}` : undefined
}

/**
 * Drawing on a canvas is recorded as a list of calls, which the player would only make if scripts were allowed. A frame
 * of a canvas is a call with an image of the whole canvas. It becomes the background of the element. Other calls are
 * dropped.
 */
const sanitizeCanvas = ({ id, commands }: Fields): Fields | undefined => {
  const frame = frameOf(argumentsOf(commands, 'drawImage')[0])
  const width = argumentsOf(commands, 'clearRect')[2]
  if (!frame || !Number.isSafeInteger(id) || !Number.isSafeInteger(width)) return undefined
  if (Number(width) < 1 || Number(width) > MAX_CANVAS_PX) return undefined
  // Setting the width clears what the canvas shows.
  const attributes = {
    width: String(width),
    style: {
      'background-image': `url("${frame}")`,
      'background-size': '100% 100%',
      'background-origin': 'content-box',
    },
  }
  return { source: SOURCE.mutation, adds: [], removes: [], texts: [], attributes: [{ id, attributes }] }
}

const BYTES = /^\[[\d,]*\]$/

/** Whether a font has its bytes, and needs no request. */
const isFontInItself = ({ buffer, family, fontSource }: Fields): boolean =>
  buffer === true && typeof family === 'string' && typeof fontSource === 'string' && BYTES.test(fontSource)

const MOVES: ReadonlySet<unknown> = new Set([SOURCE.mouseMove, SOURCE.touchMove, SOURCE.drag])

/** Keeps the positions that have a time. A move without one would stop the player. */
const sanitizeMove = (data: Fields): Fields | undefined => {
  const positions = Array.isArray(data.positions)
    ? data.positions.filter((each) => isFields(each) && Number.isFinite(each.timeOffset))
    : []
  return positions.length ? { ...data, positions } : undefined
}

const sanitizeIncremental = (data: Fields): Fields | undefined => {
  if (data.source === SOURCE.mutation) return sanitizeMutation(data)
  if (STYLE_SOURCES.has(data.source)) return mapText(data, sanitizeCss) as Fields
  if (MOVES.has(data.source)) return sanitizeMove(data)
  if (data.source === SOURCE.canvas) return sanitizeCanvas(data)
  if (data.source === SOURCE.font) return isFontInItself(data) ? data : undefined
  return DROPPED_SOURCES.has(data.source) ? undefined : data
}

/**
 * Returns a recorded event without what could run, load or navigate when it is played. The ids of all nodes stay, so
 * that later events find them. `undefined`: nothing is left of it.
 */
export const sanitize = (event: RecordedEvent): RecordedEvent | undefined => {
  const { type, data } = event
  if (type === EVENT_TYPE.domContentLoaded || type === EVENT_TYPE.load) return event
  if (!isFields(data)) return undefined
  if (type === EVENT_TYPE.fullSnapshot)
    return isFields(data.node) ? { ...event, data: { ...data, node: sanitizeNode(data.node) } } : undefined
  if (type !== EVENT_TYPE.incremental) return event
  const safe = sanitizeIncremental(data)
  return safe && { ...event, data: safe }
}
