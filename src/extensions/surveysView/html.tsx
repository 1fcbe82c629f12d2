import { h } from 'preact'
import type { SurveyViewParts } from '../../host'
import { ALLOWED, ATTRIBUTES, ELEMENTS } from './allowed'

interface SanitizingElement extends Element {
  setHTML?(html: string, options: { sanitizer: object }): void
}

/** Loads the HTML sanitizer for browsers without `setHTML`. Resolves with undefined if it is not available. */
export type LoadSanitizer = SurveyViewParts['loadSanitizer']

/** Opens links in a new tab, and removes those that are neither https nor mailto. */
const secureLinks = (element: Element) => {
  for (const link of element.querySelectorAll('a')) {
    if (!/^(https:|mailto:)/i.test(link.getAttribute('href') ?? '')) link.removeAttribute('href')
    link.target = '_blank'
    link.rel = 'noopener'
  }
  for (const image of element.querySelectorAll('img'))
    if (!/^https:/i.test(image.getAttribute('src') ?? '')) image.remove()
}

const shown = new WeakMap<Element, string>()

/** Puts the allowed part of some HTML into an element: by the browser's sanitizer, by the loaded one, or else as plain text. */
const fill = (element: SanitizingElement | null, html: string, loadSanitizer: LoadSanitizer) => {
  if (!element || shown.get(element) === html) return
  shown.set(element, html)
  const asText = () => {
    element.textContent = html.replace(/<[^>]*>/g, ' ')
  }
  if (!/[<&]/.test(html)) return asText()
  if (element.setHTML) {
    element.setHTML(html, { sanitizer: ALLOWED })
    return secureLinks(element)
  }
  void loadSanitizer({ elements: ELEMENTS, attributes: ATTRIBUTES }).then((clean) => {
    const content = clean?.(html)
    // Under `trusted-types 'none'` the loaded sanitizer silently returns nothing.
    if (!content?.hasChildNodes()) return asText()
    element.textContent = ''
    element.append(content)
    secureLinks(element)
  })
}

/** Text of a survey that may be HTML. */
export const Html = (props: {
  html: string
  class: string
  id?: string
  isText: boolean
  loadSanitizer: LoadSanitizer
}) => {
  const { html, isText, loadSanitizer, ...rest } = props
  return isText ? <div {...rest}>{html}</div> : <div {...rest} ref={(element) => fill(element, html, loadSanitizer)} />
}
