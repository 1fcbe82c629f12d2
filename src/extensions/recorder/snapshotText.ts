import type { eventWithTime, serializedNodeWithId } from '@rrweb/types'
import { inNextTask, startSlice } from './slices'

type SafeNode = serializedNodeWithId & {
  tagName?: string
  textContent?: string
  attributes?: Record<string, unknown>
  childNodes?: SafeNode[]
}

const hiders = new WeakMap<object, (text: string) => string>()

/** Makes `startText` and `hideNow` hide what a person typed while the full snapshot was taken. */
export const hideLater = (root: object, hide: (text: string) => string): void => void hiders.set(root, hide)

const decided = new WeakSet<object>()

/** Marks whether the text of a node stays as the site's function has masked it. */
export const keepText = (node: object, isKept: boolean): void =>
  void (isKept ? decided.add(node) : decided.delete(node))

/** Hides it in a node. Style sheets keep their text. */
const hideIn = (node: SafeNode, parent: SafeNode | undefined, hide: (text: string) => string) => {
  if (node.textContent && parent?.tagName !== 'style' && !decided.has(node)) node.textContent = hide(node.textContent)
  for (const [name, value] of Object.entries(node.attributes ?? {}))
    if (typeof value === 'string') node.attributes![name] = hide(value)
}

/** Returns the root of a full snapshot; undefined for other events. */
export const snapshotOf = ({ type, data }: eventWithTime): SafeNode | undefined =>
  (type as number) === 2 ? (data as { node: SafeNode }).node : undefined

/** Hides what was typed in a full snapshot in one task. */
export const hideNow = (event: eventWithTime): eventWithTime => {
  const root = snapshotOf(event)
  const hide = root && hiders.get(root)
  const visit = (node: SafeNode, parent?: SafeNode) => {
    hideIn(node, parent, hide!)
    node.childNodes?.forEach((each) => visit(each, node))
  }
  if (hide) visit(root)
  return event
}

const PART_CHARACTERS = 50_000
const PLACE = '"@node"'
const [QUOTE, COMMA, COLON, BACKSLASH, LIST, OBJECT] = [0x22, 0x2c, 0x3a, 0x5c, 0x5b, 0x7b]

/** Returns the number of keys and values in JSON text, as the service counts them. */
const countValues = (json: string): number => {
  let count = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) {
      while (json.charCodeAt(++at) !== QUOTE && at < json.length) if (json.charCodeAt(at) === BACKSLASH) at++
    } else if (code === COMMA || code === COLON || code === LIST || code === OBJECT) count++
  }
  return count
}

/**
 * Writes the JSON text of a full snapshot in slices. `done` receives it in parts, which nothing joins in one task, and its number of
 * keys and values. `finish` writes the rest at once, for example when the page is left.
 */
export const startText = (
  event: eventWithTime,
  toJson: (value: unknown) => string,
  done: (parts: string[], values: number) => void,
): { finish(): void; stop(): void } => {
  const root = snapshotOf(event)!
  const hide = hiders.get(root)
  const [before, after] = toJson({ ...event, data: { ...(event.data as object), node: '@node' } }).split(PLACE)
  const parts = [before!]
  let values = countValues(before!)
  /** Texts that are not a part yet. A few long parts are faster to read than very many. */
  let part = ''
  const flush = () => {
    // Makes engines join the texts of the part.
    part.charCodeAt(0)
    values += countValues(part)
    parts.push(part)
    part = ''
  }
  let isDone = false
  /** The lists that are being written, the innermost one last. `end`: the text after it. */
  const lists: { nodes: SafeNode[]; parent: SafeNode | undefined; next: number; end: string }[] = [
    { nodes: [root], parent: undefined, next: 0, end: after! },
  ]
  const isLeaf = ({ childNodes }: SafeNode) => !childNodes?.length
  const write = (node: SafeNode, parent: SafeNode | undefined) => {
    const { childNodes = [], ...own } = node
    const isSmall = childNodes.length < 50 && childNodes.every(isLeaf)
    if (hide) hideIn(node, parent, hide)
    if (isSmall) {
      if (hide) for (const child of childNodes) hideIn(child, node, hide)
      part += toJson(node)
      return
    }
    part += `${toJson(own).slice(0, -1)},"childNodes":[`
    lists.push({ nodes: childNodes, parent: node, next: 0, end: ']}' })
  }
  const work = (isOver: () => boolean) => {
    while (lists.length) {
      if (isOver()) return inNextTask(slice)
      const list = lists[lists.length - 1]!
      const node = list.nodes[list.next++]
      if (!node) part += lists.pop()!.end
      else {
        if (list.next > 1) part += ','
        write(node, list.parent)
      }
      if (part.length > PART_CHARACTERS) flush()
    }
    flush()
    isDone = true
    done(parts, values)
  }
  const slice = () => {
    if (!isDone) work(startSlice())
  }
  // In a later task than that of the snapshot.
  inNextTask(slice)
  return {
    finish: () => {
      if (!isDone) work(() => false)
    },
    stop: () => {
      isDone = true
    },
  }
}
