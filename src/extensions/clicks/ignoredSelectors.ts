/** Inputs for text, as opposed to buttons and boxes. */
export const TEXT_INPUT =
  'input:not([type=button]):not([type=submit]):not([type=reset]):not([type=image]):not([type=checkbox]):not([type=radio])'

/** Elements that show what cannot be observed. */
export const MEDIA = 'canvas, video, audio, iframe, embed, object'

/**
 * Elements whose response to a click cannot be observed: fields and their labels (caret, browser pop-up), canvas and
 * media. Their clicks are neither rage nor dead clicks.
 */
export const IGNORED_SELECTORS = [
  TEXT_INPUT,
  'textarea, select, option, label, [contenteditable]:not([contenteditable=false])',
  MEDIA,
]

/** Whether a click toggled a checkbox or radio button: the page did not call `preventDefault`. */
export const isToggled = (path: readonly Element[], event: Event): boolean =>
  path[0]!.matches('[type=checkbox], [type=radio]') && !event.defaultPrevented
