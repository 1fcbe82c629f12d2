import type { ComponentChildren } from 'preact'
import { Boundary } from './boundary.tsx'

/** Returns the key of an item, or its position if the item is broken. */
const keyAt = <Item,>(keyOf: (item: Item, index: number) => string | number, item: Item, index: number) => {
  try {
    return keyOf(item, index)
  } catch {
    return index
  }
}

/** The items of a list or a table, one row each. A row that cannot be shown says why; the others stay. */
export const Rows = <Item,>({
  of: items,
  keyOf,
  columns,
  children,
}: {
  readonly of: readonly Item[]
  readonly keyOf: (item: Item, index: number) => string | number
  /** Number of columns of the table. Absent: each row is a list item. */
  readonly columns?: number
  /** Returns the row of an item. */
  readonly children: (item: Item, index: number) => ComponentChildren
}) => (
  <>
    {items.map((item, index) => (
      <Boundary
        key={keyAt(keyOf, item, index)}
        instead={(reason) => {
          const text = `This row could not be shown: ${reason}`
          return columns === undefined ? (
            <li class="muted">{text}</li>
          ) : (
            <tr>
              <td class="muted" colSpan={columns}>
                {text}
              </td>
            </tr>
          )
        }}
      >
        {() => children(item, index)}
      </Boundary>
    ))}
  </>
)
