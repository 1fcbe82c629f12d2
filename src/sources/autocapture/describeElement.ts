import type { ElementDescription } from '../../host'
import { withoutSensitive } from '../../lib/sensitive'
import { INTERACTIVE, ownText, tagOf } from './elements'
import { isField, isSensitive } from './mayCapture'

export interface Masking {
  maskText: boolean
  maskAttributes: boolean
  ignoredAttributes: readonly string[]
}

const TEXT_LENGTH = 255
const ATTRIBUTE_LENGTH = 1024
// Of a field only what the site's author named it: its value may be the visitor's.
const FIELD_ATTRIBUTES = ['name', 'id', 'class', 'aria-label']
// Angular writes these for its own styling; they change with each build.
const GENERATED = /^_ng(content|host)/

const cut = (text: string) => (text.length > ATTRIBUTE_LENGTH ? `${text.slice(0, ATTRIBUTE_LENGTH)}...` : text)

/** The text of an element that may be told; '' where none may. */
export const safeText = (element: Element): string =>
  isSensitive(element) || isField(element) ? '' : withoutSensitive(ownText(element)).slice(0, TEXT_LENGTH)

const attributesOf = (element: Element, { maskAttributes, ignoredAttributes }: Masking): Record<string, string> => {
  const told: Record<string, string> = {}
  if (maskAttributes || isSensitive(element)) return told
  const field = isField(element)
  for (const { name, value } of Array.from(element.attributes)) {
    if (ignoredAttributes.includes(name) || GENERATED.test(name) || (field && !FIELD_ATTRIBUTES.includes(name)))
      continue
    const safe = withoutSensitive(value)
    if (safe || !value) told[name] = cut(safe)
  }
  return told
}

/** What may be told of an element: no value that a person typed, nothing marked or named as sensitive. */
export const describeElement = (element: Element, isTarget: boolean, masking: Masking): ElementDescription => {
  const tag = tagOf(element)
  let nthChild = 1
  let nthOfType = 1
  for (let at = element.previousElementSibling; at; at = at.previousElementSibling) {
    nthChild += 1
    if (at.tagName === element.tagName) nthOfType += 1
  }
  const attributes = attributesOf(element, masking)
  const text = !masking.maskText && (isTarget || INTERACTIVE.test(tag)) ? safeText(element) : ''
  return {
    tag,
    classes: (attributes.class ?? '').split(/\s+/).filter(Boolean),
    attributes,
    ...(text ? { text } : {}),
    nthChild,
    nthOfType,
  }
}
