import { sanitizeCss } from './css'
import type { Policy } from './policy'
import { callMask, hashData, MASKED_VALUE, stars } from './text'
import { type Redact, sanitizeUrl, sanitizeUrls } from './urls'

/** Kind of an attribute's value. */
type Kind =
  /** Chosen by the layout: a keyword, or nothing. */
  | 'word'
  /** A number, also with a unit. */
  | 'size'
  /** Classes and ids, which selectors name. */
  | 'token'
  /** Numbers and commands of SVG. */
  | 'geometry'
  /** A color, a keyword or a reference to a fragment. */
  | 'paint'
  | 'css'
  | 'url'
  | 'urls'
  /** Text that people read. */
  | 'text'
  /** A name that scripts use. */
  | 'name'

const KINDS: Record<Kind, string> = {
  word: `type role dir lang hidden open disabled readonly required multiple rel media align valign wrap shape scope
    contenteditable autocomplete inputmode kind loading decoding controls loop muted autoplay playsinline popover inert
    xmlns preserveaspectratio gradientunits patternunits clippathunits maskunits fill-rule
    clip-rule stroke-linecap stroke-linejoin text-anchor dominant-baseline font-style font-weight visibility display
    overflow pointer-events rr_open_mode rr_mediastate rr_mediamuted rr_medialoop border bgcolor reversed
    aria-hidden aria-expanded aria-selected aria-checked aria-pressed aria-disabled aria-current aria-haspopup
    aria-orientation aria-readonly aria-required aria-sort`,
  size: `width height size rows cols colspan rowspan span cellpadding cellspacing tabindex start x y x1 x2 y1 y2 cx cy r rx ry fx fy dx dy
    offset opacity fill-opacity stroke-opacity stop-opacity stroke-width stroke-miterlimit font-size letter-spacing refx refy
    markerwidth markerheight stddeviation rr_width rr_height rr_left rr_top rr_scrollleft rr_scrolltop
    rr_mediacurrenttime rr_mediaplaybackrate rr_mediavolume`,
  token: 'class id slot part is',
  geometry: `d points viewbox transform gradienttransform patterntransform stroke-dasharray stroke-dashoffset rotate rr_size`,
  paint:
    'fill stroke color stop-color flood-color lighting-color mask clip-path filter marker-start marker-mid marker-end',
  css: 'style _csstext',
  url: 'href xlink:href src poster background cite action formaction data manifest rr_dataurl rr_src',
  urls: 'srcset imagesrcset',
  text: 'title alt placeholder label abbr summary aria-label aria-description aria-placeholder aria-valuetext aria-roledescription',
  name: `name for list form headers usemap itemprop target min max step pattern maxlength minlength low high optimum datetime sizes value
    aria-labelledby aria-describedby aria-controls aria-owns aria-activedescendant aria-valuemin aria-valuemax
    aria-valuenow`,
}

const KIND_OF = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) => names.split(/\s+/).map((name) => [name, kind as Kind])),
)

