const MAX_NODES = 50_000
const MAX_VALUE = 256
const TAG = /^[a-z][a-z\d:.-]{0,64}$/i
// No masking selector matches them, and they have effects or violate a policy even in a document that is not rendered.
const SKIPPED = /^(on|src|href|(style|is)$)/i

const attempt = (run: () => void) => {
  try {
    run()
  } catch {
    // A name that no attribute has, or a place where no node may be.
  }
}

/**
 * Creates a copy of a frame's document: its structure and the attributes that masking selectors match. So the page's
 * masking rules apply to a frame as to the page itself. Nothing in it is rendered, loaded or executed.
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
    /** Adds an element (without `tag`: a text node) to its parent, or moves it if it exists. */
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
    /** Makes a frame cross-origin. */
    open: (id: number): void => (nodes.get(id) as Element | undefined)?.setAttribute('src', 'https:'),
    /** Removes a node and its descendants. */
    remove: (id: number): void => {
      const node = nodes.get(id)
      if (!node) return
      node.parentNode?.removeChild(node)
      forget(node)
    },
  }
}
