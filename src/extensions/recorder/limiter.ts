import { busiestElement, createAttributeBucket } from './budget'
import { nodeOf } from './startRrweb'

const SAMPLED_NODES = 200

/** The data of an rrweb event about changes of the document. */
export interface Mutation {
  texts: { id: number }[]
  attributes: { id: number; attributes: Record<string, unknown> }[]
  adds: { parentId: number; node: { id: number } }[]
  removes: { parentId: number }[]
}

const countOf = ({ texts, attributes, adds, removes }: Mutation) =>
  texts.length + attributes.length + adds.length + removes.length

/**
 * Counts changes of the page, and leaves out those that exceed the budget: `onDropped` receives how many.
 * `attributeFilter`: the only attributes whose changes are recorded.
 */
export const createLimiter = (onDropped: (count: number) => void, attributeFilter?: readonly string[]) => {
  const bucket = createAttributeBucket()
  let blocked: Element | undefined
  let count = 0
  let isLimited = false
  /** Ids of changed nodes, the first ones since `reset`. */
  let changed: number[] = []
  const isBlocked = (id: number) => !!blocked && blocked.contains(nodeOf(id))
  const sample = ({ texts, attributes, adds }: Mutation) => {
    if (changed.length < SAMPLED_NODES)
      for (const { id } of [...texts, ...attributes, ...adds.map(({ parentId: id }) => ({ id }))].slice(
        0,
        SAMPLED_NODES,
      ))
        changed.push(id)
  }
  const busiest = () => busiestElement(changed.flatMap((id) => nodeOf(id) ?? []))
  return {
    /** Removes what is left out from the data of an event. Returns false if nothing remains. */
    limit: (data: Mutation): boolean => {
      if (attributeFilter)
        data.attributes = data.attributes.filter(({ attributes }) => {
          for (const name of Object.keys(attributes)) if (!attributeFilter.includes(name)) delete attributes[name]
          return Object.keys(attributes).length
        })
      const before = countOf(data)
      count += before
      sample(data)
      data.attributes = data.attributes.filter(({ id }) => bucket.takes(id))
      isLimited ||= countOf(data) < before
      if (blocked) {
        data.attributes = data.attributes.filter(({ id }) => !isBlocked(id))
        data.texts = data.texts.filter(({ id }) => !isBlocked(id))
        data.adds = data.adds.filter(({ parentId }) => !isBlocked(parentId))
        data.removes = data.removes.filter(({ parentId }) => !isBlocked(parentId))
      }
      const after = countOf(data)
      if (before > after) onDropped(before - after)
      return after > 0
    },
    /** Number of changes since `reset`. */
    count: () => count,
    /** Whether attributes of a node have changed too often since `reset`. */
    isLimited: () => isLimited,
    /** Whether most changes are in one part of the page. */
    canBlock: () => !!busiest(),
    /** Leaves out changes in the busiest part of the page. */
    block: (): void => {
      blocked = busiest()
    },
    /** Records all parts of the page again. Returns whether one was blocked. */
    unblock: (): boolean => {
      const wasBlocked = !!blocked
      blocked = undefined
      return wasBlocked
    },
    /** Counts from 0 again. */
    reset: (): void => {
      bucket.trim()
      count = 0
      isLimited = false
      changed = []
    },
  }
}

export type Limiter = ReturnType<typeof createLimiter>
