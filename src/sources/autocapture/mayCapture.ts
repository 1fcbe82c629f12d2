import { attempt } from '../../lib/guard'
import type { AutocaptureConfig } from '../../types'
import { anyMatches, INTERACTIVE, tagOf } from './elements'

// Classes and an attribute that exclude an element from all capturing or from autocapture.
const EXCLUDED = ['.ph-no-capture,.ph-no-autocapture,[data-ph-no-autocapture]']

// A string is a URL or a part of one, and for compatibility a regular expression (docs/reference/protocol.md#7.2).
const isUrlAllowed = (url: string, allowed: readonly (string | RegExp)[]) =>
  allowed.some((each) => {
    // An invalid expression allows nothing and does not affect other entries.
    try {
      return (typeof each === 'string' && url.includes(each)) || new RegExp(each).test(url)
    } catch {
      return false
    }
  })

/** Whether the target, or an ancestor, is interactive for this type of event. */
const isInteraction = (type: string, path: readonly Element[]): boolean => {
  const target = path[0]!
  const tag = tagOf(target)
  if (type === 'copy' || type === 'cut') return true
  if (tag === 'form') return type === 'submit'
  if (/^(input|select|textarea)$/.test(tag)) return type === 'change' || type === 'click'
  if (type !== 'click') return false
  if (target.getAttribute('contenteditable') === 'true' || path.some((element) => INTERACTIVE.test(tagOf(element))))
    return true
  // The cursor is inherited, so the target also has the cursor of its ancestors. The page may have replaced the
  // function by one that throws.
  return attempt(() => getComputedStyle(target).cursor) === 'pointer'
}

/**
 * Whether an event of this type may be captured: allowed by the lists of `config` (empty list: none; no list: all), not
 * excluded by the page, and caused by a person (docs/reference/protocol.md#12.2).
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
