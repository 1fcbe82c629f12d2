import type { serializedNodeWithId } from '@rrweb/types'
import { STYLE_DECLARATION, STYLE_RULE } from './eventTypes'
import { liveState } from './liveState'
import { masksText, type Place } from './sanitize/place'
import type { Around, SanitizedNode } from './sanitize/nodes'
import type { Policy } from './sanitize/policy'
import { inNextTask, startSlice } from './slices'
import { hideLater, keepText } from './snapshotText'

// Slices, and slices that could have been the last one. A page that changes faster than it is read gets one long slice after them.
const MAX_SLICES = 3000
const MAX_TRIES = 100

/** How rrweb serializes a node's children. The same object for all nodes until something in it changes. */
export interface NodeOptions {
  needsMask?: boolean
  preserveWhiteSpace?: boolean
  cssCaptured?: boolean
}

/** What the children of a node depend on. Nodes share it until something in it changes. */
interface Context extends Place {
  options: NodeOptions
  /** Whether the descendants may have changed unnoticed, because the node was not in the page for a while. */
  isStale: boolean
}

/** A node of the page in the draft. */
interface Entry {
  node: Node
  parent: Entry | undefined
  /** The context that it was serialized in. */
  around: Context
  /** The node as it is recorded, with its children; undefined: it is not. */
  safe?: SanitizedNode['node']
  /** That of its children; undefined: they are not recorded. */
  inside?: Context
  tag: string
  skipsLight: boolean
  /** Whether its list of children is to be made again. */
  isQueued: boolean
  /** Whether it has left its parent since it was serialized. */
  wasRemoved: boolean
}

/** What is known of an element whose state no observer reports. */
interface Live {
  /** As rrweb serialized it. */
  raw: serializedNodeWithId
  state: string
}

/** What rrweb (rrweb.patch) passes to a full snapshot. */
export interface DraftInputs {
  root: Document
  options: NodeOptions
  mirror: { idNodeMap: Map<number, Node>; getId(node: Node): number; add(node: Node, meta: object): void; forget(node: Node): void }
  /** Serializes a node without its children. `inside`: options of its children; undefined if they are not recorded. */
  begin(node: Node, options: NodeOptions): { node: serializedNodeWithId; inside?: NodeOptions; skipsLight: boolean } | null
  /** Records the snapshot. `ends`: the frames and style sheets that may still be loading. */
  complete(root: serializedNodeWithId, ends: [node: Node, raw: serializedNodeWithId, options: NodeOptions][]): void
  onFailure(error: unknown): void
}

export interface DraftTools extends DraftInputs {
  policy: Policy
  sanitize(node: serializedNodeWithId, around: Around, page: Node): SanitizedNode
  /** Runs the next slice. */
  inNextTask?: (run: () => void) => void
  startSlice?: typeof startSlice
}

const isSame = (a: Context, b: Context) =>
  a.isMasked === b.isMasked &&
  a.isHidden === b.isHidden &&
  a.isStale === b.isStale &&
  (a.options === b.options ||
    (a.options.needsMask === b.options.needsMask &&
      a.options.preserveWhiteSpace === b.options.preserveWhiteSpace &&
      a.options.cssCaptured === b.options.cssCaptured))
/** Whether a node, but not what is around it, masks its text. */
const isMaskRoot = ({ inside, around }: Entry) => !!inside?.isMasked && !around.isMasked
const isElement = (node: Node): node is Element => node.nodeType === Node.ELEMENT_NODE
const hostOf = (node: Node): Node => (node as Partial<ShadowRoot>).host ?? node

/**
 * Takes a full snapshot in slices, between which the page continues. The result is what one task at its end would have recorded.
 *
 * Each node is serialized and sanitized once, then those that rrweb's observers report again: their own data (`changed`), or
 * their list of children (`queue`). What no observer reports is compared before the end (`markUnnoticed`): values of fields,
 * rules, sizes, masks. The last slice begins with few changes, ends with none, and emits the snapshot, all in one task. Changes
 * that the snapshot contains are not recorded again (`forget` in rrweb.patch).
 */
