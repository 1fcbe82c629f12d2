import type { serializedNodeWithId } from '@rrweb/types'
import type { DraftInputs, Entry } from './draftEntry'
import { liveState } from './liveState'
import { masksText } from './sanitize/place'
import type { Policy } from './sanitize/policy'

/** What is known of an element whose state no observer reports. */
interface Live {
  /** As rrweb serialized it. */
  raw: serializedNodeWithId
  state: string
}

/** Whether a node, but not what is around it, masks its text. */
const isMaskRoot = ({ inside, around }: Entry) => !!inside?.isMasked && !around.isMasked
/** Whether only an element's own attributes decide if a selector matches. Then an observer reports what changes that. */
const isLocal = (selector: string): boolean =>
  !/[\s>+~:\\]/.test(selector.replace(/\[[^\]"']*("[^"\\]*"|'[^'\\]*')?[^\]"']*\]/g, '').replace(/,\s*|:not\(\)/g, ''))

/** Finds elements of a full snapshot that have changed without a report of rrweb's observers. */
export const createUnnoticed = (policy: Policy) => {
  const live = new Map<Entry, Live>()
  const hosts = new Set<Entry>()
  const stateOf = ({ node, inside }: Entry, raw: serializedNodeWithId) =>
    liveState(node as Element, raw, !inside, policy)
  return {
    /** Remembers what of an element can change unnoticed. */
    watch: (entry: Entry, raw: serializedNodeWithId): void => {
      const state = stateOf(entry, raw)
      if (state || isMaskRoot(entry)) live.set(entry, { raw, state })
      else live.delete(entry)
      if ((raw as { isShadowHost?: true }).isShadowHost) hosts.add(entry)
    },
    /** Returns the changed elements. */
    find: (root: Document, entries: ReadonlyMap<Node, Entry>): Set<Entry> => {
      const changed = new Set<Entry>()
      for (const [entry, { raw, state }] of live) {
        if (!entry.node.isConnected) continue
        const isUnmasked = isMaskRoot(entry) && !masksText(entry.node as Element, policy)
        if (isUnmasked || stateOf(entry, raw) !== state) changed.add(entry)
      }
      const roots: ParentNode[] = [root]
      for (const { node } of hosts) if (node.isConnected) roots.push((node as Element).shadowRoot!)
      const masks = !policy.isStrict && policy.maskSelector
      for (const each of roots) {
        if (masks && !isLocal(masks))
          for (const element of each.querySelectorAll(masks)) {
            const entry = entries.get(element)
            if (entry?.inside && !entry.inside.isMasked) changed.add(entry)
          }
        if (!isLocal(policy.blockSelector))
          for (const element of each.querySelectorAll(policy.blockSelector)) {
            const entry = entries.get(element)
            if (entry?.inside) changed.add(entry)
          }
      }
      for (const field of policy.typedFields ?? []) {
        const entry = entries.get(field)
        if (entry?.inside && !entry.inside.isMasked) changed.add(entry)
      }
      return changed
    },
    /** Returns the frames and style sheets that may still be loading. */
    ends: (): Parameters<DraftInputs['complete']>[1] =>
      [...live].flatMap(([{ node, around, safe }, { raw }]) =>
        safe && node.isConnected && /^(iframe|link|style)$/i.test(node.nodeName) ? [[node, raw, around.options]] : [],
      ),
  }
}
