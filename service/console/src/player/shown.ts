import type { Replayer } from '@rrweb/replay'

/** Rules of every recorded page. Its scripts do not run, so browsers would show controls of media, and canvases as text. */
export const RULES = [
  'video:not([controls])::-webkit-media-controls, audio:not([controls])::-webkit-media-controls { display: none !important }',
  // These rules have the same low specificity as those of browsers.
  ':where(canvas) { display: inline-block; width: attr(width px, 300px); height: auto; aspect-ratio: attr(width type(<number>), 300) / attr(height type(<number>), 150) }',
]

const OPEN = '[popover][rr_open_mode]'

/** Opens and closes popovers as they were. The replayer does so with dialogs only. */
export const syncPopovers = ({ iframe: { contentDocument: page } }: Replayer): void => {
  if (!page) return
  for (const element of page.querySelectorAll<HTMLElement>(`${OPEN}:not(:popover-open)`)) element.showPopover()
  for (const element of page.querySelectorAll<HTMLElement>(`:popover-open:not(${OPEN})`)) element.hidePopover()
}

const zoomOf = (payload: unknown): string => {
  const { scale, left, top } = (payload ?? {}) as Readonly<Record<string, unknown>>
  const isKnown = [scale, left, top].every(Number.isFinite) && Number(scale) >= 1
  return isKnown ? `scale(${Number(scale)}) translate(${-Number(left)}px, ${-Number(top)}px)` : ''
}

const defineElement = (page: Window | null, payload: unknown): void => {
  const name = (payload as { name?: unknown } | null)?.name
  const { customElements, HTMLElement } = (page ?? {}) as typeof globalThis
  if (typeof name === 'string' && !customElements.get(name)) customElements.define(name, class extends HTMLElement {})
}

/** Follows the recorder's own events about how the page was shown: pinch zoom, and elements defined late. */
export const followPage = (replayer: Replayer): void => {
  const { wrapper, iframe } = replayer
  wrapper.style.transformOrigin = '0 0'
  replayer.on('fullsnapshot-rebuilded', () => (wrapper.style.transform = ''))
  replayer.on('custom-event', (event) => {
    const { tag, payload } = (event as { data: { tag: string; payload: unknown } }).data
    if (tag === 'pinch zoom') wrapper.style.transform = zoomOf(payload)
    if (tag === 'element defined') defineElement(iframe.contentWindow, payload)
  })
}
