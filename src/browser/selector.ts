import { unclobbered } from './dom'

const MAX_LEVELS = 5
const MAX_CLASSES = 2
// Ids and class names with digits or other signs may be data: a number, an email address, a generated name.
const WORD = /^[a-z][a-z_-]{0,29}$/i

const stepOf = (element: Element, withNames: boolean): { step: string; isUnique: boolean } => {
  const tag = element.tagName.toLowerCase()
  const id = element.getAttribute('id') ?? ''
  if (withNames && WORD.test(id)) return { step: `${tag}#${id}`, isUnique: true }
  const classes = withNames ? [...element.classList].filter((name) => WORD.test(name)).slice(0, MAX_CLASSES) : []
  const siblings = [...(element.parentElement?.children ?? [])].filter(({ tagName }) => tagName === element.tagName)
  const place = siblings.length > 1 ? `:nth-of-type(${siblings.indexOf(element) + 1})` : ''
  return { step: [tag, ...classes].join('.') + place, isUnique: tag === 'body' || tag === 'html' }
}

/**
 * Returns a short CSS selector of an element without any text of the page: tags, positions, and, with `withNames`, ids and class
 * names that are plain words. Elements of a shadow root are described up to its host.
 */
export const selectorOf = (element: Element, withNames: boolean): string => {
  const steps: string[] = []
  for (let at: Element | null | undefined = element; at && steps.length < MAX_LEVELS;) {
    const node: Element = at instanceof HTMLFormElement ? unclobbered(at) : at
    const { step, isUnique } = stepOf(node, withNames)
    steps.unshift(step)
    if (isUnique) break
    at = node.parentElement ?? (node.getRootNode() as Partial<ShadowRoot>).host
  }
  return steps.join(' > ')
}
