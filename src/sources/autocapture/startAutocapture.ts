import { listen } from '../../browser/signal'
import type { ElementDescription, Host } from '../../host'
import { hostOf } from '../../lib/url'
import { withoutSensitive } from '../../lib/sensitive'
import type { AutocaptureConfig, Config, Properties, Stop } from '../../types'
import { describeElement, type Masking } from './describeElement'
import { pathOf, tagOf, targetOf } from './elements'
import { elementsChain } from './elementsChain'
import { isSensitive, mayCapture } from './mayCapture'

const EVENTS = ['click', 'change', 'submit', 'copy', 'cut']
const AUGMENT = 'data-ph-capture-attribute-'

/** Properties that the page's author gave elements by `data-ph-capture-attribute-<name>`; the innermost wins. */
const augmented = (path: readonly Element[]): Properties => {
  const told: Properties = {}
  for (const element of [...path].reverse()) {
    if (isSensitive(element)) continue
    for (const { name, value } of Array.from(element.attributes)) {
      if (name.startsWith(AUGMENT) && withoutSensitive(value)) told[name.slice(AUGMENT.length)] = value
    }
  }
  return told
}

/** Where a click leads, if it leads to another host. */
const externalUrl = (path: readonly Element[]): Properties => {
  const link = path.find((element) => tagOf(element) === 'a') as HTMLAnchorElement | undefined
  return link?.href && !isSensitive(link) && hostOf(link.href) && hostOf(link.href) !== location.host
    ? { $external_click_url: link.href }
    : {}
}

/** What the configuration keeps back of elements. */
export const maskingOf = ({ mask_all_text, mask_all_element_attributes, autocapture }: Config): Masking => ({
  maskText: mask_all_text,
  maskAttributes: mask_all_element_attributes,
  ignoredAttributes: (typeof autocapture === 'object' && autocapture.element_attribute_ignorelist) || [],
})

/** What is told of each element of `path`, the first being the target. */
export const describePath = (path: readonly Element[], masking: Masking): ElementDescription[] =>
  path.map((element, index) => describeElement(element, index === 0, masking))

/** The properties of an autocaptured event on the first element of `path`. */
export const describeEvent = (
  type: string,
  path: readonly Element[],
  masking: Masking,
  elements = describePath(path, masking),
): Properties => {
  return {
    $event_type: type,
    $ce_version: 1,
    $elements_chain: elementsChain(elements),
    ...(elements[0]?.text ? { $el_text: elements[0].text } : {}),
    ...(type === 'click' && !masking.maskAttributes ? externalUrl(path) : {}),
    ...augmented(path),
  }
}

/** `$autocapture` for clicks, changes and submits; `$copy_autocapture` for copies when asked for. */
export const startAutocapture = ({ config, capture }: Host): Stop =>
  listen(document, EVENTS, (event) => {
    const target = targetOf(event)
    if (!target) return
    const lists: AutocaptureConfig = typeof config.autocapture === 'object' ? config.autocapture : {}
    const { type } = event
    const isCopy = type === 'copy' || type === 'cut'
    if (isCopy && !lists.capture_copied_text) return
    const path = pathOf(target)
    if (!mayCapture(type, path, lists)) return

    const masking = maskingOf(config)
    if (isCopy) {
      const selected =
        masking.maskText || path.some(isSensitive) ? '' : withoutSensitive(String(getSelection() ?? '')).slice(0, 255)
      if (!selected) return
      capture('$copy_autocapture', {
        ...describeEvent(type, path, masking),
        $selected_content: selected,
        $copy_type: type,
      })
    } else {
      capture('$autocapture', describeEvent(type, path, masking))
    }
  })
