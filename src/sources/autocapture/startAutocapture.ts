import { unclobbered } from '../../browser/dom'
import { listen } from '../../browser/signal'
import { followTyping, typedTexts } from '../../browser/typing'
import type { ElementDescription } from '../../host'
import { permittedText, permittedUrl } from '../../lib/campaign'
import { repeats } from '../../lib/typedForms'
import { hostOf } from '../../lib/url'
import type { AutocaptureConfig, Config, Properties, Stop } from '../../types'
import { describeElement, type ElementNote, type Masking, noteElements, safe, TEXT_LENGTH } from './describeElement'
import { pathOf, targetOf } from './elements'
import { elementsChain } from './elementsChain'
import { mayCapture } from './mayCapture'
import { type CheckedElement, checkPath, EDITOR, PRIVATE } from './privacy'

const EVENTS = ['click', 'change', 'submit', 'copy', 'cut']
const FIELD = /^(input|select|textarea)$/
const AUGMENT = 'data-ph-capture-attribute-'
// Attributes that are a URL as a whole.
const URLS = /^((xlink:)?href|src|action|formaction)$/

/** Returns properties from `data-ph-capture-attribute-<name>` attributes. The innermost wins. */
const augmented = (path: readonly ElementNote[], { typed, permitted }: Masking): Properties => {
  const properties: Properties = {}
  for (const { attributes } of [...path].reverse())
    for (const [name, value] of attributes)
      if (name.startsWith(AUGMENT) && safe(value, typed))
        properties[name.slice(AUGMENT.length)] = permitted(name, value)
  return properties
}

/** Returns the URL that a click leads to, if it is on another host. */
const externalUrl = (path: readonly ElementNote[], typed: readonly string[]): Properties => {
  const { href = '' } = path.find(({ tag }) => tag === 'a') ?? {}
  const host = hostOf(href)
  return host && host !== location.host && !repeats(href, typed) ? { $external_click_url: href } : {}
}

/** Returns the limits that configuration and typed values set for descriptions of elements. */
export const maskingOf = (config: Config): Masking => ({
  maskText: config.mask_all_text,
  maskAttributes: config.mask_all_element_attributes,
  ignoredAttributes: (typeof config.autocapture === 'object' && config.autocapture.element_attribute_ignorelist) || [],
  typed: typedTexts(),
  permitted: (name, value) => (URLS.test(name) ? permittedUrl(value, config) : permittedText(value, config, true)),
})

/**
 * Returns the selected text; '' if it contains anything private. Text that is typed in an editor is not private there.
 */
const selectedText = (path: readonly Element[], { maskText }: Masking): string => {
  const selection = getSelection()
  if (!selection?.rangeCount || maskText) return ''
  const checked = checkPath(path)
  const isEditor = checked.map(({ element, tag }) => element.matches(EDITOR) && !FIELD.test(tag))
  const outermost = isEditor.lastIndexOf(true)
  const isPrivate = ({ tag, isField, isSensitive, isExcluded }: CheckedElement, index: number) =>
    index > outermost ? isField || isSensitive : isExcluded || FIELD.test(tag)
  if (checked.some(isPrivate)) return ''
  const editor = path[outermost]
  const range = selection.getRangeAt(0)
  const root = path[0]!.getRootNode() as ShadowRoot
  const isDocument = (root as Node) === document
  if (isDocument && editor && !editor.contains(range.commonAncestorContainer)) return ''
  const hidden = (isDocument ? unclobbered(document) : root).querySelectorAll(PRIVATE)
  // Ranges do not include shadow roots, so any private element there counts as selected.
  return [...hidden].some((element) => element !== editor && (!isDocument || range.intersectsNode(element)))
    ? ''
    : safe(String(selection), typedTexts(editor)).slice(0, TEXT_LENGTH)
}

/** Describes the elements of a path, and returns the properties of an autocaptured event on the first. */
export const describeEvent = (
  type: string,
  path: readonly ElementNote[],
  masking: Masking,
): { elements: readonly ElementDescription[]; properties: Properties } => {
  const elements = path.map((each) => describeElement(each, masking))
  return {
    elements,
    properties: {
      $event_type: type,
      $ce_version: 1,
      $elements_chain: elementsChain(elements),
      ...(elements[0]?.text ? { $el_text: elements[0].text } : {}),
      ...(type === 'click' && !masking.maskAttributes ? externalUrl(path, masking.typed) : {}),
      ...augmented(path, masking),
    },
  }
}

interface AutocaptureHost {
  config: Config
  /** Captures an event with the current time and URL in a later task. `describe` returns its properties. */
  captureLater(event: string, describe: () => Properties): void
}

/** Captures `$autocapture` for clicks, changes and submits, and, if configured, `$copy_autocapture` for copies. */
export const startAutocapture = ({ config, captureLater }: AutocaptureHost): Stop => {
  const onEvent = (event: Event) => {
    const target = targetOf(event)
    if (!target) return
    const lists: AutocaptureConfig = typeof config.autocapture === 'object' ? config.autocapture : {}
    const { type } = event
    const isCopy = type === 'copy' || type === 'cut'
    if (isCopy && !lists.capture_copied_text) return
    const path = pathOf(target)
    if (!mayCapture(type, path, lists)) return

    const masking = maskingOf(config)
    const text = isCopy && selectedText(path, masking)
    if (text === '') return
    const notes = noteElements(path)
    captureLater(isCopy ? '$copy_autocapture' : '$autocapture', () => ({
      ...describeEvent(type, notes, masking).properties,
      ...(isCopy ? { $selected_content: text, $copy_type: type } : {}),
    }))
  }
  const stops = [followTyping(), listen(self, EVENTS, onEvent)]
  return () => stops.forEach((stop) => stop())
}
