import type { ToolbarParts } from '../../host'
import type { Stop } from '../../types'
import { readStoredPlace } from './storage'

// Distance from the edges of the window, CSS px.
const MARGIN = 8

/** Where the bar is, as shares of the window from the left and top, and the open panel. */
export interface Place {
  x: number
  y: number
  panel?: string
}

const shareOf = (value: unknown, fallback: number) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? value : fallback

/** Returns the place of the last visit. */
export const readPlace = (): Place => {
  const { x, y, panel } = (readStoredPlace() ?? {}) as Record<keyof Place, unknown>
  return { x: shareOf(x, 0.5), y: shareOf(y, 1), panel: typeof panel === 'string' ? panel : undefined }
}

const clamp = (value: number) => Math.min(1, Math.max(0, value))

/** Keeps the dock at its place when the window or its own size changes. `moveBy` moves it by CSS px and returns the new place. */
export const followPlace = (
  { listen }: Pick<ToolbarParts, 'listen'>,
  dock: HTMLElement,
  bar: HTMLElement,
  { x, y }: Place,
) => {
  const windowSize = () => [document.documentElement.clientWidth || innerWidth, innerHeight] as const
  const draw = () => {
    const [width, height] = windowSize()
    const barTop = MARGIN + y * (height - 2 * MARGIN - bar.offsetHeight)
    const isLow = y > 0.5
    dock.classList.toggle('low', isLow)
    const set = (name: string, px: number | undefined) =>
      px === undefined ? dock.style.removeProperty(name) : dock.style.setProperty(name, `${Math.round(px)}px`)
    set('left', MARGIN + x * (width - 2 * MARGIN - dock.offsetWidth))
    set('top', isLow ? undefined : barTop)
    set('bottom', isLow ? height - barTop - bar.offsetHeight : undefined)
    const rest = isLow ? barTop : height - barTop - bar.offsetHeight
    set('--panel-height', Math.max(120, rest - 2 * MARGIN))
  }
  const stopListening: Stop = listen(window, ['resize'], draw)
  return {
    draw,
    moveBy: (right: number, down: number): Pick<Place, 'x' | 'y'> => {
      const [width, height] = windowSize()
      x = clamp(x + right / Math.max(1, width - 2 * MARGIN - dock.offsetWidth))
      y = clamp(y + down / Math.max(1, height - 2 * MARGIN - bar.offsetHeight))
      draw()
      return { x, y }
    },
    stop: stopListening,
  }
}
