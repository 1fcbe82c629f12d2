import type { AutocaptureConfig } from '../../types'
import { anyMatches, INTERACTIVE, tagOf } from './elements'

// What the page's author marked: nothing of it at all, or nothing by autocapture.
const EXCLUDED = ['.ph-no-capture', '.ph-no-autocapture', '[data-ph-no-autocapture]']

// A string is an address or a part of one, and for compatibility a regular expression (docs/reference/protocol.md#7.2).
const isUrlAllowed = (url: string, allowed: readonly (string | RegExp)[]) =>
  allowed.some((each) => {
    // One that is neither allows nothing; it must not take the other entries with it.
    try {
      return (typeof each === 'string' && url.includes(each)) || new RegExp(each).test(url)
    } catch {
      return false
    }
  })

/** Whether a person can do something with the target: it, or what it is in, reacts to this event. */
const isInteraction = (type: string, path: readonly Element[]): boolean => {
  const target = path[0]!
  const tag = tagOf(target)
  if (type === 'copy' || type === 'cut') return true
  if (tag === 'form') return type === 'submit'
  if (/^(input|select|textarea)$/.test(tag)) return type === 'change' || type === 'click'
  if (type !== 'click') return false
  if (target.getAttribute('contenteditable') === 'true' || path.some((element) => INTERACTIVE.test(tagOf(element))))
    return true
  // The cursor is inherited, so the target's own tells of its ancestors' too.
  return getComputedStyle(target).cursor === 'pointer'
}

/**
 * Whether an event of this type may be captured: allowed by the lists of `config` (empty list: none; no list: all),
 * not excluded by the page, and something a person did (docs/reference/protocol.md#12.2).
 */
export const mayCapture = (
  type: string,
  path: readonly Element[],
  config: AutocaptureConfig,
  url = location.href,
): boolean => {
  if (!path.length || anyMatches(path, EXCLUDED)) return false
  const { url_allowlist, dom_event_allowlist, element_allowlist, css_selector_allowlist } = config
  if (url_allowlist && !isUrlAllowed(url, url_allowlist)) return false
  if (dom_event_allowlist && !dom_event_allowlist.includes(type)) return false
  if (element_allowlist && !path.some((element) => element_allowlist.includes(tagOf(element)))) return false
  if (css_selector_allowlist && !anyMatches(path, css_selector_allowlist)) return false
  return isInteraction(type, path)
}