export const createDraft = (tools: DraftTools) => {
  const { root, options, mirror, begin, sanitize, policy, complete, onFailure } = tools
  const later = tools.inNextTask ?? inNextTask
  const begins = tools.startSlice ?? startSlice
  /** Whether rrweb has no earlier snapshot, so that its changes are of no use yet. */
  const isFirst = mirror.idNodeMap.size === 0
  const entries = new Map<Node, Entry>()
  const queue: Entry[] = []
  const changed = new Set<Entry>()
  /** Nodes that rrweb has taken out of its mirror, though they may be in the page again. */
  const forgotten = new Set<Node>()
  /** Elements with a state that no observer reports, and those with shadow roots. */
  const live = new Map<Entry, Live>()
  const hosts = new Set<Entry>()
  let filling: { entry: Entry; list: serializedNodeWithId[]; next: Node | null; isInShadow: boolean } | undefined
  /** What the person had typed at each slice. */
  const typed = new Set<string>()
  let isStopped = false
  let count = 0
  let tries = 0
  const page: Context = { options, isMasked: policy.isStrict, isHidden: false, isStale: false }

  const enqueue = (entry: Entry) => {
    if (filling?.entry === entry) {
      filling = undefined
      tries += 1
    }
    if (!entry.isQueued) queue.push(entry)
    entry.isQueued = true
  }
  const mark = (node: Node | null | undefined) => {
    const entry = node && entries.get(node)
    if (entry) changed.add(entry)
  }
  /** Lets rrweb decide again whether it records a node that no earlier snapshot has. */
  const serialize = (node: Node, around: Context) => {
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
  /** Serializes a node, and queues its children unless they are known. */
  const make = (node: Node, parent: Entry | undefined): Entry => {
    const around = parent?.inside ?? page
    const known = entries.get(node)
    const isStale =
      !!known && (known.wasRemoved || known.parent !== parent || (around.isStale && known.around !== around))
    const begun = serialize(node, around)
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
    if (isElement(node)) watch(entry, begun.node)
    return entry
  }
  const stateOf = ({ node, inside }: Entry, raw: serializedNodeWithId) =>
    liveState(node as Element, raw, !inside, policy)
  /** Remembers what of an element can change unnoticed. */
  const watch = (entry: Entry, raw: serializedNodeWithId) => {
    const state = stateOf(entry, raw)
    if (state || isMaskRoot(entry)) live.set(entry, { raw, state })
    else live.delete(entry)
    if ((raw as { isShadowHost?: true }).isShadowHost) hosts.add(entry)
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
  /** Marks what has changed without an observer's report. */
  const markUnnoticed = () => {
    for (const [entry, { raw, state }] of live) {
      if (!entry.node.isConnected) continue
      const isUnmasked = isMaskRoot(entry) && !masksText(entry.node as Element, policy)
      if (isUnmasked || stateOf(entry, raw) !== state) changed.add(entry)
    }
    const roots: ParentNode[] = [root]
    for (const { node } of hosts) if (node.isConnected) roots.push((node as Element).shadowRoot!)
    for (const each of roots) {
      if (!policy.isStrict && policy.maskSelector)
        for (const element of each.querySelectorAll(policy.maskSelector)) {
          const entry = entries.get(element)
          if (entry?.inside && !entry.inside.isMasked) changed.add(entry)
        }
      for (const element of each.querySelectorAll(policy.blockSelector)) {
        const entry = entries.get(element)
        if (entry?.inside) changed.add(entry)
      }
    }
    for (const field of policy.typedFields ?? []) {
      const entry = entries.get(field)
      if (entry?.inside && !entry.inside.isMasked) changed.add(entry)
    }
  }
  const ends = (): Parameters<DraftInputs['complete']>[1] =>
    [...live].flatMap(([{ node, around, safe }, { raw }]) =>
      safe && node.isConnected && /^(iframe|link)$/i.test(node.nodeName) ? [[node, raw, around.options]] : [],
    )
  const slice = () => {
    if (isStopped) return
    try {
      policy.forgetTyped()
      typed.add(policy.typedKey())
      const isOver = ++count > MAX_SLICES || tries > MAX_TRIES ? () => false : begins()
      if (!work(isOver)) return later(slice)
      markUnnoticed()
      tries += 1
      if (!work(isOver)) return later(slice)
      isStopped = true
      const { safe } = entries.get(root)!
      if (typed.size > 1) hideLater(safe!, policy.hiderNow())
      for (const node of forgotten)
        if (node.isConnected && entries.get(node)?.safe) mirror.idNodeMap.set(mirror.getId(node), node)
      complete(safe!, ends())
    } catch (error) {
      isStopped = true
      onFailure(error)
    }
  }
  return {
    isFirst,
    /** Serializes the document. Returns a function that begins with the rest, and ends with it if it is small. */
    start: (): (() => void) => {
      make(root, undefined)
      return slice
    },
    stop: (): void => {
      isStopped = true
    },
    /** Called with changes that rrweb's observers report. */
    onChanges: (records: readonly MutationRecord[]): void => {
      for (const { type, target, removedNodes } of records) {
        // The text of a style sheet or a text area is part of its element.
        if (type === 'characterData') mark(target.parentNode)
        const entry = entries.get(hostOf(target))
        if (!entry) continue
        changed.add(entry)
        if (type !== 'childList') continue
        if (entry.inside) enqueue(entry)
        for (const node of removedNodes) {
          const removed = entries.get(node)
          if (removed) removed.wasRemoved = true
        }
      }
    },
    /** Called when rrweb has taken a node out of its mirror. */
    onForgotten: (node: Node): void => void forgotten.add(node),
    /** Called when a shadow root was added to an element. */
    onShadowRoot: (host: Node): void => {
      const entry = entries.get(host)
      if (!entry) return
      changed.add(entry)
      if (entry.inside) enqueue(entry)
    },
    /** Called when an element or the document is scrolled. */
    onScroll: (target: Node): void => {
      mark(target)
      if (target === root) [root.documentElement, root.body].forEach(mark)
    },
    /** Called with incremental data of rrweb: some is about rules of a style sheet. */
    onEvent: ({ source, id }: { source: number; id?: number }): void => {
      if ((source === STYLE_RULE || source === STYLE_DECLARATION) && id) mark(mirror.idNodeMap.get(id))
    },
  }
}

export type Draft = ReturnType<typeof createDraft>
