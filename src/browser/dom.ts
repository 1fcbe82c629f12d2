/**
 * Returns a proxy that reads what the prototype of a node defines. Page elements can hide it ("DOM clobbering"): a
 * field named `id` hides `form.id`, an image named `body` hides `document.body`. Do not pass the proxy to browser
 * functions.
 */
export const unclobbered = <T extends Document | Element>(node: T): T =>
  new Proxy(node, {
    get: (target, name) => {
      const value: unknown = Reflect.get(Object.getPrototypeOf(target) as object, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })

/** Like `closest`, but also crosses shadow roots. */
export const closestOf = (element: Element, selector: string): Element | undefined => {
  const host = (element.getRootNode() as Partial<ShadowRoot>).host
  return element.closest(selector) ?? (host && closestOf(host, selector))
}
