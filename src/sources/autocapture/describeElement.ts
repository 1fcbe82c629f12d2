import { repeats } from '../../browser/typing'
import type { ElementDescription } from '../../host'
import { withoutSensitive } from '../../lib/sensitive'
import { INTERACTIVE, tagOf, textOfNodes } from './elements'
import { isField, isSensitive } from './privacy'

export interface Masking {
  maskText: boolean
  maskAttributes: boolean
  ignoredAttributes: readonly string[]
  /** What a person has typed (`typedTexts`): never captured, wherever the page repeats it. */
  typed: readonly string[]
}

/** Longest text of an element, in characters. */
export const TEXT_LENGTH = 255
const ATTRIBUTE_LENGTH = 1024
// The names that the author gave a field. Its other attributes may hold its value.
const FIELD_ATTRIBUTES = ['name', 'id', 'class', 'aria-label']
// Angular writes these for its own styling; they change with each build.
const GENERATED = /^_ng(content|host)/

const cut = (text: string) => (text.length > ATTRIBUTE_LENGTH ? `${text.slice(0, ATTRIBUTE_LENGTH)}...` : text)

/** `text` as it may be captured: without numbers that look sensitive; '' where it repeats what a person typed. */
export const safe = (text: string, typed: readonly string[]): string =>
  repeats(text, typed) ? '' : withoutSensitive(text)

/** The text of an element that may be captured: its own; of links and buttons also that of the spans inside. */
export const safeText = (element: Element, typed: readonly string[] = [], path?: readonly Element[]): string => {
  if (isField(element) || isSensitive(element, path)) return ''
  const spans = /^(a|button)$/.test(tagOf(element)) ? [...element.querySelectorAll('span')] : []
  const isShown = (span: Element) => !span.closest('.ph-no-capture') && !isField(span) && !isSensitive(span)
  return safe([element, ...spans.filter(isShown)].map(textOfNodes).join(' '), typed).slice(0, TEXT_LENGTH)
}

const attributesOf = (element: Element, path: readonly Element[], masking: Masking): Record<string, string> => {
  const attributes: Record<string, string> = {}
  if (masking.maskAttributes || isSensitive(element, path)) return attributes
  const field = isField(element)
  for (const { name, value } of element.attributes) {
    if (masking.ignoredAttributes.includes(name) || GENERATED.test(name) || (field && !FIELD_ATTRIBUTES.includes(name)))
      continue
    const text = safe(value, masking.typed)
    if (text || !value) attributes[name] = cut(text)
  }
  return attributes
}

/** Describes the first element of `path`: no value that a person typed, nothing marked or named as sensitive. */
export const describeElement = (path: readonly Element[], isTarget: boolean, masking: Masking): ElementDescription => {
  const element = path[0]!
  const tag = tagOf(element)
  let nthChild = 1
  let nthOfType = 1
  for (let at = element.previousElementSibling; at; at = at.previousElementSibling) {
    nthChild += 1
    if (at.tagName === element.tagName) nthOfType += 1
  }
  const attributes = attributesOf(element, path, masking)
  const text = !masking.maskText && (isTarget || INTERACTIVE.test(tag)) ? safeText(element, masking.typed, path) : ''
  return {
    tag,
    classes: (attributes.class ?? '').split(/\s+/).filter(Boolean),
    attributes,
    ...(text ? { text } : {}),
    nthChild,
    nthOfType,
  }
}
