import { STYLE_DECLARATION, STYLE_RULE } from './eventTypes'
import type { DraftTools } from './draftEntry'
import { createDraftNodes } from './draftNodes'
import { inNextTask, startSlice } from './slices'
import { hideLater } from './snapshotText'

// Slices, and slices that could have been the last one. A page that changes faster than it is read gets one long slice after them.
const MAX_SLICES = 3000
const MAX_TRIES = 100

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
  const { root, mirror, policy, complete, onFailure } = tools
  /** Whether rrweb has no earlier snapshot, so that its changes are of no use yet. */
  const isFirst = mirror.idNodeMap.size === 0
  /** Nodes that rrweb has taken out of its mirror, though they may be in the page again. */
  const forgotten = new Set<Node>()
  /** What the person had typed at each slice. */
  const typed = new Set<string>()
  let isStopped = false
  let count = 0
  let tries = 0
  const nodes = createDraftNodes(tools, isFirst, () => (tries += 1))
  /** Ends the snapshot if a step of it fails. */
  const step = (run: () => void) => {
    if (isStopped) return
    try {
      run()
    } catch (error) {
      isStopped = true
      onFailure(error)
    }
  }
  const work = () => {
    policy.forgetTyped()
    typed.add(policy.typedKey())
    const isOver = ++count > MAX_SLICES || tries > MAX_TRIES ? () => false : startSlice()
    if (!nodes.work(isOver)) return inNextTask(slice)
    nodes.markUnnoticed()
    tries += 1
    if (!nodes.work(isOver)) return inNextTask(slice)
    isStopped = true
    const { safe } = nodes.entries.get(root)!
    if (typed.size > 1) hideLater(safe!, policy.hiderNow())
    for (const node of forgotten)
      if (node.isConnected && nodes.entries.get(node)?.safe) mirror.idNodeMap.set(mirror.getId(node), node)
    complete(safe!, nodes.ends())
  }
  const slice = () => step(work)
  return {
    isFirst,
    /** Serializes the document. Returns a function that begins with the rest, and ends with it if it is small. */
    start: (): (() => void) => {
      step(() => void nodes.make(root, undefined))
      return slice
    },
    stop: (): void => {
      isStopped = true
    },
    /** Called with changes that rrweb's observers report. */
    onChanges: (records: readonly MutationRecord[]): void => {
      for (const { type, target, removedNodes } of records) {
        // The text of a style sheet or a text area is part of its element.
        if (type === 'characterData') nodes.mark(target.parentNode)
        const entry = nodes.entries.get(hostOf(target))
        if (!entry) continue
        nodes.mark(entry.node)
        if (type !== 'childList') continue
        if (entry.inside) nodes.enqueue(entry)
        for (const node of removedNodes) {
          const removed = nodes.entries.get(node)
          if (removed) removed.wasRemoved = true
        }
      }
    },
    /** Called when rrweb has taken a node out of its mirror. */
    onForgotten: (node: Node): void => void forgotten.add(node),
    /** Called when a shadow root was added to an element. */
    onShadowRoot: (host: Node): void => {
      const entry = nodes.entries.get(host)
      if (!entry) return
      nodes.mark(entry.node)
      if (entry.inside) nodes.enqueue(entry)
    },
    /** Called when an element or the document is scrolled. */
    onScroll: (target: Node): void => {
      nodes.mark(target)
      if (target === root) [root.documentElement, root.body].forEach(nodes.mark)
    },
    /** Called with incremental data of rrweb: some is about rules of a style sheet. */
    onEvent: ({ source, id }: { source: number; id?: number }): void => {
      if ((source === STYLE_RULE || source === STYLE_DECLARATION) && id) nodes.mark(mirror.idNodeMap.get(id))
    },
  }
}

export type Draft = ReturnType<typeof createDraft>
