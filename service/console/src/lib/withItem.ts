/** Returns `list` with the item at `index` replaced, or removed if `item` is undefined. */
export const withItem = <Item>(list: readonly Item[], index: number, item: Item | undefined): Item[] =>
  list.flatMap((each, at) => (at === index ? (item === undefined ? [] : [item]) : [each]))