const WORD = /^[a-z -]{0,40}$/i
const XMLNS = /^http:\/\/www\.w3\.org\/[\w/]+$/
const SIZE = /^-?\d{0,6}(\.\d{1,20})?([a-z]{2,4}|%)?$/i
const GEOMETRY = /^[-+.,\d\seEmMlLhHvVcCsSqQtTaAzZ]*$|^([a-z]{4,10}\([-+.,\d\se]*\)[\s,]*)*$/i
const LONG_NUMBER = /(^|[^.\d])\d{9}/
const PAINT = /^(#[\da-f]{3,8}|[a-z-]{1,24}|[a-z]{3,5}\([\d\s.,%/a-z-]*\)|url\(["']?#[\w-]+["']?\))$/i
// Values of `data-*` that CSS selects by, such as open and dark.
const DATA_WORD = /^[\w-]{0,32}$/

// Fields that the browser or the page marks as personal: masked with any options.
const PRIVATE_TYPE = /^(password|email|tel|hidden|file)$/i
const PRIVATE_FIELD = /^cc-|password|one-time-code|^(email|tel|bday|street|postal|address)|name$/i

/** The value that rrweb marks an input with whose type was `password` before. */
const WAS_PASSWORD = 'data-rr-is-password'

/** Whether the value of a field must never be recorded. Undefined: the field is unknown. */
export const isPrivateField = (field: Element | null | undefined, { sensitiveName }: Policy): boolean => {
  if (!field) return true
  const attribute = (name: string) => Element.prototype.getAttribute.call(field, name) ?? ''
  return (
    PRIVATE_TYPE.test(attribute('type')) ||
    field.hasAttribute(WAS_PASSWORD) ||
    attribute('autocomplete')
      .split(/\s+/)
      .some((token) => PRIVATE_FIELD.test(token)) ||
    sensitiveName.test(attribute('name').replace(/[^a-z]/gi, '')) ||
    sensitiveName.test(attribute('id').replace(/[^a-z]/gi, ''))
  )
}

// Custom elements too, because those that are fields have a value.
const FIELDS = /^(input|textarea|select|option|optgroup|datalist|button|output|meter|progress|param|.+-.+)$/
const BUTTONS = /^(submit|button|reset|image)$/

/** Returns the type of a field in `maskInputOptions`. */
const typeOf = (tag: string, field: Element | null | undefined): string =>
  tag === 'input' ? (field?.getAttribute('type') ?? 'text').toLowerCase() : tag === 'option' ? 'select' : tag

/** Returns the recorded value of a field. `field`: undefined if it is unknown, which masks it. */
export const sanitizeValue = (
  value: string,
  tag: string,
  field: Element | null | undefined,
  policy: Policy,
): string => {
  if (!value) return ''
  if (isPrivateField(field, policy)) return MASKED_VALUE
  const type = typeOf(tag, field)
  if (!policy.masksInput(type)) return value
  return policy.maskInputFn ? callMask(policy.maskInputFn, MASKED_VALUE, value, field as HTMLElement) : MASKED_VALUE
}

// Elements whose URLs are for the next click: the page's URL at that time resolves them.
const FOLLOWED = /^(a|area|form|button)$/
const resolved = new WeakMap<Element, Map<string, { raw: string | null; value: string }>>()

/**
 * Returns the value of an attribute with URLs. Browsers load what they stand for once, so while the attribute stays the same,
 * neither a navigation within the page nor another base element changes it.
 */
const loadedValue = (name: string, value: string, element: Element | null | undefined, tag: string): string => {
  const raw = element?.getAttribute(name) ?? null
  if (!element || raw === null || raw === value || FOLLOWED.test(tag)) return value
  const known = resolved.get(element) ?? new Map<string, { raw: string | null; value: string }>()
  resolved.set(element, known)
  const before = known.get(name)
  if (before?.raw === raw) return before.value
  known.set(name, { raw, value })
  return value
}

export interface AttributeContext {
  /** Lower case. */
  tag: string
  /** The element; undefined if it is unknown. */
  element?: Element | null
  /** Whether the element's text is masked. */
  isMasked: boolean
}

const byKind = (kind: Kind, value: string, isMasked: boolean, redact?: Redact): string | undefined => {
  switch (kind) {
    case 'word':
      return WORD.test(value) || XMLNS.test(value) ? value : undefined
    case 'size':
      return SIZE.test(value) ? value : undefined
    case 'token':
      return isMasked ? hashData(value) : value
    case 'geometry':
      return GEOMETRY.test(value) && !LONG_NUMBER.test(value) ? value : undefined
    case 'paint':
      return PAINT.test(value.trim()) ? (isMasked ? hashData(value) : value) : undefined
    case 'css':
      return sanitizeCss(value, redact)
    case 'url':
      return sanitizeUrl(value, redact) || undefined
    case 'urls':
      return sanitizeUrls(value, redact) || undefined
    case 'text':
      return isMasked ? stars(value) : value
    case 'name':
      return isMasked ? undefined : value
  }
}

/**
 * Returns an attribute as it may be recorded: its value, or undefined to leave it out. Only listed names pass, each with values of
 * its kind.
 */
export const sanitizeAttribute = (
  name: string,
  value: unknown,
  { tag, element, isMasked }: AttributeContext,
  policy: Policy,
): string | number | true | undefined => {
  const key = name.toLowerCase()
  // Flags and numbers of rrweb.
  if (typeof value === 'number') return KIND_OF.get(key) === 'size' && isFinite(value) ? value : undefined
  if (value === true) {
    if (key === 'selected' || key === 'checked')
      return policy.isStrict || policy.masksInput('select') ? undefined : true
    return KIND_OF.get(key) === 'word' ? true : undefined
  }
  if (typeof value !== 'string') return undefined
  const masks = isMasked || policy.masksAttributes
  if (key === 'value' && FIELDS.test(tag)) {
    if (BUTTONS.test(element?.getAttribute('type') ?? '')) return masks ? stars(value) : policy.hideTyped(value)
    return sanitizeValue(value, tag, element, policy)
  }
  // The content of a canvas is recorded only with an option.
  if (key === 'rr_dataurl') return policy.recordsCanvas && /^data:image\//.test(value) ? value : undefined
  if (tag === 'meta') return undefined
  if (key === 'src' && /^(script|iframe|frame|embed|input)$/.test(tag) && masks) return undefined
  const kind = KIND_OF.get(key)
  // The layout needs cross-origin style sheets, whose text cannot be read.
  if (tag === 'link' && key === 'href' && masks) return /^https?:[^?#]*\.css(?=[?#]|$)/.exec(value)?.[0]
  const loaded = /^(urls?|css)$/.test(kind ?? '') ? loadedValue(name, value, element, tag) : value
  // Drawings refer to parts of themselves and of other files.
  const isPart = kind === 'css' || tag === 'use' || (loaded[0] === '#' && !/^(a|area)$/.test(tag))
  const redact = isPart ? policy.redact : policy.redactLink
  const found = kind
    ? byKind(kind, loaded, masks, masks ? undefined : redact)
    : // Without values of `data-*`, components that style themselves by state would look wrong.
      /^data-[a-z-]{1,40}$/.test(key) && !masks && DATA_WORD.test(value)
      ? value
      : undefined
  if (found === undefined) return undefined
  const safe = policy.hideTyped(found)
  if (!policy.maskAttributeFn || kind === 'css') return safe
  const { maskAttributeFn } = policy
  const FAILED = ' '
  const changed = callMask(
    (...args: [string, string, Element | null]) => maskAttributeFn(...args),
    FAILED,
    name,
    safe,
    element ?? null,
  )
  return changed === FAILED ? undefined : changed
}
