import type { serializedNodeWithId } from '@rrweb/types'
import { attempt } from './page'
import { hides } from './sanitize/place'
import type { Policy } from './sanitize/policy'
import { shown } from './shown'

const sheetIds = new WeakMap<CSSStyleSheet, number>()
let lastId = 0

/** Returns a text that changes when rules of a style sheet are added or removed, or when it loads. */
const sheetState = ({ sheet, childElementCount, textContent }: HTMLStyleElement): string => {
  if (!sheet) return 'none'
  if (!sheetIds.has(sheet)) sheetIds.set(sheet, ++lastId)
  // Rules of other origins cannot be read.
  const rules = attempt(() => sheet.cssRules)
  let imported = 0
  while ((rules?.[imported] as Partial<CSSImportRule> | undefined)?.styleSheet) imported++
  // The text of elements in it, which no browser reads.
  return `${sheetIds.get(sheet)} ${rules?.length} ${imported} ${childElementCount ? textContent : ''}`
}
const fieldState = ({ value, checked }: HTMLInputElement) => `${value} ${checked}`
const mediaState = ({ paused, currentTime, playbackRate, muted, loop, volume }: HTMLMediaElement) =>
  [paused, currentTime, playbackRate, muted, loop, volume].join()

const STATES: Record<string, ((element: never) => string) | undefined> = {
  input: fieldState,
  textarea: fieldState,
  select: fieldState,
  option: ({ selected }: HTMLOptionElement) => `${selected}`,
  audio: mediaState,
  video: mediaState,
  dialog: (dialog: HTMLDialogElement) => `${dialog.open} ${dialog.open && dialog.matches(':modal')}`,
  link: sheetState,
  style: sheetState,
  iframe: ({ contentDocument }: HTMLIFrameElement) => `${!!contentDocument}`,
}

/**
 * Returns what of an element is recorded but can change without a report of an observer; an empty text if nothing can. `raw`: the
 * element as rrweb serialized it.
 */
export const liveState = (element: Element, raw: serializedNodeWithId, isClosed: boolean, policy: Policy): string => {
  const { tagName, attributes } = raw as unknown as { tagName: string; attributes: Record<string, unknown> }
  let state = STATES[tagName]?.(element as never) ?? ''
  if (/^(img|video)$/.test(tagName) || attributes.popover !== undefined) state += JSON.stringify(shown(element))
  if (tagName.includes('-')) state += ` ${!!customElements.get(tagName)}`
  if (attributes.rr_scrollLeft || attributes.rr_scrollTop) state += ` ${element.scrollLeft} ${element.scrollTop}`
  if (isClosed && attributes.rr_width) {
    const { width, height } = element.getBoundingClientRect()
    state += ` ${width} ${height} ${hides(element, policy)}`
  }
  return state
}
