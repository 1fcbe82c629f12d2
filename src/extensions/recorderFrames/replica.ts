const MAX_NODES = 50_000
const MAX_VALUE = 256
const TAG = /^[a-z][a-z\d:.-]{0,64}$/i
// No mask selects by them, and they have effects or violate a policy in a document that shows nothing too.
const SKIPPED = /^(on|src|href|(style|is)$)/i

const attempt = (run: () => void) => {
  try {
    run()
  } catch {
    // A name that no attribute has, or a place where no node may be.
  }
}

/**
 * Creates a copy of a frame's document: its structure, and the attributes by which masks select. So the rules of this page apply to a frame like to
 * the page itself. Nothing in it is shown, loaded or run.
 */
export const createReplica = () => {
  const document_ = document.implementation.createHTMLDocument('')
  document_.documentElement.remove()
  const nodes = new Map<number, Node>()
  const ids = new WeakMap<Node, number>()
  const set = (id: number, node: Node): Node => {
    nodes.set(id, node)
    ids.set(node, id)
    return node
  }
  const forget = (node: Node) => {
    nodes.delete(ids.get(node)!)
    node.childNodes.forEach(forget)
  }
  return {
    nodeOf: (id: number): Node | null => nodes.get(id) ?? null,
    isFull: () => nodes.size > MAX_NODES,
    /** Gives the document its id. */
    setDocument: (id: number): Node => set(id, document_),
    /** Adds an element, or a text without a tag, to its parent; moves it if it is known. */
    add: (id: number, parent: Node, tag?: string): Node => {
      const create = () =>
        tag === undefined ? document_.createTextNode('') : document_.createElement(TAG.test(tag) ? tag : 'div')
      const node = nodes.get(id) ?? set(id, create())
      attempt(() => parent.appendChild(node))
      return node
    },
    /** Sets attributes of an element; null removes one. */
    change: (id: number, attributes: Readonly<Record<string, unknown>>): void => {
      const element = nodes.get(id)
      if (!(element instanceof Element)) return
      for (const [name, value] of Object.entries(attributes))
        if (value === null) element.removeAttribute(name)
        else if (typeof value === 'string' && value.length <= MAX_VALUE && !SKIPPED.test(name))
          attempt(() => element.setAttribute(name, value))
    },
    /** Makes a frame one of another origin. */
    open: (id: number): void => (nodes.get(id) as Element | undefined)?.setAttribute('src', 'https:'),
    /** Removes a node and what is in it. */
    remove: (id: number): void => {
      const node = nodes.get(id)
      if (!node) return
      node.parentNode?.removeChild(node)
      forget(node)
    },
  }
}
