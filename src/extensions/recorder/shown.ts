import type { RecorderParts } from '../../host'
import type { Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { INCREMENTAL, MUTATION } from './eventTypes'
import { attempt } from './page'

/**
 * Returns state of an element that browsers do not keep in attributes, as attributes: whether a popover is open, which image of a
 * set is shown, the size of an image or video, whose files the player does not load.
 */
export const shown = (element: Node): Record<string, string> => {
  const { popover, currentSrc, src, naturalWidth, naturalHeight, videoWidth, videoHeight, poster } =
    element as HTMLImageElement & HTMLVideoElement
  const width = naturalWidth || videoWidth
  return {
    ...(popover && (element as Element).matches(':popover-open') ? { rr_open_mode: 'popover' } : {}),
    ...(width > 0 ? { rr_size: `${width} ${naturalHeight || videoHeight}` } : {}),
    ...(naturalWidth > 0 && currentSrc !== src ? { rr_src: currentSrc } : {}),
    ...(videoWidth > 0 && poster ? { poster } : {}),
  }
}

interface ShownInputs {
  host: ExtensionHost & RecorderParts
  idOf(node: Node): number
  add(type: number, data: object): void
  mark(tag: string, payload: object): void
}

/** Records changes of what `shown` returns, pinch zoom, and late definitions of elements. `begin`: called after each full snapshot. */
export const watchShown = ({ host, idOf, add, mark }: ShownInputs): { begin(): void; stop: Stop } => {
  const { visualViewport: view } = self
  const names = new Set<string>()
  const zoom = () => {
    const { scale, offsetLeft: left, offsetTop: top } = view!
    mark('pinch zoom', { scale, left, top })
  }
  const stops = [
    host.listen(document, ['toggle', 'load', 'loadedmetadata', 'resize'], ({ type, target }) => {
      const id = idOf(target as Node)
      const attributes: Record<string, string | null> = shown(target as Node)
      if (attributes.rr_size) attributes.rr_src ??= (target as HTMLImageElement).currentSrc
      if (type === 'toggle' && (target as HTMLElement).popover) attributes.rr_open_mode ??= null
      if (id > 0 && Object.keys(attributes).length)
        add(INCREMENTAL, { source: MUTATION, texts: [], removes: [], adds: [], attributes: [{ id, attributes }] })
    }),
    view ? host.listen(view, ['resize', 'scroll'], zoom) : () => {},
  ]
  return {
    begin: () => {
      if (view && view.scale !== 1) zoom()
      // A page may have patched these.
      attempt(() =>
        document.querySelectorAll(':not(:defined)').forEach(({ localName: name }) => {
          if (names.has(name)) return
          names.add(name)
          void customElements.whenDefined(name).then(
            () => mark('element defined', { name }),
            () => {},
          )
        }),
      )
    },
    stop: () => stops.forEach((stop) => stop()),
  }
}
