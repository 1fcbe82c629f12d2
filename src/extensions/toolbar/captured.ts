import { finder } from '@medv/finder'
import type { AutocaptureConfig, Properties } from '../../types'
import type { Tools } from './tools'

// Longer searches freeze the page.
const SELECTOR_MS = 100

/** A selector of an element, and why it may stop working. */
export interface ElementSelector {
  text: string
  warning?: string
  /** The element in whose shadow root the selector works. */
  shadowHost?: string
}

/** Returns a short selector that only this element of its document or shadow root matches. */
export const selectorOf = (element: Element): ElementSelector | undefined => {
  const root = element.getRootNode()
  try {
    // Without this root, the library throws for elements of shadow roots.
    const text = finder(element, { root: root as unknown as Element, timeoutMs: SELECTOR_MS })
    const warning = /:nth-/.test(text)
      ? 'This selector depends on the position of the element. Add an id or a data attribute.'
      : /[#[]/.test(text)
        ? undefined
        : 'This selector depends on tags and classes. Add an id or a data attribute.'
    return {
      text,
      warning,
      shadowHost: root instanceof ShadowRoot ? root.host.tagName.toLowerCase() : undefined,
    }
  } catch {
    return undefined
  }
}

/** Behavior of autocapture for an element. */
export interface Verdict {
  /** The event that a person's action on the element causes: `click`, `change` or `submit`. */
  type: string
  /** Why nothing is captured; empty if something is. */
  reasons: string[]
  /** What is left out of the event, and why. */
  omissions: string[]
  properties: Properties
}

// As autocapture and heatmaps do.
const EXCLUDED = ['.ph-no-capture', '.ph-no-autocapture', '[data-ph-no-autocapture]']

const nameOf = (element: Element) => `<${element.tagName.toLowerCase()}>`

const LISTS: Partial<Record<keyof AutocaptureConfig, string>> = {
  url_allowlist: 'The URL of the page is not in autocapture.url_allowlist.',
  dom_event_allowlist: 'The event is not in autocapture.dom_event_allowlist.',
  element_allowlist: 'No element of the path is in autocapture.element_allowlist.',
  css_selector_allowlist: 'No element of the path matches autocapture.css_selector_allowlist.',
}

const reasonsOf = ({ host }: Tools, type: string, path: readonly Element[]): string[] => {
  const { config, remote, mayCapture } = host
  if (!config.autocapture) return ['The option autocapture is off.']
  if (config.advanced_disable_flags) return ['The option advanced_disable_flags turns autocapture off.']
  if (remote.items.autocapture_opt_out) return ['The settings of the project turn autocapture off.']
  for (const selector of EXCLUDED) {
    const marked = path.find((each) => each.matches(selector))
    if (marked) return [`${nameOf(marked)} matches ${selector}.`]
  }
  const lists = typeof config.autocapture === 'object' ? config.autocapture : {}
  if (!mayCapture(type, path, {}))
    return ['Neither the element nor one around it is interactive: no link, button, field or pointer cursor.']
  return Object.entries(LISTS).flatMap(([name, reason]) =>
    mayCapture(type, path, { [name]: lists[name as keyof AutocaptureConfig] }) ? [] : reason,
  )
}

const omissionsOf = ({ host: { config, checkPath } }: Tools, path: readonly Element[]): string[] => [
  ...(config.mask_all_text ? ['Text is left out: the option mask_all_text is on.'] : []),
  ...(config.mask_all_element_attributes
    ? ['Attributes are left out: the option mask_all_element_attributes is on.']
    : []),
  ...checkPath(path).flatMap(({ element, isField, isSensitive }) =>
    isSensitive
      ? `Text and attributes of ${nameOf(element)} are left out: it is marked or named as sensitive, or a person entered its content.`
      : isField
        ? `The value and most attributes of ${nameOf(element)} are left out: it is a field.`
        : [],
  ),
]

/** Returns what autocapture captures of an action on an element, with the exact properties, or why it captures nothing. */
export const inspect = (tools: Tools, element: Element): Verdict => {
  const { config, describeEvent, maskingOf, pathOf } = tools.host
  const path = pathOf(element)
  const tag = element.tagName.toLowerCase()
  const type = tag === 'form' ? 'submit' : /^(input|select|textarea)$/.test(tag) ? 'change' : 'click'
  return {
    type,
    reasons: reasonsOf(tools, type, path),
    omissions: omissionsOf(tools, path),
    properties: path.length ? describeEvent(type, path, maskingOf(config)).properties : {},
  }
}
