import type { serializedNodeWithId } from '@rrweb/types'
import { isPrivateField, sanitizeAttribute } from './attributes'
import { sanitizeCss } from './css'
import { hides, masksText, type Place } from './place'
import type { Policy } from './policy'
import { callMask, hashData, stars } from './text'

// `NodeType` of rrweb, whose enums cannot be imported as types only.
const DOCUMENT = 0
const DOCTYPE = 1
const ELEMENT = 2
const TEXT = 3

/** Finds the node of the page that has an id; null if it was removed or is in a cross-origin frame. */
export type NodeOf = (id: number) => Node | null

const isElement = (node: Node | null): node is Element => node?.nodeType === ELEMENT - 1

/** Whether text within the element is typed by people, and must be treated like an input's value. */
const isTyped = (tag: string, element: Element | null, policy: Policy): boolean =>
  tag === 'textarea' && (isPrivateField(element, policy) || policy.masksInput('textarea'))

/** Returns the text of a text node in an element, as it may be recorded. */
export const sanitizeText = (
  text: string,
  parent: { tag: string; element: Element | null; isMasked: boolean },
  policy: Policy,
): string => {
  const { tag, element, isMasked } = parent
  if (tag === 'script' || tag === 'noscript' || tag === 'template') return ''
  if (tag === 'style') return sanitizeCss(text, isMasked ? undefined : policy.redact)
  if (isTyped(tag, element, policy)) return stars(text).slice(0, 8)
  if (!isMasked) return policy.hideTyped(text)
  return policy.maskTextFn ? callMask(policy.maskTextFn, stars(text), text, element as HTMLElement | null) : stars(text)
}

const TAG = /^[a-z][a-z\d:.-]{0,64}$/i

type Attributes = Record<string, string | number | true>

const attributesOf = (
  attributes: Readonly<Record<string, unknown>>,
  tag: string,
  element: Element | null,
  isMasked: boolean,
  policy: Policy,
): Attributes => {
  const result: Attributes = {}
  for (const name of Object.keys(attributes)) {
    const value = sanitizeAttribute(name, attributes[name], { tag, element, isMasked }, policy)
    if (value !== undefined) result[name] = value
  }
  return result
}

// Replaced by a list where there are children.
const NO_NODES: serializedNodeWithId[] = []
Object.freeze(NO_NODES)

type Serialized = serializedNodeWithId & { needBlock?: boolean; isSVG?: true; isCustom?: true }

/** Where a node is: the place of its parent. */
export interface Around extends Place {
  /** Lower case. */
  tag: string
  element: Element | null
}

/** A copy of a node as it may be recorded, without its children. `inside`: their place; undefined: they are not recorded. */
export interface SanitizedNode {
  node: serializedNodeWithId & { childNodes?: serializedNodeWithId[] }
  inside?: Around
}

/**
 * Returns a copy of a serialized node as it may be recorded, without its children. Only listed members pass, and comments, scripts and
 * meta tags are empty. `around`: the place of its parent. `page`: the node of the page; null: it is unknown.
 */
export const sanitizeOne = (
  node: serializedNodeWithId,
  around: Around,
  page: Node | null,
  policy: Policy,
): SanitizedNode => {
  const { id, rootId, isShadowHost, isShadow } = node
  // A page has very many nodes, and few of them have these members.
  const shared: Pick<serializedNodeWithId, 'id' | 'rootId' | 'isShadowHost' | 'isShadow'> = { id }
  if (rootId !== undefined) shared.rootId = rootId
  if (isShadowHost) shared.isShadowHost = isShadowHost
  if (isShadow) shared.isShadow = isShadow
  const type = node.type as number
  const source = node as Serialized
  if (type === DOCUMENT) {
    const { compatMode } = node as { compatMode?: string }
    const safeMode = compatMode === 'BackCompat' ? compatMode : undefined
    return { node: { type, ...shared, compatMode: safeMode, childNodes: [] }, inside: around }
  }
  if (type === DOCTYPE) return { node: { type, ...shared, name: 'html', publicId: '', systemId: '' } }
  if (type === TEXT) {
    const { textContent, isStyle } = node as { textContent: string; isStyle?: true }
    const parent = isStyle ? { ...around, tag: 'style' } : around
    const text = around.isHidden ? '' : sanitizeText(textContent, parent, policy)
    return { node: { type, ...shared, textContent: text, ...(isStyle && { isStyle }) } }
  }
  // Comments, and what later releases may add.
  if (type !== ELEMENT) return { node: { type: 5, ...shared, textContent: '' } }

  const { tagName, isSVG, isCustom, needBlock } = source as unknown as { tagName: string } & Serialized
  const element = isElement(page) ? page : null
  const isMasked = around.isMasked || !element || masksText(element, policy)
  const tag = tagName.toLowerCase()
  const safeTag = TAG.test(tag) && (!isMasked || hashData(tag) === tag) ? tagName : 'div'
  const { attributes } = source as unknown as { attributes: Record<string, unknown> }
  if (needBlock || around.isHidden || (policy.findsBlocked && element && hides(element, policy))) {
    const { rr_width, rr_height } = attributes
    const size = attributesOf({ rr_width, rr_height }, tag, element, true, policy)
    return {
      node: { type, ...shared, tagName: safeTag, attributes: size, childNodes: [], isSVG, needBlock: true },
    }
  }
  const safe = attributesOf(attributes, tag, element, isMasked, policy)
  return {
    node: {
      type,
      ...shared,
      tagName: safeTag,
      attributes: safe,
      childNodes: NO_NODES,
      ...(isSVG && { isSVG }),
      ...(isCustom && { isCustom }),
    },
    inside: { isMasked, isHidden: around.isHidden, tag, element },
  }
}

/** Returns a copy of a serialized node and its descendants as they may be recorded. */
export const sanitizeNode = (
  node: serializedNodeWithId,
  around: Around,
  nodeOf: NodeOf,
  policy: Policy,
): serializedNodeWithId => {
  const { node: safe, inside } = sanitizeOne(node, around, nodeOf(node.id), policy)
  const { childNodes } = node as { childNodes?: serializedNodeWithId[] }
  if (inside) safe.childNodes = childNodes!.map((each) => sanitizeNode(each, inside, nodeOf, policy))
  return safe
}
