import type {
  addedNodeMutation,
  attributeMutation,
  eventWithTime,
  serializedNodeWithId,
  textMutation,
} from '@rrweb/types'
import { sanitizeAttribute, sanitizeValue } from './attributes'
import { sanitizeCss } from './css'
import { type Around, type NodeOf, sanitizeNode, sanitizeOne, sanitizeText } from './nodes'
import { createPlaces, type Places } from './place'
import type { Policy } from './policy'
import { hashData, stars } from './text'
import { type Redact, sanitizeUrl } from './urls'

export type { NodeOf }

type Fields = Record<string, unknown>

/** An rrweb event of any kind. */
type RawEvent = Pick<eventWithTime, 'timestamp'> & { type: number; data: unknown }

interface Tools {
  policy: Policy
  places: Places
  nodeOf: NodeOf
  /** Returns the page's URL as it may be recorded. */
  pageUrl: Redact
  /** Documents that are sanitized already, node by node. */
  done: WeakSet<object>
}

/** Returns the members of an object that are numbers, booleans or null. */
const plain = (data: object, ...names: string[]): Fields => {
  const result: Fields = {}
  for (const name of names) {
    const value = (data as Fields)[name]
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) result[name] = value
  }
  return result
}

const tagOf = (node: Node | null | undefined) => (node?.nodeName ?? '').toLowerCase()
const isElement = (node: Node | null | undefined): node is Element => node?.nodeType === 1

/** Returns what `sanitizeText` and `sanitizeNode` need of a parent. */
const contextOf = (node: Node | null | undefined, { places }: Tools) => ({
  ...places.placeOf(node),
  tag: tagOf(node),
  element: isElement(node) ? node : null,
})

const texts = (changes: readonly textMutation[], tools: Tools) =>
  changes.flatMap(({ id, value }) => {
    const parent = contextOf(tools.nodeOf(id)?.parentNode, tools)
    return parent.isHidden ? [] : { id, value: value && sanitizeText(value, parent, tools.policy) }
  })

/** Returns the sanitized changes of the properties of a `style` attribute. false removes a property. */
const styles = (style: object, redact?: Redact): Fields =>
  Object.fromEntries(
    Object.entries(style).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
      const [text, priority] = [value].flat()
      if (value === false) return [[name, false]]
      if (typeof text !== 'string' || !/^[-\w]+$/.test(name)) return []
      const [, safe = ''] = /:([^]*)/.exec(sanitizeCss(`${name}:${text}`, redact)) ?? []
      const changed = Array.isArray(value) ? [safe, priority === 'important' ? priority : ''] : safe
      return [[redact ? name : hashData(name), changed]]
    }),
  )

const attributes = (changes: readonly attributeMutation[], tools: Tools) =>
  changes.flatMap(({ id, attributes: changed }) => {
    const element = tools.nodeOf(id)
    const { isMasked, isHidden } = tools.places.placeOf(element)
    if (isHidden) return []
    const context = { tag: tagOf(element), element: isElement(element) ? element : null, isMasked }
    const redact = isMasked || tools.policy.masksAttributes ? undefined : tools.policy.redact
    const result: Fields = {}
    for (const [name, value] of Object.entries(changed)) {
      if (name === 'style' && value && typeof value === 'object') result[name] = styles(value, redact)
      else if (value === null) {
        // A removed attribute has a name only, which must be one that may be recorded.
        if (sanitizeAttribute(name, '', context, tools.policy) !== undefined) result[name] = null
      } else {
        const safe = sanitizeAttribute(name, value, context, tools.policy)
        if (safe !== undefined) result[name] = safe
      }
    }
    return Object.keys(result).length ? { id, attributes: result } : []
  })

const adds = (changes: readonly addedNodeMutation[], tools: Tools) =>
  changes.flatMap(({ parentId, nextId, previousId, node }) => {
    // In an element that is not recorded, such as a script.
    if (parentId < 0) return []
    const own = tools.nodeOf(node.id)
    // The parent of a node in a shadow root is its host for rrweb, that of a frame's document its element.
    const parent = own?.nodeType === 9 ? own : (own?.parentNode ?? tools.nodeOf(parentId))
    const around = contextOf(parent, tools)
    return { parentId, nextId, previousId, node: sanitizeNode(node, around, tools.nodeOf, tools.policy) }
  })

