import { unclobbered } from '../../browser/dom'
import { listen } from '../../browser/signal'
import { followTyping, typedTexts } from '../../browser/typing'
import type { ElementDescription } from '../../host'
import { repeats } from '../../lib/typedForms'
import { hostOf } from '../../lib/url'
import type { AutocaptureConfig, Config, Properties, Stop } from '../../types'
import { describeElement, type ElementNote, type Masking, noteElements, safe, TEXT_LENGTH } from './describeElement'
import { pathOf, targetOf } from './elements'
import { elementsChain } from './elementsChain'
import { mayCapture } from './mayCapture'
import { checkPath, PRIVATE } from './privacy'

const EVENTS = ['click', 'change', 'submit', 'copy', 'cut']
const AUGMENT = 'data-ph-capture-attribute-'

/** Returns properties from `data-ph-capture-attribute-<name>` attributes. The innermost wins. */
const augmented = (path: readonly ElementNote[], typed: readonly string[]): Properties => {
  const properties: Properties = {}
  for (const { attributes } of [...path].reverse())
    for (const [name, value] of attributes)
      if (name.startsWith(AUGMENT) && safe(value, typed)) properties[name.slice(AUGMENT.length)] = value
  return properties
}

/** Returns the URL that a click leads to, if it is on another host. */
const externalUrl = (path: readonly ElementNote[], typed: readonly string[]): Properties => {
  const { href = '' } = path.find(({ tag }) => tag === 'a') ?? {}
  const host = hostOf(href)
  return host && host !== location.host && !repeats(href, typed) ? { $external_click_url: href } : {}
}

/** Returns what configuration and typed values exclude from descriptions of elements. */
export const maskingOf = ({ mask_all_text, mask_all_element_attributes, autocapture }: Config): Masking => ({
  maskText: mask_all_text,
  maskAttributes: mask_all_element_attributes,
  ignoredAttributes: (typeof autocapture === 'object' && autocapture.element_attribute_ignorelist) || [],
  typed: typedTexts(),
})

/** Returns the selected text; '' if it contains anything private. */
const selectedText = (path: readonly Element[], { maskText, typed }: Masking): string => {
  const selection = getSelection()
  if (!selection?.rangeCount || maskText) return ''
  if (checkPath(path).some(({ isField, isSensitive }) => isField || isSensitive)) return ''
  const range = selection.getRangeAt(0)
  const root = path[0]!.getRootNode() as ShadowRoot
  const isDocument = (root as Node) === document
  const hidden = (isDocument ? unclobbered(document) : root).querySelectorAll(PRIVATE)
  // Ranges do not include shadow roots, so any private element there counts as selected.
  return [...hidden].some((element) => !isDocument || range.intersectsNode(element))
    ? ''
    : safe(String(selection), typed).slice(0, TEXT_LENGTH)
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
      ...augmented(path, masking.typed),
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
