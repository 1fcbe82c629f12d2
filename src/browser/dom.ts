/**
 * A document or form as its interface defines it. Page elements can hide properties of both: `form.id` is a field named
 * `id`, and `document.body` an image named `body` ("DOM clobbering"). Not for passing to functions of the browser.
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