/** Style sheets apply to the whole page, also to masked parts. */
const sheetRedact = ({ isStrict, redact }: Policy) => (isStrict ? undefined : redact)

const rules = (all: readonly { rule: string; index?: unknown }[] | undefined, redact?: Redact) =>
  all?.map(({ rule, index }) => ({ rule: sanitizeCss(rule, redact), index }))

const positions = ({ positions: all }: Fields): Fields => ({
  positions: (all as object[]).map((each) => plain(each, 'x', 'y', 'id', 'timeOffset')),
})

/** How the data of each source of incremental events is sanitized. Undefined, or no row: the event is dropped. */
const SOURCES: Record<number, ((data: Fields, tools: Tools) => Fields | undefined) | undefined> = {
  // Mutation
  0: (data, tools) => {
    const result = {
      texts: texts(data.texts as textMutation[], tools),
      attributes: attributes(data.attributes as attributeMutation[], tools),
      removes: (data.removes as object[]).map((each) => plain(each, 'parentId', 'id', 'isShadow')),
      adds: adds(data.adds as addedNodeMutation[], tools),
      ...plain(data, 'isAttachIframe'),
    }
    return Object.values(result).some((each: unknown) => each === true || (each as unknown[]).length)
      ? result
      : undefined
  },
  // MouseMove
  1: positions,
  // MouseInteraction
  2: (data) => plain(data, 'type', 'id', 'x', 'y', 'pointerType'),
  // Scroll
  3: (data) => plain(data, 'id', 'x', 'y'),
  // ViewportResize
  4: (data) => plain(data, 'width', 'height'),
  // Input
  5: (data, { nodeOf, places, policy }) => {
    const field = nodeOf(data.id as number)
    const { isMasked, isHidden } = places.placeOf(field)
    if (isHidden) return undefined
    // The page does not observe typing in its frames.
    if (field && field.ownerDocument !== document) policy.typedFields?.add(field)
    const value = sanitizeValue(data.text as string, tagOf(field), isElement(field) ? field : null, policy)
    return {
      ...plain(data, 'id', 'isChecked', 'userTriggered'),
      text: isMasked ? stars(value).slice(0, 8) : value,
      ...(policy.isStrict || isMasked ? { isChecked: false } : {}),
    }
  },
  // TouchMove
  6: positions,
  // MediaInteraction
  7: (data) => plain(data, 'type', 'id', 'currentTime', 'volume', 'muted', 'loop', 'playbackRate'),
  // StyleSheetRule
  8: ({ adds, removes, replace, replaceSync, ...ids }, { policy }) => ({
    ...plain(ids, 'id', 'styleId'),
    adds: rules(adds as { rule: string }[] | undefined, sheetRedact(policy)),
    removes: (removes as object[] | undefined)?.map(({ index }: { index?: unknown }) => ({ index })),
    replace: typeof replace === 'string' ? sanitizeCss(replace, sheetRedact(policy)) : undefined,
    replaceSync: typeof replaceSync === 'string' ? sanitizeCss(replaceSync, sheetRedact(policy)) : undefined,
  }),
  // Font
  10: ({ family, fontSource, buffer, descriptors }, { policy }) =>
    policy.recordsFonts
      ? {
          family,
          fontSource: buffer ? fontSource : sanitizeCss(String(fontSource), policy.redact),
          buffer,
          descriptors,
        }
      : undefined,
  // Drag
  12: positions,
  // StyleDeclaration
  13: ({ set, remove, index, ...ids }, { policy }) => {
    const { property, value, priority } = (set ?? {}) as Record<string, string | null>
    return {
      ...plain(ids, 'id', 'styleId'),
      index,
      set: set
        ? { property, value: value && Object.values(styles({ [property!]: value }, sheetRedact(policy)))[0], priority }
        : undefined,
      remove: remove ? { property: String((remove as Fields).property) } : undefined,
    }
  },
  // AdoptedStyleSheet
  15: ({ styles: sheets, styleIds, ...ids }, { policy }) => ({
    ...plain(ids, 'id'),
    styleIds,
    styles: (sheets as { styleId: number; rules: { rule: string }[] }[] | undefined)?.map(
      ({ styleId, rules: own }) => ({
        styleId,
        rules: rules(own, sheetRedact(policy)),
      }),
    ),
  }),
}

