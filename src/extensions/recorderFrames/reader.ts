import type { RecordedEvent } from '../../host'
import { createReplica } from './replica'
import { attributes, type Fields, flagsOf, isFields, type Read, sourcesOf } from './shapes'

const FULL_SNAPSHOT = 2
const INCREMENTAL = 3
const MUTATION = 0
// `NodeType` of rrweb.
const DOCUMENT = 0
const DOCTYPE = 1
const ELEMENT = 2
const TEXT = 3
const COMMENT = 5

// Elements that run or load. They are recorded without anything in them.
const EMPTY_TAGS = /^(script|object|embed|applet|base|frame|frameset|portal|fencedframe)$/i

interface MutationData {
  adds: { parentId: number; node: unknown }[]
  removes: { id: number }[]
  attributes: { id: number; attributes: Fields }[]
}

/**
 * Creates the reader of one frame's events. It returns events of known kinds with members of known types only, and
 * replaces the frame's ids of nodes and style sheets by ids of this page.
 */
export const createReader = (nextId: () => number) => {
  let replica = createReplica()
  let ids = new Map<number, number>()
  let styleIds = new Map<number, number>()
  /** Whether the recording has the frame's document, which later events change. */
  let isAttached = false

  const idIn = (known: Map<number, number>, value: unknown): number | null => {
    if (value === null || value === undefined) return null
    // rrweb has negative ids for nodes that it leaves out.
    if (!Number.isSafeInteger(value) || (value as number) < 0) return -1
    const own = known.get(value as number) ?? nextId()
    known.set(value as number, own)
    return own
  }
  const id: Read = (value) => idIn(ids, value)
  const styleId: Read = (value) => idIn(styleIds, value)
  const flags = flagsOf({ id, styleId })
  /** Reads a serialized node with its descendants, and adds them to the replica. Throws if it is not a valid node. */
  const readNode = (value: unknown, parent: Node | null): Fields => {
    const { type, id: theirs, tagName, attributes: all, childNodes, textContent } = value as Fields
    const own = id(theirs) as number
    if (!(own > 0)) throw new TypeError('A node without an id')
    const shared = { type, id: own, ...(flags(value) as Fields) }
    const children = (node: Node | null) => (childNodes as unknown[]).map((each) => readNode(each, node))
    if (type === DOCUMENT) {
      // In the replica, the document of a nested frame is a `div` in the frame element.
      const node = parent ? replica.add(own, parent, 'div') : replica.setDocument(own)
      return { ...shared, childNodes: children(node) }
    }
    if (type === DOCTYPE) return { ...shared, name: 'html', publicId: '', systemId: '' }
    if (type === TEXT) {
      if (parent) replica.add(own, parent)
      return { ...shared, textContent: typeof textContent === 'string' ? textContent : '' }
    }
    if (type !== ELEMENT) return { ...shared, type: COMMENT, textContent: '' }
    if (EMPTY_TAGS.test(String(tagName))) return { ...shared, tagName: 'div', attributes: {}, childNodes: [] }
    const tag = String(tagName)
    const node = parent && replica.add(own, parent, tag)
    const safe = (attributes(all) ?? {}) as Fields
    replica.change(own, safe)
    // A nested frame that its page did not block is cross-origin to that page (recorder/sanitize/policy.ts).
    if (/^iframe$/i.test(tag)) replica.open(own)
    return { ...shared, tagName: tag, attributes: safe, childNodes: children(node) }
  }

  const SOURCES = sourcesOf({ id, styleId })
  /** Applies the document's mutations to the replica, and reads the added nodes. */
  const follow = ({ adds, removes, attributes: changes }: MutationData): void => {
    for (const add of adds) add.node = readNode(add.node, replica.nodeOf(add.parentId))
    for (const each of changes) replica.change(each.id, each.attributes)
    const kept = new Set(adds.map(({ node }) => (node as Fields).id))
    for (const each of removes) if (!kept.has(each.id)) replica.remove(each.id)
  }
  const reset = () => {
    replica = createReplica()
    ids = new Map()
    styleIds = new Map()
    isAttached = false
  }
  const readData = ({ type, data }: Fields, iframeId: number): Fields | undefined => {
    if (!isFields(data)) return undefined
    if (type === FULL_SNAPSHOT) {
      reset()
      const node = readNode(data.node, null)
      isAttached = node.type === DOCUMENT
      const adds = [{ parentId: iframeId, nextId: null, node }]
      return { source: MUTATION, adds, removes: [], texts: [], attributes: [], isAttachIframe: true }
    }
    if (type !== INCREMENTAL || !isAttached) return undefined
    const read = SOURCES[data.source as number]?.(data) as Fields | undefined
    if (read && data.source === MUTATION) follow(read as unknown as MutationData)
    return read && { source: data.source, ...read }
  }
  return {
    nodeOf: (wanted: number): Node | null => replica.nodeOf(wanted),
    /** Whether the frame has more nodes than can be recorded. */
    isFull: () => replica.isFull(),
    /** Ignores events until the next full snapshot. */
    reset,
    /**
     * Converts an event that a frame has posted to an event of this page; undefined if it is not a valid event. A full
     * snapshot becomes the document of the frame's element (`iframeId`).
     */
    read: (event: unknown, iframeId: number): RecordedEvent | undefined => {
      try {
        const data = readData(event as Fields, iframeId)
        return data && { type: INCREMENTAL, data, timestamp: Date.now() }
      } catch {
        return undefined
      }
    },
  }
}
