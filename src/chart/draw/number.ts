import type { Formats } from '../format'
import type { ChartData } from '../model'
import type { Figure, Size } from './shapes'

/** Draws one number. */
export const drawNumber = ({ total }: ChartData, { width, height }: Size, formats: Formats): Figure => ({
  shapes: [{ role: 'number', text: formats.full(total), x: width / 2, y: height / 2 + 14, anchor: 'middle' }],
  count: 0,
  spot: () => ({ x: 0, y: 0, title: '', rows: [], shapes: [] }),
  nearest: () => 0,
})