/** The recorder's own events, and the members of their payloads that are kept. */
export const OWN_TAGS: Readonly<Record<string, readonly string[]>> = {
  sessionIdle: ['lastActivity', 'threshold'],
  sessionNoLongerIdle: ['reason'],
  $pageview: ['href'],
  $url_changed: ['href'],
  'recording paused': ['reason'],
  'recording resumed': [],
  'recording degraded': ['step', 'reason'],
  'pinch zoom': ['scale', 'left', 'top'],
  'element defined': ['name'],
  'browser offline': [],
  'browser online': [],
  'window hidden': [],
  'window visible': [],
}

const safePageUrl = (url: unknown, { policy, pageUrl }: Tools): string =>
  policy.hideTypedInUrl(policy.isStrict ? sanitizeUrl(String(url)) : pageUrl(String(url)))

/** How the data of each type of event is sanitized. */
const TYPES: Record<number, ((data: Fields, tools: Tools) => Fields | undefined) | undefined> = {
  // DomContentLoaded, Load
  0: () => ({}),
  1: () => ({}),
  // FullSnapshot
  2: ({ node, initialOffset }, tools) => ({
    node: tools.done.has(node as object)
      ? node
      : sanitizeNode(
          node as serializedNodeWithId,
          { isMasked: tools.policy.isStrict, isHidden: false, tag: '', element: null },
          tools.nodeOf,
          tools.policy,
        ),
    initialOffset: plain(initialOffset as object, 'top', 'left'),
  }),
  // IncrementalSnapshot
  3: (data, tools) => {
    const sanitized = SOURCES[data.source as number]?.(data, tools)
    return sanitized && { source: data.source, ...sanitized }
  },
  // Meta
  4: (data, tools) => ({ href: safePageUrl(data.href, tools), ...plain(data, 'width', 'height') }),
  // Custom
  5: ({ tag, payload }, tools) => {
    const names = OWN_TAGS[tag as string]
    if (!names) return undefined
    const fields = (payload ?? {}) as Fields
    return {
      tag,
      payload: Object.fromEntries(
        names.flatMap((name) =>
          fields[name] === undefined ? [] : [[name, name === 'href' ? safePageUrl(fields[name], tools) : fields[name]]],
        ),
      ),
    }
  },
}

/** Returns a copy of an event as it may leave the page; undefined to drop it. */
export type Sanitize = (event: RawEvent) => eventWithTime | undefined

/**
 * Returns a function that returns a copy of an rrweb event as it may leave the page, or undefined to drop it. It lets through only
 * what it knows: types of events, members, attributes with values of their kind. What it cannot classify is masked or dropped.
 * `nodeOf`: rrweb's mirror, by which it finds where a changed node is. An event that makes it throw is dropped (`onError`).
 */
export const createSanitizer = (policy: Policy, nodeOf: NodeOf, redactPageUrl: Redact, onError = () => {}) => {
  const tools: Tools = { policy, nodeOf, pageUrl: redactPageUrl, places: createPlaces(policy), done: new WeakSet() }
  const sanitize: Sanitize = ({ type, data, timestamp }) => {
    try {
      const sanitized = TYPES[type]?.(data as Fields, tools)
      return sanitized && { type, data: sanitized, timestamp }
    } catch {
      onError()
      return undefined
    } finally {
      tools.places.forget()
      policy.forgetTyped()
    }
  }
  /** Whether nothing of a node is masked or left out. */
  const isOpen = (node: Node): boolean => {
    const { isMasked, isHidden } = tools.places.placeOf(node)
    tools.places.forget()
    return !isMasked && !isHidden
  }
  return {
    sanitize,
    /** Sanitizes a node of a full snapshot without its children. `sanitize` takes the document as it is then. */
    sanitizeOne: (node: serializedNodeWithId, around: Around, page: Node) => {
      const result = sanitizeOne(node, around, page, policy)
      if (page.nodeType === Node.DOCUMENT_NODE) tools.done.add(result.node)
      return result
    },
    isOpen,
    pageUrl: (url: string): string => {
      policy.forgetTyped()
      return safePageUrl(url, tools)
    },
  }
}
