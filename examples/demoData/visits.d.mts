/** Yields `count` events of a shop over the last `days` days before `now`. */
export declare function generateEvents(options: {
  readonly random: () => number
  readonly count: number
  readonly days: number
  /** ms since the epoch. */
  readonly now: number
  /** Sizes and boxes of recorded pages by path. */
  readonly pages: object
}): Generator<object>
