/** Generates the events of a shop's visitors, ordered by time. `now`: the end, ms since the epoch. */
export function generateEvents(shop: {
  random: () => number
  count: number
  days: number
  now: number
  pages: object
  survey?: object
}): Generator<{ event: string; [member: string]: unknown }>
