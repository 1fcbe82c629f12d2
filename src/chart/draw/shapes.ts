/** A path or a text of a drawing. Its look comes from its class in the style sheet, its color from `color`. */
export interface Shape {
  /** Class, and name of the part. */
  readonly role: 'grid' | 'label' | 'line' | 'area' | 'bar' | 'slice' | 'dot' | 'rule' | 'number'
  /** Index of the series, for its color. */
  readonly color?: number
  readonly isDashed?: boolean | undefined
  /** The path. Unset for a text. */
  readonly d?: string
  readonly text?: string
  readonly x?: number
  readonly y?: number
  readonly anchor?: 'start' | 'middle' | 'end'
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** A value that the reader can point at. */
export interface Spot {
  readonly x: number
  readonly y: number
  readonly title: string
  /** Names, values and colors, one for each series. */
  readonly rows: readonly { readonly name: string; readonly value: string; readonly color: number }[]
  /** Shapes that mark the spot in the drawing. */
  readonly shapes: readonly Shape[]
}

/** A drawing and its spots. */
export interface Figure {
  readonly shapes: readonly Shape[]
  /** Number of spots. */
  readonly count: number
  spot(index: number): Spot
  /** Returns the index of the spot nearest to a point. */
  nearest(x: number, y: number): number
}

/** Colors repeat after these, with dashes. */
export const COLORS = 8

const round = (value: number) => Math.round(value * 10) / 10
export const at = (x: number, y: number): string => `${round(x)} ${round(y)}`

/** Returns the path of a dot. */
export const dotAt = (x: number, y: number, radius = 3.5): string =>
  `M${at(x - radius, y)}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`
