const MAX_LEVELS = 5
const MAX_CLASSES = 2
// Ids and class names with digits or other signs may be data: a number, an email address, a generated name.
const WORD = /^[a-z][a-z_-]{0,29}$/i

/** Returns a property of an element as its interface defines it. Fields of a form can hide the form's own properties. */
const read = <K extends keyof Element>(element: Element, name: K): Element[K] =>
  Reflect.get(Element.prototype, name, element)

const stepOf = (
  element: Element,
  isTyped: ((text: string) => boolean) | undefined,
): { step: string; isUnique: boolean } => {
  const name = read(element, 'tagName')
  const tag = name.toLowerCase()
  const id = read(element, 'id')
  const isName = (text: string) => WORD.test(text) && isTyped?.(text) === false
  if (isName(id)) return { step: `${tag}#${id}`, isUnique: true }
  const classes = [...read(element, 'classList')].filter(isName).slice(0, MAX_CLASSES)
  const parent = read(element, 'parentElement')
  const siblings = parent ? [...read(parent, 'children')].filter((each) => read(each, 'tagName') === name) : []
  const place = siblings.length > 1 ? `:nth-of-type(${siblings.indexOf(element) + 1})` : ''
  return { step: [tag, ...classes].join('.') + place, isUnique: tag === 'body' || tag === 'html' }
}

/**
 * Returns a short CSS selector of an element without any text of the page: tags, positions, and ids and class names that are
 * plain words. `isTyped`: whether a text repeats what a person typed, which no name may; undefined: without names. Elements of a shadow root are
 * described up to its host.
 */
export const selectorOf = (element: Element, isTyped: ((text: string) => boolean) | undefined): string => {
  const steps: string[] = []
  for (let at: Element | null | undefined = element; at && steps.length < MAX_LEVELS;) {
    const { step, isUnique } = stepOf(at, isTyped)
    steps.unshift(step)
    if (isUnique) break
    at = read(at, 'parentElement') ?? (Node.prototype.getRootNode.call(at) as Partial<ShadowRoot>).host
  }
  return steps.join(' > ')
}
