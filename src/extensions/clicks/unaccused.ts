/**
 * What answers a click in ways that nothing on the page tells of: fields and their labels (caret, pop-up of the
 * browser), and what draws or plays by itself. Neither rage nor dead clicks accuse it.
 */
export const UNACCUSED = [
  'input:not([type=button]):not([type=submit]):not([type=reset]):not([type=image])',
  'textarea, select, option, label, [contenteditable]:not([contenteditable=false])',
  'canvas, video, audio, iframe, embed, object',
]
