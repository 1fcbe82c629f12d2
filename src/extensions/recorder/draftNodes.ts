import type { serializedNodeWithId } from '@rrweb/types'
import type { Context, DraftTools, Entry } from './draftEntry'
import type { Around } from './sanitize/nodes'
import { keepText } from './snapshotText'
import { createUnnoticed } from './unnoticed'

const isSame = (a: Context, b: Context) =>
  a.isMasked === b.isMasked &&
  a.isHidden === b.isHidden &&
  a.isStale === b.isStale &&
  (a.options === b.options ||
    (a.options.needsMask === b.options.needsMask &&
      a.options.preserveWhiteSpace === b.options.preserveWhiteSpace &&
      a.options.cssCaptured === b.options.cssCaptured))
/** Returns the place of a node. */
const placeIn = ({ isMasked, isHidden }: Context, parent: Entry | undefined): Around => ({
  isMasked,
  isHidden,
  tag: parent?.tag ?? '',
  element: parent && isElement(parent.node) ? parent.node : null,
})
/** Returns the context of a node's children: the one that they had, if they are still in it, or that of the node. */
const contextIn = (around: Context, before: Context | undefined, context: Context): Context => {
  if (before && !context.isStale && isSame({ ...before, isStale: false }, context)) return before
  return isSame(around, context) && around !== before ? around : context
}
export const isElement = (node: Node): node is Element => node.nodeType === Node.ELEMENT_NODE

/** Lets rrweb decide again whether it records a node that no earlier snapshot has. */
const serialize = ({ mirror, begin }: DraftTools, isFirst: boolean, node: Node, around: Context) => {
  const id = mirror.getId(node)
  if (!isFirst || id === -1) return begin(node, around.options)
  mirror.forget(node)
  const begun = begin(node, around.options)
  if (begun && id > 0) {
    mirror.idNodeMap.delete(begun.node.id)
    begun.node.id = id
    mirror.add(node, begun.node)
  }
  return begun
}

/** Creates the draft of a full snapshot: its nodes, and what is to be done with them. `onRestart`: a list of children begins again. */
export const createDraftNodes = (tools: DraftTools, isFirst: boolean, onRestart: () => void) => {
  const { options, sanitize, policy } = tools
  const entries = new Map<Node, Entry>()
  const queue: Entry[] = []
  const changed = new Set<Entry>()
  const unnoticed = createUnnoticed(policy)
  let filling: { entry: Entry; list: serializedNodeWithId[]; next: Node | null; isInShadow: boolean } | undefined
  const page: Context = { options, isMasked: policy.isStrict, isHidden: false, isStale: false }

  const enqueue = (entry: Entry) => {
    if (filling?.entry === entry) {
      filling = undefined
      onRestart()
    }
    if (!entry.isQueued) queue.push(entry)
    entry.isQueued = true
  }
  /** Serializes a node, and queues its children unless they are known. */
  const make = (node: Node, parent: Entry | undefined): Entry => {
    const around = parent?.inside ?? page
    const known = entries.get(node)
    const isStale =
      !!known && (known.wasRemoved || known.parent !== parent || (around.isStale && known.around !== around))
    const begun = serialize(tools, isFirst, node, around)
    const made = begun && sanitize(begun.node, placeIn(around, parent), node)
    const entry: Entry = known ?? {
      node,
      parent,
      around,
      safe: undefined,
      inside: undefined,
      tag: '',
      skipsLight: false,
      isQueued: false,
      wasRemoved: false,
    }
    const before = entry.inside
    if (known) {
      entry.parent = parent
      entry.around = around
      entry.wasRemoved = false
    } else entries.set(node, entry)
    if (!begun || !made) {
      entry.safe = entry.inside = undefined
      return entry
    }
    entry.inside = undefined
    if (begun.inside && made.inside) {
      const { isMasked, isHidden, tag } = made.inside
      entry.tag = tag
      entry.skipsLight = begun.skipsLight
      entry.inside = contextIn(around, before, { options: begun.inside, isMasked, isHidden, isStale })
      if (entry.inside === before) made.node.childNodes = entry.safe!.childNodes
      else enqueue(entry)
    }
    // The list of the parent has this object.
    if (entry.safe) {
      for (const name of Object.keys(entry.safe)) delete (entry.safe as unknown as Record<string, unknown>)[name]
      Object.assign(entry.safe, made.node)
    } else entry.safe = made.node
    if (policy.maskTextFn) keepText(entry.safe, around.isMasked)
    if (isElement(node)) unnoticed.watch(entry, begun.node)
    return entry
  }
  const firstChild = ({ node, skipsLight }: Entry) => (skipsLight ? null : node.firstChild)
  const fill = () => {
    const { entry, list, next } = filling!
    // It is made again, with all that is in it, when it returns (`isStale`).
    if (!entry.node.isConnected) return void (filling = undefined)
    if (!next && !filling!.isInShadow) {
      filling!.isInShadow = true
      filling!.next = (entry.node as Partial<Element>).shadowRoot?.firstChild ?? null
      if (filling!.next) return
    }
    if (!next) {
      if (!filling!.next) {
        entry.safe!.childNodes = list
        filling = undefined
      }
      return
    }
    const known = entries.get(next)
    const isKnown = known?.parent === entry && known.around === entry.inside && !known.wasRemoved
    const child = isKnown ? known : make(next, entry)
    if (child.safe) list.push(child.safe)
    filling!.next = next.nextSibling
  }
  /** Works on what is to be done. Returns false if the slice is over before that. */
  const work = (isOver: () => boolean): boolean => {
    while (filling || changed.size || queue.length) {
      if (isOver()) return false
      if (filling) fill()
      else if (changed.size) {
        const [entry] = changed
        changed.delete(entry!)
        const wasRecorded = entry!.safe
        // One that has left the page is made again when it returns.
        if (entry!.node.isConnected && !entry!.wasRemoved) make(entry!.node, entry!.parent)
        if (entry!.safe !== wasRecorded && entry!.parent) enqueue(entry!.parent)
      } else {
        const entry = queue.pop()!
        entry.isQueued = false
        if (entry.inside) filling = { entry, list: [], next: firstChild(entry), isInShadow: false }
      }
    }
    return true
  }
  return {
    entries,
    make,
    enqueue,
    work,
    /** Serializes a node again, if it is in the draft. */
    mark: (node: Node | null | undefined): void => {
      const entry = node && entries.get(node)
      if (entry) changed.add(entry)
    },
    /** Serializes nodes again that have changed without an observer's report. */
    markUnnoticed: (): void => unnoticed.find(tools.root, entries).forEach((entry) => changed.add(entry)),
    ends: unnoticed.ends,
  }
}
