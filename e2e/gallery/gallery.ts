/** A page of the gallery: what recordings must show as the page did. */
export interface GalleryPage {
  /** The file in this folder, without its ending. */
  readonly file: string
  readonly feature: string
  /** More options of `session_recording`. */
  readonly options?: object
  /** Scale of a pinch, at which the page is shown. */
  readonly zoom?: number
  /** Why the player does not show the feature. */
  readonly notCovered?: string
}

/** Share of pixels that may differ, percent. */
export const MAX_PERCENT = 1

/** The pages, in the order of the table in docs/reference/replay-fidelity.md. */
export const GALLERY: readonly GalleryPage[] = [
  { file: 'pushState', feature: 'Relative style sheets after `pushState`' },
  { file: 'varShorthands', feature: '`var()` in shorthands' },
  { file: 'import', feature: '`@import`, with layers, conditions and nested imports' },
  { file: 'adoptedSheets', feature: 'Constructed and adopted style sheets' },
  {
    file: 'adoptedPush',
    feature: 'Style sheets pushed to `adoptedStyleSheets`',
    notCovered: 'Browsers report no change of the list. They are shown from the next full snapshot on',
  },
  { file: 'layer', feature: '`@layer`' },
  { file: 'container', feature: '`@container`' },
  { file: 'nestedRules', feature: 'Nested rules' },
  { file: 'has', feature: '`:has()`' },
  { file: 'fonts', feature: 'Fonts: of the system, inlined, added by a script', options: { collectFonts: true } },
  { file: 'dialog', feature: '`<dialog>`' },
  { file: 'popover', feature: 'Popovers' },
  { file: 'topLayer', feature: 'Top layer: modal dialogs and popovers over them' },
  { file: 'details', feature: '`<details>`' },
  { file: 'video', feature: 'Video: poster, size' },
  {
    file: 'videoFrames',
    feature: 'Video: frames',
    notCovered: 'Media are not recorded, only their place, size and state',
  },
  {
    file: 'canvas',
    feature: 'Canvas',
    options: { captureCanvas: { recordCanvas: true, canvasFps: 12, canvasQuality: 1 } },
  },
  { file: 'customElements', feature: 'Custom elements defined late' },
  { file: 'declarativeShadow', feature: 'Declarative shadow roots' },
  { file: 'slots', feature: 'Slots and parts' },
  { file: 'picture', feature: '`<picture>` and `srcset`' },
  { file: 'svgUse', feature: 'SVG `<use>`, gradients and clip paths' },
  {
    file: 'svgFile',
    feature: 'SVG `<use>` of another file',
    notCovered: 'The player loads no files of the page: their server would learn who watches',
  },
  { file: 'deep', feature: 'Elements nested 500 levels deep' },
  { file: 'viewTransition', feature: 'View transitions, after their animation' },
  { file: 'scrollSnap', feature: 'Containers with scroll snapping' },
  { file: 'pinchZoom', feature: 'Pinch zoom', zoom: 2 },
]
