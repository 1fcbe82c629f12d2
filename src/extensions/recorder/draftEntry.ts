import type { serializedNodeWithId } from '@rrweb/types'
import type { Around, SanitizedNode } from './sanitize/nodes'
import type { Place } from './sanitize/place'
import type { Policy } from './sanitize/policy'

/** How rrweb serializes a node's children. The same object for all nodes until something in it changes. */
export interface NodeOptions {
  needsMask?: boolean
  preserveWhiteSpace?: boolean
  cssCaptured?: boolean
}

/** Inherited state of the children of a node. Nodes share it until something in it changes. */
export interface Context extends Place {
  options: NodeOptions
  /** Whether the descendants may have changed unnoticed, because the node was not in the page for a while. */
  isStale: boolean
}

/** A node of the page in the draft. */
export interface Entry {
  node: Node
  parent: Entry | undefined
  /** The context that it was serialized in. */
  around: Context
  /** The node as it is recorded, with its children; undefined if it is not recorded. */
  safe?: SanitizedNode['node']
  /** The context of its children; undefined if they are not recorded. */
  inside?: Context
  tag: string
  skipsLight: boolean
  /** Whether its list of children is to be made again. */
  isQueued: boolean
  /** Whether it has left its parent since it was serialized. */
  wasRemoved: boolean
}

/** Inputs that rrweb (rrweb.patch) passes to a full snapshot. */
export interface DraftInputs {
  root: Document
  options: NodeOptions
  mirror: {
    idNodeMap: Map<number, Node>
    getId(node: Node): number
    add(node: Node, meta: object): void
    forget(node: Node): void
  }
  /** Serializes a node without its children. `inside`: options of its children; undefined if they are not recorded. */
  begin(
    node: Node,
    options: NodeOptions,
  ): { node: serializedNodeWithId; inside?: NodeOptions; skipsLight: boolean } | null
  /** Records the snapshot. `ends`: the frames and style sheets that may still be loading. */
  complete(root: serializedNodeWithId, ends: [node: Node, raw: serializedNodeWithId, options: NodeOptions][]): void
  onFailure(error: unknown): void
}

export interface DraftTools extends DraftInputs {
  policy: Policy
  sanitize(node: serializedNodeWithId, around: Around, page: Node): SanitizedNode
}
